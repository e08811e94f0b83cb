#if Serve && HTTP
  import Foundation
  import RangeIO
  import RangeIOHTTPTestServer
  import Testing

  @testable import RangeIOServe

  /// The access log of a server.
  struct AccessLogTests {
    private struct Line: Decodable {
      let client, method, target: String
      let status, bytes: Int
      let userAgent: String?
      let cut: Bool?
    }

    private func lines(_ path: String) throws -> [Line] {
      try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
        try JSONDecoder().decode(Line.self, from: Data($0.utf8))
      }
    }

    @Test func `each answer has a line, whichever way it was given`() async throws {
      let folder = try ServedFolder()
      try folder.write(ServedFolder.bytes(600_000), to: "a.bin")
      let log = try AccessLog(folder.path + "/.log", format: .json)
      try await withServer([("", try DirectoryUpstream(folder.path))]) {
        $0.accessLog = log
      } _: { port, _ in
        _ = try await ask("/a.bin?key=5ecret", port: port, ["User-Agent: test"])
        _ = try await ask("/a.bin", port: port, method: "HEAD")
        _ = try await askKept("/a.bin", port: port, ["Range: bytes=1-10"])
        _ = try await ask("/a.bin", port: port, ["Range: bytes=0-1,4-5"])
        _ = try await ask("/", port: port, host: "other.example")
      }
      let lines = try lines(folder.path + "/.log")
      #expect(lines.map(\.status) == [200, 200, 206, 404, 206, 421])
      #expect(lines.map(\.bytes).prefix(5) == [600_000, 0, 10, 14, 4])
      #expect(lines.allSatisfy { $0.client == "127.0.0.1" && $0.cut == nil })
      #expect(lines[0].target == "/a.bin?\u{2026}" && lines[0].userAgent == "test" && lines[1].method == "HEAD")
    }

    @Test func `what is no request has a line, and counts`() async throws {
      let folder = try ServedFolder()
      let log = try AccessLog(folder.path + "/.log", format: .json)
      try await withServer([("", try DirectoryUpstream(folder.path))]) {
        $0.accessLog = log
      } _: { port, _ in
        for line in ["GET /a b c HTTP/1.1", "nonsense", "GET /" + String(repeating: "a", count: 40_000) + " HTTP/1.1"] {
          let received = try await RawClient.exchange(line + "\r\nHost: localhost\r\n\r\n", port: port)
          #expect(ReceivedAnswer(received).status == 400)
        }
        let told = try await ask("/-/stats", port: port)
        #expect(String(decoding: told.body, as: UTF8.self).contains(/"answers4xx" ?: ?3/))
      }
      let lines = try lines(folder.path + "/.log")
      #expect(lines.map(\.status) == [400, 400, 400, 200] && lines.map(\.method).prefix(3) == ["-", "-", "-"])
    }

    @Test func `an answer that is cut off says so`() async throws {
      let folder = try ServedFolder()
      let log = try AccessLog(folder.path + "/.log", format: .json)
      try folder.write(ServedFolder.bytes(64 << 20), to: "a.bin")
      try await withServer([("", try DirectoryUpstream(folder.path))]) {
        $0.accessLog = log
      } _: { port, _ in
        let request = "GET /a.bin HTTP/1.1\r\nHost: localhost\r\n\r\n"
        _ = try await RawClient.exchange(request, port: port, until: 1 << 20)
        while try await answersUnderWay(port) > 1 { await Task.yield() }
      }
      let line = try #require(try lines(folder.path + "/.log").first { $0.target == "/a.bin" })
      #expect(line.cut == true && line.status == 200 && line.bytes < 64 << 20)
    }

    @Test func `after a move the lines go to the new file, and none is lost`() async throws {
      let folder = try ServedFolder()
      try folder.write([1], to: "a.bin")
      let path = folder.path + "/.log"
      let log = try AccessLog(path)
      try await withServer([("", try DirectoryUpstream(folder.path))]) {
        $0.accessLog = log
      } _: { port, _ in
        for _ in 0..<3 { _ = try await ask("/a.bin", port: port) }
        await log.flush()
        #expect(rename(path, path + ".1") == 0)
        for _ in 0..<2 { _ = try await ask("/a.bin", port: port) }
        await log.flush()
        try log.reopen()
        for _ in 0..<4 { _ = try await ask("/a.bin", port: port) }
      }
      let counts = try [path + ".1", path].map { path in
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count
      }
      #expect(counts == [5, 4])
    }

    @Test func `what cannot be written is told, and so is what cannot be opened`() async throws {
      let faults = Locked<[String]>([])
      let log = try AccessLog("/dev/full") { fault in faults.withLock { $0.append(fault) } }
      let folder = try ServedFolder()
      try await withServer([("", try DirectoryUpstream(folder.path))]) {
        $0.accessLog = log
      } _: { port, _ in
        for _ in 0..<5 {
          let answer = try await ask("/", port: port)
          #expect(answer.status == 200)
          await log.flush()
        }
      }
      // Once.
      let told = faults.withLock { $0 }
      let what = " lines of the access log are lost, and those that follow: cannot write to /dev/full: "
      #expect(told.count == 1 && told[0].contains(what))
      let error = #expect(throws: ReadError.self) { _ = try AccessLog(folder.path + "/none/log") }
      #expect(error?.code == .notFound && error?.message.contains("open the access log") == true)
    }

    @Test func `a pipe that nobody reads keeps no server from its end`() async throws {
      let folder = try ServedFolder()
      let path = folder.path + "/.pipe"
      #expect(mkfifo(path, 0o600) == 0)
      // Opened, and not read.
      let reader = open(path, O_RDONLY | O_NONBLOCK)
      defer { close(reader) }
      let faults = Locked<[String]>([])
      let log = try AccessLog(path) { fault in faults.withLock { $0.append(fault) } }
      let record = AccessRecord(
        client: "192.0.2.1", user: nil, secondsSince1970: 0, method: "GET", target: "/", version: "HTTP/1.1",
        status: 200, bodyBytes: 0, isComplete: true, duration: .zero, referrer: nil,
        userAgent: String(repeating: "a", count: 2000))
      // More than the system's pipe takes.
      for _ in 0..<200 { log.add(record) }
      await log.flush(within: .zero)
      #expect(faults.withLock { $0 }.contains { $0.hasSuffix("takes nothing") })
      // What waits goes on once it is read.
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let flushed = Task { await log.flush(within: .seconds(60)) }
      let isDone = Locked(false)
      let watching = Task {
        await flushed.value
        isDone.withLock { $0 = true }
      }
      while !isDone.withLock({ $0 }) {
        if read(reader, &buffer, buffer.count) <= 0 { await Task.yield() }
      }
      await watching.value
    }
  }
#endif
