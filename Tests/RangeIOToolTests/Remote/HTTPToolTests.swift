#if Tool && HTTP

import Foundation
import RangeIOHTTPTestServer
import Synchronization
import SystemPackage
import Testing

@testable import RangeIOTool

/// The tool as a process, and a server on loopback that does as it is told.
@Suite(.serialized) struct HTTPToolTests {
  let directory: TemporaryDirectory
  let copy: String

  init() throws {
    directory = try TemporaryDirectory()
    copy = directory("copy")
  }

  // MARK: reading

  @Test func `read, cat, info and explain take URLs`() async throws {
    try await LyingServer.with { server in
      let object = ServedObject(count: 3_000_001)
      server.objects.put(object, at: "/object")
      let url = server.url("/object")
      let header = ["--header", "X-Key: 5ecret"]
      let all = try await tool(["cat", url] + header)
      #expect(all.code == 0 && areEqual(all.output, object.bytes[...]), "\(all.errors)")
      #expect(server.log.requests.allSatisfy { $0["X-Key"] == "5ecret" })
      let part = try await tool("read", url, "--range", "1000..<2000000")
      #expect(part.code == 0 && areEqual(part.output, object.bytes[1000..<2_000_000]), "\(part.errors)")
      #expect(areEqual(try await tool("read", url, "--suffix", "9").output, object.bytes.suffix(9)))
      let info = try await tool("info", url, "--json")
      #expect(info.code == 0 && String(decoding: info.output, as: UTF8.self).contains("3000001"), "\(info.errors)")
      let explain = try await tool("explain", url, "--range", "0..<8192")
      #expect(explain.code == 0 && String(decoding: explain.output, as: UTF8.self).contains("source"))
      #expect(try await tool("read", server.url("/missing")).code == 3)
      #expect(try await tool("read", url, "--range", "0..<9999999").code == 4)
    }
  }

  @Test func `what a server says of a refusal has no secret in it`() async throws {
    try await LyingServer.with { server in
      server.script = ServerScript { _ in ScriptedAnswer(403, text: "no\n") }
      let url = server.url("/object?X-Amz-Signature=5ecret").replacing("http://", with: "http://user:5ecret@")
      for command in [["read", url], ["cat", url], ["info", url], ["copy", url, copy]] {
        let result = try await tool(command + ["--header", "X-Key: 5ecret"])
        #expect(result.code != 0 && result.hasOneLineOfErrors && result.errors.contains("/object"))
        #expect(!result.errors.contains("5ecret"), "\(result.errors)")
      }
    }
  }

  @Test func `headers come from a file, standard input and the environment, and are not shown`() async throws {
    try await LyingServer.with { server in
      server.objects.put(ServedObject(count: 9), at: "/object")
      let file = try directory.file(
        "fields", Array("X-Key: 5ecret\r\n\n \t\nX-Other:\tü 5ecret \nX-Last: 5ecret".utf8))
      let arguments = ["info", server.url("/object"), "--header", "@" + file, "--header", "X-Own: 1"]
      #expect(try await tool(arguments).code == 0)
      let script = "printf 'X-Key: 5ecret' | FIELDS='X-Other: ü 5ecret\nX-Last: 5ecret' \"$0\" \"$@\""
      let piped = [
        "-c", script.replacing("\\n", with: "\n"), ToolProcess.path, "info", server.url("/object"), "--header", "@-",
        "--header-env", "FIELDS", "--header", "X-Own: 1",
      ]
      let result = try await tool(piped, program: "/bin/sh")
      #expect(result.code == 0, "\(result.errors)")
      #expect(!server.log.requests.isEmpty)
      for request in server.log.requests {
        #expect(request["X-Key"] == "5ecret" && request["X-Other"] == "ü 5ecret" && request["X-Last"] == "5ecret")
        #expect(request["X-Own"] == "1")
      }
      let wrong = try directory.file("wrong", Array("X-Key: a\n5ecret".utf8))
      for (option, text) in [
        ("@" + wrong, "line 2: there is no colon"), ("@" + directory("none"), "check the path"),
        ("@" + directory.path, "cannot read the headers"), ("@/dev/zero", "more than 1 MiB"),
        ("@" + (try directory.file("binary", [0x41, 0x3A, 0xFF])), "no UTF-8"),
      ] {
        let result = try await tool("info", server.url("/object"), "--header", option)
        #expect(result.code == 2 && result.hasOneLineOfErrors && result.errors.contains(text), "\(result.errors)")
        #expect(!result.errors.contains("5ecret"))
      }
      let absent = try await tool("info", server.url("/object"), "--header-env", "RANGEIO_NONE")
      #expect(absent.code == 2 && absent.errors.contains("no such variable"), "\(absent.errors)")
    }
  }

  @Test func `several ranges of a URL are written one after the other`() async throws {
    try await LyingServer.with { server in
      let object = ServedObject(count: 3_000_001)
      server.objects.put(object, at: "/object")
      let arguments = ["read", server.url("/object"), "--range", "2000000-", "--range", "..<10", "--range", "-5"]
      let expected = object.bytes[2_000_000...] + object.bytes[..<10] + object.bytes.suffix(5)
      #expect(areEqual(try await tool(arguments).output, expected))
      let result = try await tool(arguments + ["--output", copy])
      #expect(try result.code == 0 && areEqual(contents(copy), expected), "\(result.errors)")
    }
  }

  @Test func `a range is asked for by the opening, and nothing else`() async throws {
    try await LyingServer.with { server in
      let object = ServedObject(count: 3_000_001)
      server.objects.put(object, at: "/object")
      for (selection, field, expected) in [
        (["--range", "2000000..<2000100"], "bytes=2000000-2000099", 2_000_000..<2_000_100),
        (["--offset", "70000", "--length", "5"], "bytes=70000-70004", 70_000..<70_005),
        (["--suffix", "9"], "bytes=-9", 2_999_992..<3_000_001),
      ] {
        server.log.clear()
        let result = try await tool(["read", server.url("/object")] + selection)
        #expect(result.code == 0 && areEqual(result.output, object.bytes[expected]), "\(result.errors)")
        #expect(server.log.requests.map { "\($0.method) \($0["Range"] ?? "")" } == ["GET \(field)"], "\(selection)")
      }
    }
  }

  @Test func `what is stored with an encoding is read as it is stored, if wanted`() async throws {
    try await LyingServer.with { server in
      let object = ServedObject(count: 70_000)
      server.objects.put(object, at: "/object")
      server.script = ServerScript { context in
        var answer = context.honest
        answer.fields["Content-Encoding"] = "gzip"
        return answer
      }
      let refused = try await tool("cat", server.url("/object"))
      #expect(refused.code == 1 && refused.output.isEmpty && refused.errors.contains("Content-Encoding"))
      let result = try await tool("cat", server.url("/object"), "--accept-encoded")
      #expect(result.code == 0 && areEqual(result.output, object.bytes[...]), "\(result.errors)")
    }
  }

  @Test func `tags that differ with each answer do not matter, if times tell versions`() async throws {
    try await LyingServer.with { server in
      let object = ServedObject(count: 5_000_000)
      server.objects.put(object, at: "/object")
      server.script = ServerScript { context in
        var answer = context.honest
        answer.fields["ETag"] = "\"backend \(context.request.number)\""
        return answer
      }
      let refused = try await tool("copy", server.url("/object"), copy)
      #expect(refused.code == 5, "\(refused.errors)")
      let result = try await tool("copy", server.url("/object"), copy, "--trust-times")
      #expect(try result.code == 0 && areEqual(contents(copy), object.bytes[...]), "\(result.errors)")
    }
  }

  @Test func `a request is sent again as often as is wanted`() async throws {
    try await LyingServer.with { server in
      server.script = ServerScript { _ in ScriptedAnswer(503, text: "no\n") }
      var counts: [Int] = []
      for retries in ["0", "2"] {
        server.log.clear()
        let result = try await tool("cat", server.url("/object"), "--retries", retries)
        #expect(result.code == 1 && result.hasOneLineOfErrors, "\(result.errors)")
        counts.append(server.log.requestCount)
      }
      #expect(counts[0] > 0 && counts[1] == 3 * counts[0])
    }
  }

  @Test func `a read ends at its time limit, and says how to raise it`() async throws {
    try await LyingServer.with { server in
      server.objects.put(ServedObject(count: 1000), at: "/object")
      server.script = ServerScript { context in context.honest.interrupted(.stall, at: .body(10)) }
      let result = try await tool("cat", server.url("/object"), "--time-limit", "0.3", "--retries", "0")
      #expect(result.code == 1 && result.errors.contains("raise it with --time-limit"), "\(result.errors)")
    }
  }

  /// The server pauses before the first bytes, and among those that follow the opening.
  @Test(.timeLimit(.minutes(2)), arguments: [["cat"], ["copy"]])
  func `on a terminal it says that a server sends nothing`(command: [String]) async throws {
    try await LyingServer.with { server in
      let object = ServedObject(count: 300_000)
      server.objects.put(object, at: "/object")
      let gate = ServerGate()
      let place = command == ["cat"] ? Interruption.Place.head(0) : .body(10)
      server.script = ServerScript { context in
        // The copy's opening is answered.
        context.request.number == 0 && place == .body(10)
          ? context.honest : context.honest.interrupted(.wait(gate), at: place)
      }
      let terminal = try Terminal()
      let output = try FileDescriptor.open(
        directory("out"), .writeOnly, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
      let process = try ToolProcess(
        command + [server.url("/object")] + (command == ["copy"] ? [copy] : []), output: output.rawValue,
        errors: terminal.descriptor.rawValue)
      try output.close()
      let said = try await terminal.line()
      #expect(said.contains("rangeio: \(server.url("/object")): no bytes from the server for "), "\(said)")
      gate.open()
      #expect(try await process.wait() == 0)
      #expect(areEqual(try contents(command == ["copy"] ? copy : directory("out")), object.bytes[...]))
    }
  }

  // MARK: copying

  @Test func `a copy into a directory has the name of the object, and tells what it read`() async throws {
    try await LyingServer.with { server in
      let object = ServedObject(count: 3_000_001)
      server.objects.put(object, at: "/a b.bin")
      for target in [directory.path, directory.path + "/"] {
        let result = try await tool("copy", server.url("/a%20b.bin?x=/y"), target, "--stats", "--force")
        #expect(result.code == 0 && result.errors.contains(" 3000001 bytes,"), "\(result.errors)")
        #expect(areEqual(try contents(directory("a b.bin")), object.bytes[...]))
      }
      let nameless = try await tool("copy", server.url("/"), directory.path)
      #expect(nameless.code == 1 && nameless.errors.contains("name the file"), "\(nameless.errors)")
    }
  }

  @Test(arguments: [0, 1, 65_536, 20_000_003])
  func `an object of any size is copied, with eight requests at a time`(byteCount: Int) async throws {
    try await LyingServer.with { server in
      let object = ServedObject(count: byteCount)
      server.objects.put(object, at: "/object")
      let result = try await tool("copy", server.url("/object"), copy)
      #expect(result.code == 0 && result.errors == "" && result.output.isEmpty, "\(result.errors)")
      #expect(areEqual(try contents(copy), object.bytes[...]))
      #expect(try directory.names == ["copy"])
      #expect(server.log.mostOpenConnections <= 8 && server.log.bodyBytes <= byteCount + 1)
      if byteCount > 1 << 20 { #expect(server.log.mostOpenConnections > 4) }
    }
  }

  @Test func `answers that are cut are continued, and their bytes not read again`() async throws {
    try await LyingServer.with { server in
      let object = ServedObject(count: 32 << 20)
      server.objects.put(object, at: "/object")
      for action in [Interruption.Action.close, .reset] {
        server.log.clear()
        server.script = .cutting(7, probability: 0.3, by: action)
        let result = try await tool("copy", server.url("/object"), copy, "--force")
        #expect(result.code == 0, "\(result.errors)")
        #expect(areEqual(try contents(copy), object.bytes[...]))
      }
    }
  }

  @Test func `killed ten times, it goes on from what has arrived`() async throws {
    try await LyingServer.with { server in
      let object = ServedObject(count: 64 << 20)
      server.objects.put(object, at: "/object")
      var random = SeededRandom(3)
      var noted = 0
      for kill in 1...10 {
        // Each of eight requests gets so many bytes, and then none until the server is killed, too.
        let share = (64 << 20) / 16 / 8 - random.below(65_536)
        let gate = ServerGate()
        server.script = held(by: gate, at: share)
        let before = server.log.requestCount
        let process = try start(server)
        await gate.arrival(8)
        // Without the one that opens.
        let sent = server.log.requests[before...].dropFirst().compactMap { byteCount(of: $0) }
        let wanted = noted + sent.reduce(0) { $0 + ($1 > share ? share : $1 + 65_535) >> 16 }
        // The bytes before the gates are on their way; nothing tells when they have been written.
        while try notedPieces < wanted { try await Task.sleep(for: .milliseconds(1)) }
        process.send(SIGKILL)
        #expect(try await process.wait() == 1009, "kill \(kill)")
        gate.open()
        noted = try notedPieces
      }
      server.script = .honest
      let result = try await tool("copy", server.url("/object"), copy)
      #expect(result.code == 0 && result.errors.contains("going on"), "\(result.errors)")
      #expect(areEqual(try contents(copy), object.bytes[...]))
      #expect(try directory.names == ["copy"])
      // For each kill, a part of a piece of each request.
      print("killed ten times: \(server.log.bodyBytes) bytes sent for \(object.bytes.count)")
      #expect(server.log.bodyBytes - object.bytes.count <= 10 * 8 * 65_536)
    }
  }

  @Test func `a server without ranges is copied in one go, and a copy that broke off goes on`() async throws {
    try await LyingServer.with { server in
      let object = ServedObject(count: 70_000_003)
      server.objects.put(object, at: "/object")
      let isBroken = Mutex(true)
      server.script = ServerScript { context in
        guard context.request.method == "GET", let object = context.object else { return context.honest }
        let whole = ScriptedAnswer.onlyWhole(object)
        guard isBroken.withLock({ $0 }) else { return whole }
        // The opening, the body, and what follows when that breaks.
        switch context.memory.count("GET") {
        case 0: return whole
        case 1: return whole.interrupted(.reset, at: .body(40_000_000))
        default: return ScriptedAnswer(403, text: "no\n")
        }
      }
      let broken = try await tool("copy", server.url("/object"), copy)
      #expect(broken.code != 0 && broken.errors.contains("what has arrived is kept"), "\(broken.errors)")
      isBroken.withLock { $0 = false }
      server.log.clear()
      var result = try await tool("copy", server.url("/object"), copy)
      #expect(result.code == 0 && result.errors.contains("going on"), "\(result.errors)")
      #expect(areEqual(try contents(copy), object.bytes[...]))
      #expect(server.log.requests.count { $0.method == "GET" } == 2)
      for _ in 0..<3 {
        result = try await tool("copy", server.url("/object"), copy, "--force")
        #expect(try result.code == 0 && areEqual(contents(copy), object.bytes[...]), "\(result.errors)")
      }
    }
  }

  @Test func `an object that was replaced starts over, and in the middle of a copy ends with 5`() async throws {
    try await LyingServer.with { server in
      server.objects.put(ServedObject(count: 16 << 20), at: "/object")
      let gate = ServerGate()
      server.script = held(by: gate, at: 500_000)
      var process = try start(server)
      await gate.arrival(8)
      while try notedPieces < 8 * 7 { try await Task.sleep(for: .milliseconds(1)) }
      process.send(SIGKILL)
      #expect(try await process.wait() == 1009)
      let other = ServedObject(count: 16 << 20, version: 2)
      server.objects.put(other, at: "/object")
      gate.open()
      server.script = .honest
      let result = try await tool("copy", server.url("/object"), copy)
      #expect(result.code == 0 && result.errors.contains("starting over"), "\(result.errors)")
      #expect(areEqual(try contents(copy), other.bytes[...]))

      try FileManager.default.removeItem(atPath: copy)
      let second = ServerGate()
      server.script = held(by: second, at: 500_000, then: .reset)
      process = try start(server)
      await second.arrival(8)
      server.objects.put(ServedObject(count: 16 << 20, version: 3), at: "/object")
      second.open()
      #expect(try await process.wait() == 5)
      #expect(try directory.names == [])
    }
  }

  @Test func `an object without a strong version is copied, and not gone on with`() async throws {
    try await LyingServer.with { server in
      var object = ServedObject(count: 4 << 20)
      object.tag = .none
      server.objects.put(object, at: "/object")
      let gate = ServerGate()
      server.script = held(by: gate, at: 200_000)
      let process = try start(server)
      await gate.arrival(8)
      process.send(SIGKILL)
      #expect(try await process.wait() == 1009)
      gate.open()
      server.script = .honest
      let result = try await tool("copy", server.url("/object"), copy)
      #expect(result.code == 0 && !result.errors.contains("going on"), "\(result.errors)")
      #expect(areEqual(try contents(copy), object.bytes[...]))
    }
  }

  private func start(_ server: LyingServer) throws -> ToolProcess {
    let output = try FileDescriptor.open("/dev/null", .readWrite, options: .closeOnExec)
    defer { try? output.close() }
    return try ToolProcess(
      ["copy", server.url("/object"), copy], output: output.rawValue, errors: output.rawValue)
  }

  /// Answers that have more than `count` bytes wait for `gate` after these.
  private func held(
    by gate: ServerGate, at count: Int, then action: Interruption.Action? = nil
  ) -> ServerScript {
    ServerScript { context in
      let answer = context.honest
      guard !answer.isBodyless, answer.body.count > count else { return answer }
      let held = answer.interrupted(.wait(gate), at: .body(count))
      return action.map { held.interrupted($0, at: .body(count)) } ?? held
    }
  }

  /// The number of bytes that a request asks for; `nil` if it names no range.
  private func byteCount(of request: ServerRequest) -> Int? {
    guard request.method == "GET", let range = request["Range"] else { return nil }
    let bounds = range.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
    return bounds.count == 2 ? bounds[1] - bounds[0] + 1 : nil
  }

  /// The pieces that the journal has.
  private var notedPieces: Int {
    get throws {
      let path = copy + ".rangeio-journal"
      guard FileManager.default.fileExists(atPath: path) else { return 0 }
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
      return max(0, size - CopyJournal.headerSize) / CopyJournal.recordSize
    }
  }
}

#endif
