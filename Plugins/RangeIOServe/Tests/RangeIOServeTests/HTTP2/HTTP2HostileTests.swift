#if Serve && HTTP
  import NIOCore
  import NIOHPACK
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOTesting
  import Testing

  @testable import RangeIOServe

  /// Clients of HTTP/2 that do what they must not, or too much of what they may.
  @Suite(.timeLimit(.minutes(2))) struct HTTP2HostileTests {
    private typealias Frame = RawHTTP2.Frame
    private static let calm: UInt32 = 11

    private func withFile(_ body: (_ port: Int) async throws -> Void) async throws {
      let folder = try ServedFolder()
      try folder.write(ServedFolder.bytes(100), to: "a.bin")
      try await withTLSServer(try DirectoryUpstream(folder.path)) { port, _ in
        try await body(port)
        // The next client is answered.
        let client = try await RawHTTP2(port)
        #expect(try await client.get("/a.bin", on: 1).body == ServedFolder.bytes(100))
        client.channel.close(promise: nil)
      }
    }

    /// CVE-2023-44487: requests that are taken back at once cost the server work, and no limit of streams under way counts them.
    @Test func `a client that takes back a thousand requests is sent away, and none of them stays`() async throws {
      let source = GatedSource(SyntheticSource(byteCount: 1000))
      let upstream = ObjectUpstream { try await RangeReader(source, onChange: .refresh) }
      try await withTLSServer(upstream) { port, _ in
        let client = try await RawHTTP2(port)
        // As many as a map takes back in a second are nothing.
        for stream in 0..<1100 {
          let number = 2 * stream + 1
          // `try?`: the server closes the connection meanwhile.
          try? await client.send(
            client.head("/", on: number), Frame(kind: .reset, stream: number, payload: RawHTTP2.bytes(8)))
          if stream == 99 { #expect(client.channel.isActive) }
        }
        let last = try #require(try await client.untilEnd())
        #expect(last.code == Self.calm)
        try await client.channel.closeFuture.outcome()
        while try await metricOverTLS("rangeio_connections", port) != 1 {}
        while try await metricOverTLS("rangeio_answers", port) != 1 {}
        source.open()
      }
    }

    @Test func `a hundred streams are answered together, and one more ends the connection`() async throws {
      let source = GatedSource(SyntheticSource(byteCount: 1000))
      let upstream = ObjectUpstream { try await RangeReader(source, onChange: .refresh) }
      try await withTLSServer(upstream) { port, _ in
        let streams = (1...100).map { 2 * $0 + 1 }
        let (right, wrong) = (try await RawHTTP2(port), try await RawHTTP2(port))
        for client in [right, wrong] {
          // The limit counts from when the client has heard of it.
          #expect(try await client.get("/-/healthz", on: 1).status == "200")
          for stream in streams { try await client.send(client.head("/", on: stream)) }
        }
        try await wrong.send(wrong.head("/", on: 203))
        let last = try #require(try await wrong.untilEnd())
        #expect(last.code != 0, "\(last)")
        source.open()
        #expect(
          try await right.answers(Set(streams)).values.allSatisfy { $0.status == "200" && $0.body.count == 1000 })
        right.channel.close(promise: nil)
      }
    }

    @Test func `streams that a client does not take are limited, however little is on them`() async throws {
      let folder = try ServedFolder()
      try folder.write(ServedFolder.bytes(12), to: "a.bin")
      try await withTLSServer(try DirectoryUpstream(folder.path), { $0.maxStreamsPerClient = 150 }) { port, _ in
        let (first, second) = (try await RawHTTP2(port, window: 0), try await RawHTTP2(port, window: 0))
        for stream in 0..<90 { try await first.send(first.head("/a.bin", on: 2 * stream + 1)) }
        var answers = 0
        while answers < 90, let frame = try await first.next() { answers += frame.kind == .headers ? 1 : 0 }
        for stream in 0..<90 { try await second.send(second.head("/a.bin", on: 2 * stream + 1)) }
        var resets = 0
        while resets < 30, let frame = try await second.next() { resets += frame.kind == .reset ? 1 : 0 }
        #expect(resets == 30)
        first.channel.close(promise: nil)
        try await first.channel.closeFuture.outcome()
        // Its room is there again, and the other connection has gone on.
        let third = try await RawHTTP2(port)
        var stream = 1
        while try await third.get("/a.bin", on: stream).status != "200" { stream += 2 }
        #expect(second.channel.isActive)
        for client in [second, third] { client.channel.close(promise: nil) }
      }
    }

    @Test func `hundreds of priorities are no attack`() async throws {
      try await withFile { port in
        let client = try await RawHTTP2(port)
        for _ in 0..<500 { try await client.send(Frame(kind: .priority, stream: 1, payload: [0, 0, 0, 0, 10])) }
        #expect(try await client.get("/a.bin", on: 3).status == "200")
        client.channel.close(promise: nil)
      }
    }

    /// What ends a connection.
    enum Breach: CaseIterable {
      case continuations, hugeHead, hugeFrame, pings, settings, emptyData, windowOverflow, unknownStream, evenStream,
        oldStream
      case noise, plainHTTP, brokenBlock, continuationAlone
    }

    @Test(arguments: Breach.allCases) func `a connection that breaks the rules ends`(_ breach: Breach) async throws {
      try await withFile { port in
        let client = try await RawHTTP2(port, greets: breach != .noise && breach != .plainHTTP)
        if breach != .noise, breach != .plainHTTP { #expect(try await client.get("/a.bin", on: 1).status == "200") }
        // `try?`: the server closes the connection while it is written to.
        switch breach {
        case .continuations:
          var head = try client.head("/a.bin", on: 3)
          head.flags = Frame.ends
          try? await client.send(head)
          for _ in 0..<100 { try? await client.send(Frame(kind: .continuation, stream: 3, payload: [])) }
        case .continuationAlone: try? await client.send(Frame(kind: .continuation, stream: 3, payload: [0x82]))
        case .hugeHead:
          // 40 KB of fields, in few bytes: each is the same entry of the table again.
          var head = try client.head("/a.bin", on: 3, [("x-long", String(repeating: "x", count: 3000))])
          head.payload += Array(repeating: 0xBE, count: 14)
          try? await client.send(head)
        case .hugeFrame:
          try? await client.send(Frame(kind: .headers, stream: 3, payload: Array(repeating: 0, count: 20_000)))
        // `try?`, for these two as well: as above.
        case .pings:
          for _ in 0..<1100 { try? await client.send(Frame(kind: .ping, payload: Array(repeating: 1, count: 8))) }
        case .settings: for _ in 0..<1100 { try? await client.send(Frame(kind: .settings)) }
        case .emptyData:
          try? await client.send(client.head("/none", on: 3, method: "POST", ends: false))
          for _ in 0..<10 { try? await client.send(Frame(kind: .data, stream: 3)) }
        case .windowOverflow:
          try? await client.send(Frame(kind: .windowUpdate, payload: RawHTTP2.bytes(Int(Int32.max))))
        case .unknownStream: try? await client.send(Frame(kind: .data, stream: 9, payload: [1]))
        case .evenStream: try? await client.send(client.head("/a.bin", on: 4))
        case .oldStream:
          #expect(try await client.get("/a.bin", on: 9).status == "200")
          try? await client.send(client.head("/a.bin", on: 5))
        case .noise: try? await client.send(bytes: (0..<100).map { UInt8(truncatingIfNeeded: $0 * 37) })
        case .plainHTTP: try? await client.send(bytes: Array("GET /a.bin HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
        case .brokenBlock:
          try? await client.send(Frame(kind: .headers, flags: 5, stream: 3, payload: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF]))
        }
        let last = try await client.untilEnd()
        #expect(last?.code != 0, "\(breach)")
      }
    }

    @Test func `a request that is none ends its stream only`() async throws {
      try await withFile { port in
        let client = try await RawHTTP2(port)
        var stream = 1
        for fields in [
          [(":method", "GET"), (":scheme", "https"), (":path", "/a.bin"), ("connection", "close")],
          [(":method", "GET"), (":scheme", "https"), (":path", "/a.bin"), ("transfer-encoding", "chunked")],
          [(":method", "GET"), (":scheme", "https"), (":path", "/a.bin"), ("X-Upper", "1")],
          [(":method", "GET"), (":scheme", "https")], [(":scheme", "https"), (":path", "/a.bin")],
          [(":method", "GET"), (":method", "GET"), (":scheme", "https"), (":path", "/a.bin")],
          [(":method", "G T"), (":scheme", "https"), (":path", "/a.bin")],
          [(":method", "GET"), (":scheme", "https"), (":path", "")],
          [(":method", "GET"), (":scheme", "https"), (":path", "/a.bin"), (":status", "200")],
          [(":method", "GET"), (":scheme", "https"), (":path", "/a.bin"), ("x", "1"), (":authority", "localhost")],
          [(":method", "GET"), (":scheme", "https"), (":path", "/a.bin"), ("content-length", "5")],
        ] {
          try await client.send(client.block(fields, on: stream))
          let answer = try await client.answers([stream])[stream]
          #expect(answer?.reset ?? 0 != 0 || ["400", "404", "413"].contains(answer?.status), "\(fields)")
          stream += 2
          // The others are not disturbed.
          #expect(try await client.get("/a.bin", on: stream).status == "200", "\(fields)")
          stream += 2
        }
        client.channel.close(promise: nil)
      }
    }

    @Test func `bodies that nobody asked for are not kept`() async throws {
      try await withFile { port in
        let client = try await RawHTTP2(port)
        try await client.send(client.head("/none", on: 1, method: "POST", ends: false))
        for _ in 0..<3 {
          try await client.send(Frame(kind: .data, stream: 1, payload: Array(repeating: 1, count: 16_384)))
        }
        let answer = try await client.answers([1])[1]
        #expect(answer?.status == "405" || answer?.reset != nil)
        #expect(try await client.get("/a.bin", on: 3).status == "200")
        client.channel.close(promise: nil)
      }
    }

    @Test func `a flood of small requests keeps no other client waiting`() async throws {
      try await withFile { port in
        let client = try await RawHTTP2(port)
        #expect(try await client.get("/a.bin", on: 1).status == "200")
        let streams = (1...2000).map { 2 * $0 + 1 }
        // Ninety at a time: a hundred may be under way.
        for part in stride(from: 0, to: streams.count, by: 90) {
          let some = Array(streams[part..<min(part + 90, streams.count)])
          try await client.send(try some.map { try client.head("/a.bin", on: $0) })
          #expect(try await client.answers(Set(some)).values.allSatisfy { $0.status == "200" && $0.body.count == 100 })
          let other = try await RawHTTP2(port)
          #expect(try await other.get("/a.bin", on: 1).status == "200")
          other.channel.close(promise: nil)
        }
        client.channel.close(promise: nil)
      }
    }
  }

  extension RawHTTP2 {
    /// A head of these fields alone.
    fileprivate func block(_ fields: [(String, String)], on stream: Int) throws -> Frame {
      // Literals that change no table: what is refused may not have been read.
      var payload: [UInt8] = []
      for (name, value) in fields {
        payload += [0, UInt8(name.utf8.count)] + Array(name.utf8)
        payload += [UInt8(value.utf8.count)] + Array(value.utf8)
      }
      return Frame(kind: .headers, flags: Frame.headersEnd | Frame.ends, stream: stream, payload: payload)
    }
  }

  /// The value of a metric of a server that speaks TLS.
  private func metricOverTLS(_ name: String, _ port: Int) async throws -> Int {
    let client = try await RawHTTP2(port)
    let text = String(decoding: try await client.get("/-/stats?format=prometheus", on: 1).body, as: UTF8.self)
    client.channel.close(promise: nil)
    try await client.channel.closeFuture.outcome()
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
    return line.flatMap { Int($0.dropFirst(name.count + 1)) } ?? -1
  }
#endif
