#if Serve && HTTP
  import Foundation
  import NIOCore
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOTesting
  import Testing

  @testable import RangeIOServe

  /// A server that speaks HTTP/2.
  @Suite(.timeLimit(.minutes(2))) struct HTTP2Tests {
    private static let size = 700_000

    private func withFolder(
      _ configure: (inout RangeServer.Configuration) -> Void = { _ in },
      _ body: (_ port: Int, _ folder: ServedFolder) async throws -> Void
    ) async throws {
      let folder = try ServedFolder()
      try folder.write(ServedFolder.bytes(Self.size), to: "a.bin")
      try folder.write(ServedFolder.bytes(100), to: "small.bin")
      try await withTLSServer(try DirectoryUpstream(folder.path), configure) { port, _ in try await body(port, folder) }
    }

    @Test func `an answer is the same as in HTTP 1_1`() async throws {
      try await withFolder { port, _ in
        let client = try await RawHTTP2(port)
        let tag = try await client.get("/a.bin", on: 1, [("range", "bytes=0-0")]).fields["etag"] ?? ""
        var stream = 1
        for (method, path, fields) in [
          ("GET", "/a.bin", []), ("HEAD", "/a.bin", []), ("OPTIONS", "/a.bin", []), ("GET", "/none", []),
          ("GET", "/small.bin", []), ("GET", "/small.bin", []), ("HEAD", "/small.bin", []),
          ("DELETE", "/small.bin", []),
          ("GET", "/a.bin", [("range", "bytes=10-29")]), ("GET", "/a.bin", [("range", "bytes=-9")]),
          ("GET", "/a.bin", [("range", "bytes=100000-500000")]), ("GET", "/a.bin", [("range", "bytes=700000-")]),
          ("GET", "/a.bin", [("range", "bytes=0-9"), ("if-range", tag)]),
          ("GET", "/a.bin", [("range", "bytes=0-9"), ("if-range", "\"other\"")]),
          ("GET", "/a.bin", [("if-none-match", tag)]), ("GET", "/a.bin", [("if-match", "\"other\"")]),
          ("GET", "/a.bin", [("range", "bytes=0-1,5-6")]), ("GET", "/?format=json", []), ("GET", "/../a.bin", []),
          ("GET", "/-/healthz", []), ("GET", "/-/readyz", []),
        ] as [(String, String, [(String, String)])] {
          stream += 2
          let answer = try await client.get(path, on: stream, fields, method: method)
          let lines =
            ["\(method) \(path) HTTP/1.1", "Host: localhost", "Connection: close"]
            + fields.map { "\($0.0): \($0.1)" }
          let other = ReceivedAnswer(
            try await RawClient.exchange(lines.joined(separator: "\r\n") + "\r\n\r\n", port: port, isTLS: true))
          #expect(answer.reset == nil && answer.status == "\(other.status)", "\(method) \(path) \(fields)")
          let isMultipart = answer.fields["content-type"]?.hasPrefix("multipart/") ?? false
          // Each has a boundary of its own.
          if !isMultipart { #expect(answer.body == other.body, "\(method) \(path) \(fields)") }
          var (ours, theirs) = (answer.fields, other.fields)
          for name in [":status", "date", "connection"] + (isMultipart ? ["content-type"] : []) {
            (ours[name], theirs[name]) = (nil, nil)
          }
          // Sent where nothing follows, in HTTP/1.1.
          if answer.body.isEmpty { (ours["content-length"], theirs["content-length"]) = ("0", "0") }
          #expect(ours == theirs, "\(method) \(path) \(fields)")
        }
        #expect(client.goAway == nil)
        client.channel.close(promise: nil)
      }
    }

    @Test func `many answers share a connection, and each is whole`() async throws {
      try await withFolder { port, _ in
        let client = try await RawHTTP2(port, window: 100_000)
        let streams = (0..<60).map { 2 * $0 + 1 }
        for stream in streams {
          let range = stream % 4 == 1 ? "bytes=\(stream)-" : "bytes=\(stream)-\(stream + 9)"
          try await client.send(client.head("/a.bin", on: stream, [("range", range)]))
        }
        let answers = try await client.answers(Set(streams))
        let bytes = ServedFolder.bytes(Self.size)
        for stream in streams {
          let answer = try #require(answers[stream])
          let end = stream % 4 == 1 ? Self.size : stream + 10
          #expect(answer.status == "206" && answer.body.elementsEqual(bytes[stream..<end]), "\(stream)")
        }
        client.channel.close(promise: nil)
      }
    }

    @Test func `a request that is taken back ends what is read for it, and others go on`() async throws {
      let source = GatedSource(SyntheticSource(byteCount: 1 << 20))
      let upstream = ObjectUpstream { try await RangeReader(source, onChange: .refresh) }
      try await withTLSServer(upstream) { port, _ in
        let client = try await RawHTTP2(port)
        try await client.send(client.head("/", on: 1))
        await source.arrivals(1)
        #expect(try await client.get("/-/healthz", on: 3).status == "200")
        try await client.send(RawHTTP2.Frame(kind: .reset, stream: 1, payload: RawHTTP2.bytes(8)))
        // Only the one that asks.
        var stream = 5
        while !String(decoding: try await client.get("/-/stats?format=prometheus", on: stream).body, as: UTF8.self)
          .contains("\nrangeio_answers 1\n")
        {
          stream += 2
        }
        source.open()
        #expect(try await client.get("/", on: stream + 2).body.count == 1 << 20)
        client.channel.close(promise: nil)
      }
    }

    @Test func `a stream that takes nothing holds one piece and counts as an answer, and others are answered`()
      async throws
    {
      let source = SyntheticSource(byteCount: 64 << 20)
      let upstream = ObjectUpstream { try await RangeReader(source, onChange: .refresh) }
      try await withTLSServer(upstream) {
        $0.maxRequestsPerClient = 3
      } _: { port, _ in
        let client = try await RawHTTP2(port, window: 1000)
        // Long, and as long as one piece.
        try await client.send(client.head("/", on: 1))
        try await client.send(client.head("/", on: 3, [("range", "bytes=0-99999")]))
        for stream in [1, 3] {
          var frame = try #require(try await client.next())
          while frame.kind != .data { frame = try #require(try await client.next()) }
          #expect(frame.payload.count == 1000, "\(stream)")
        }
        func stats(_ stream: Int) async throws -> String {
          let answer = try await client.get("/-/stats?format=prometheus", on: stream)
          return String(decoding: answer.body, as: UTF8.self)
        }
        let text = try await stats(5)
        #expect(text.contains("\nrangeio_answers 3\n"), "\(text)")
        let sent = text.split(separator: "\n").first { $0.hasPrefix("rangeio_server_body_bytes ") }
        let count = try #require(sent.flatMap { Int($0.split(separator: " ")[1]) })
        #expect(count <= 2 * 256 << 10)
        // The third one is refused while two wait.
        try await client.send(client.head("/", on: 7))
        try await client.send(client.head("/", on: 9))
        let refused = try #require(try await client.answers([9])[9])
        #expect(refused.status == "429")
        for stream in [1, 7] {
          try await client.send(RawHTTP2.Frame(kind: .reset, stream: stream, payload: RawHTTP2.bytes(8)))
        }
        try await client.send(RawHTTP2.Frame(kind: .windowUpdate, stream: 3, payload: RawHTTP2.bytes(99_000)))
        #expect(try await client.answers([3])[3]?.body.count == 99_000)
        client.channel.close(promise: nil)
      }
    }

    @Test func `an answer whose object changes is cut off as an error`() async throws {
      try await withFolder { port, folder in
        let client = try await RawHTTP2(port, window: 1000)
        try await client.send(client.head("/a.bin", on: 1))
        var frame = try #require(try await client.next())
        while frame.kind != .data { frame = try #require(try await client.next()) }
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path + "/a.bin"))
        try handle.write(contentsOf: Data(ServedFolder.bytes(Self.size, seed: 1)))
        try handle.close()
        try await client.send(RawHTTP2.Frame(kind: .windowUpdate, stream: 1, payload: RawHTTP2.bytes(Self.size)))
        let answer = try #require(try await client.answers([1])[1])
        // INTERNAL_ERROR
        #expect(answer.reset == 2)
        #expect(
          (frame.payload + answer.body).elementsEqual(ServedFolder.bytes(Self.size).prefix(1000 + answer.body.count)))
        // The connection stays.
        #expect(try await client.get("/small.bin", on: 3).body == ServedFolder.bytes(100))
        client.channel.close(promise: nil)
      }
    }

    @Test func `a request names its server as in HTTP 1_1, and a body is not awaited`() async throws {
      try await withFolder { port, _ in
        let client = try await RawHTTP2(port)
        var stream = 1
        for (authority, host, status) in [
          ("localhost", nil, "200"), (nil, "localhost", "200"), ("localhost", "LOCALHOST", "200"),
          ("evil.example", nil, "421"), (nil, "evil.example", "421"), ("localhost", "evil.example", "400"),
          (nil, nil, "400"),
        ] as [(String?, String?, String)] {
          let fields = host.map { [("host", $0)] } ?? []
          try await client.send(client.head("/small.bin", on: stream, fields, authority: authority))
          let answer = try await client.answers([stream])[stream]
          #expect(answer?.status == status, "\(authority ?? "none") \(host ?? "none")")
          stream += 2
        }
        // Announced, and not; on the event loop, and not.
        for (length, path, status) in [("5", "/small.bin", "413"), (nil, "/small.bin", "200"), (nil, "/a.bin", "200")] {
          let fields = length.map { [("content-length", $0)] } ?? []
          try await client.send(client.head(path, on: stream, fields, ends: false))
          let answer = try #require(try await client.answers([stream])[stream])
          #expect(answer.status == status && answer.reset == nil)
          if status == "200" { #expect(answer.fields["content-length"] == "\(answer.body.count)") }
          // The rest need not be sent.
          let frame = try #require(try await client.next())
          #expect(frame.kind == .reset && frame.stream == stream && frame.code == 0)
          stream += 2
        }
        client.channel.close(promise: nil)
      }
    }

    @Test func `the log says which version it was`() async throws {
      let folder = try ServedFolder()
      let log = try AccessLog(folder.path + "/log", format: .combined)
      try await withFolder {
        $0.accessLog = log
      } _: { port, _ in
        let client = try await RawHTTP2(port)
        _ = try await client.get("/a.bin", on: 1)
        for stream in [3, 5] { _ = try await client.get("/small.bin", on: stream) }
        client.channel.close(promise: nil)
        _ = try await RawClient.exchange(
          "GET /small.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", port: port, isTLS: true)
      }
      let lines = try String(contentsOfFile: folder.path + "/log", encoding: .utf8).split(separator: "\n")
      #expect(lines.map { $0.contains("HTTP/2.0\" 200") } == [true, true, true, false])
      #expect(lines.first?.contains("\"GET /a.bin HTTP/2.0\" 200 \(Self.size) ") == true)
    }
  }
#endif
