#if Serve && HTTP
  import Foundation
  import HTTPTypes
  import Logging
  import NIOCore
  import NIOEmbedded
  import NIOHTTP1
  import NIOHTTPTypes
  import RangeIO
  import RangeIOHTTPTestServer
  import RangeIOTesting
  import Testing

  @testable import RangeIOServe

  /// Requests that are read before SwiftNIO's parser, and answered past its encoder, as these would.
  struct PlainRequestTests {
    private static let head = "GET /object?x=1 HTTP/1.1\r\nHost: localhost:8080\r\n"

    @Test(arguments: [
      "", "Connection: keep-alive\r\n", "Range: bytes=0-5\r\nrange: bytes=7-\r\n", "A!#$%&'*+-.^_`|~9: x y  z\r\n",
      "Accept: */*\r\nUser-Agent: a (b; c) \"d\"\r\nCookie: a=b; c=d\r\n",
    ])
    func `what most requests are is plain`(fields: String) throws {
      for method in ["GET", "HEAD"] {
        let text = method + Self.head.dropFirst(3) + fields + "\r\n"
        let plain = try #require(PlainHead(ByteBuffer(string: text + "GET /next HTTP/1.1\r\n")), "\(text)")
        #expect(plain.count == text.utf8.count)
        #expect(plain.request.method.rawValue == method && plain.request.path == "/object?x=1")
        #expect(plain.request.authority == "localhost:8080")
        #expect(!plain.request.headerFields.contains(.connection))
      }
    }

    @Test(arguments: [
      "Connection: close\r\n", "Connection: keep-alive, TE\r\n", "connection: Upgrade\r\nUpgrade: h2c\r\n",
      "Upgrade: h2c\r\n", "Proxy-Connection: close\r\n",
      "Content-Length: 0\r\n", "Transfer-Encoding: chunked\r\n", "Expect: 100-continue\r\n", "TE: trailers\r\n",
      "Host: other\r\n", "a:b\r\n", "a: \r\n", "a:  b\r\n", "a: b \r\n", "a : b\r\n", " a: b\r\n", ": b\r\n", "a\r\n",
      "a: b\n",
      "a: b\tc\r\n", "a: é\r\n", "a: \u{0}\r\n", "a: b\rc\r\n", "é: b\r\n",
      String(repeating: "a: b\r\n", count: 65), "a: " + String(repeating: "b", count: 8192) + "\r\n",
    ])
    func `anything else is left to the parser`(fields: String) {
      #expect(PlainHead(ByteBuffer(string: Self.head + fields + "\r\n")) == nil)
    }

    @Test func `no part of a head is plain, nor one that begins otherwise`() {
      let whole = Self.head + "Range: bytes=0-5\r\n\r\n"
      for count in 0..<whole.utf8.count { #expect(PlainHead(ByteBuffer(bytes: whole.utf8.prefix(count))) == nil) }
      for line in [
        "POST / HTTP/1.1", "get / HTTP/1.1", "GET  / HTTP/1.1", "GET / HTTP/1.0", "GET / HTTP/1.1 ", "GET /",
        "GET * HTTP/1.1",
        "GET http://a/ HTTP/1.1", "GET / HTTP/2.0", "GET /a b HTTP/1.1", "GET /é HTTP/1.1", "\r\nGET / HTTP/1.1",
        "GET\t/ HTTP/1.1",
      ] {
        #expect(PlainHead(ByteBuffer(string: line + "\r\nHost: a\r\n\r\n")) == nil, "\(line)")
      }
      #expect(PlainHead(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n")) == nil, "without Host")
    }

    /// What the handlers that follow the parser make of some bytes.
    private final class Parser {
      private let channel = EmbeddedChannel()

      init() throws {
        try channel.pipeline.syncOperations.addHandlers([
          ByteToMessageHandler(HTTPRequestDecoder()), PersistenceHandler(), HTTP1Codec(),
        ])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
      }

      func read(_ bytes: ByteBuffer) throws -> [HTTPRequestPart] {
        // `try?`: what the parser has refused is thrown here once more.
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.writeInbound(bytes)
        var parts: [HTTPRequestPart] = []
        while let part = try channel.readInbound(as: HTTPRequestPart.self) { parts.append(part) }
        return parts
      }
    }

    /// Twenty for each read of a liar, so a million in `make verify`.
    @Test func `whatever is plain SwiftNIO's parser reads the same, of odd heads, too`() throws {
      print("plain heads: seed \(RunScale.seed)")
      var random = SeededGenerator(seed: RunScale.seed)
      let pieces = [
        "GET ", "HEAD ", "/", "/a%20b", "?q=1&r", "#f", "//", " HTTP/1.1\r\n", "Host: a\r\n", "host: [::1]:80\r\n",
        "Range: bytes=1-2\r\n",
        "If-Range: \"x\"\r\n", "connection: Keep-Alive\r\n", "Connection: close\r\n", "Content-Length: 3\r\n", "\r\n",
        "\r", "\n", ":", " ",
        "\t", "a", "Z", "{", "\"", "\\", "x-y: z\r\n", "Proxy-Connection: close\r\n", "Upgrade: websocket\r\n",
        "Transfer-Encoding: chunked\r\n",
        "GET / HTTP/1.1\r\n",
      ]
      var plain = 0
      for _ in 0..<RunScale.reads * 20 {
        var text = Int.random(in: 0..<8, using: &random) == 0 ? "" : "GET /a HTTP/1.1\r\nHost: b\r\n"
        for _ in 0..<Int.random(in: 0..<6, using: &random) {
          text += pieces[Int.random(in: 0..<pieces.count, using: &random)]
        }
        if Int.random(in: 0..<8, using: &random) > 0 { text += "\r\n" }
        var bytes = Array(text.utf8)
        if !bytes.isEmpty, Int.random(in: 0..<3, using: &random) == 0 {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        guard let head = PlainHead(ByteBuffer(bytes: bytes)) else { continue }
        plain += 1
        let parts = try Parser().read(ByteBuffer(bytes: bytes.prefix(head.count)))
        guard parts.count == 2, case .head(let request) = parts[0], case .end(nil) = parts[1] else {
          Issue.record("\(parts) of \(text.debugDescription)")
          continue
        }
        #expect(request == head.request, "\(text.debugDescription)")
      }
      #expect(plain > RunScale.reads)
    }

    /// A connection with all its handlers but the last, whose object was looked for.
    private struct Connection {
      let channel = EmbeddedChannel()
      private let seen = Seen()

      /// What came through the parser.
      private final class Seen: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        var heads = 0
        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
          if case .head = unwrapInboundIn(data) { heads += 1 }
          context.fireChannelRead(data)
        }
      }
      var parsedHeads: Int { seen.heads }

      init(_ responder: Responder, isPlain: Bool) throws {
        let client = ConnectedClient(channel, nil, address: "local", isLocal: true)
        let deadline = DeadlineHandler(headTimeout: .seconds(9), stallTimeout: .seconds(9))
        let ready = ReadyHandler(responder, client: client)
        let pipeline = channel.pipeline.syncOperations
        if isPlain { try pipeline.addHandler(PlainRequestHandler(ready, deadline)) }
        try pipeline.addHandlers([HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder())])
        try pipeline.addHandlers([seen, PersistenceHandler(), HTTP1Codec(), deadline, ready])
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
      }

      /// What is sent after these bytes came.
      func sent(after bytes: String) throws -> [UInt8] {
        try channel.writeInbound(ByteBuffer(string: bytes))
        channel.pipeline.fireChannelReadComplete()
        var sent: [UInt8] = []
        while let data = try channel.readOutbound(as: ByteBuffer.self) { sent += Array(data.readableBytesView) }
        return sent
      }

      /// The heads that nothing answered.
      func passedOn() throws -> Int {
        var heads = 0
        while let part = try channel.readInbound(as: HTTPRequestPart.self) { if case .head = part { heads += 1 } }
        return heads
      }
    }

    /// Runs `body` with what answers for an object, of so many bytes, that was looked for.
    private func withResponder(_ byteCount: Int, _ body: (Responder) throws -> Void) async throws {
      let source = SyntheticSource(byteCount: byteCount)
      let upstream = ObjectUpstream(freshness: .seconds(3600)) {
        try await RangeReader(source, [.caching(MemoryStore(limit: .mebibytes(8)))], onChange: .refresh)
      }
      let mounts = Mounts([("object", upstream)], maxOpenObjects: 1, maxReaders: 1, time: .continuous)
      guard case .below(let pool, _) = try mounts.place(of: ["object"]) else { return #expect(Bool(false)) }
      guard case .object(let object) = try await pool.find([]) else { return #expect(Bool(false)) }
      _ = try await object.snapshot.read(0..<byteCount)
      let ledger = ClientLedger(maxConnectionsPerClient: 9, maxRequestsPerClient: 9, maxRequests: 10)
      var configuration = RangeServer.Configuration()
      configuration.allowedOrigins = ["https://a.example"]
      try body(
        Responder(
          mounts: mounts, configuration: configuration, clients: ledger, statistics: { [:] },
          logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
      await mounts.close()
    }

    private static func withoutDate(_ bytes: [UInt8]) -> String {
      // The second may change in between.
      String(decoding: bytes, as: UTF8.self).replacing(/Date: [^\r]*\r\n/, with: "")
    }

    @Test(arguments: [0, 1, 5000, 16 << 10, (16 << 10) + 1, 100_000])
    func `answers are the same byte for byte as through the parser and the encoder`(byteCount: Int) async throws {
      try await withResponder(byteCount) { responder in
        let (plain, parsed) = (
          try Connection(responder, isPlain: true), try Connection(responder, isPlain: false)
        )
        var count = 0
        for method in ["GET", "HEAD"] {
          for fields in [
            "", "Range: bytes=0-99\r\n", "Range: bytes=-7\r\n", "Range: bytes=999999-\r\n", "If-None-Match: *\r\n",
            "If-Match: \"x\"\r\n",
            "Origin: https://a.example\r\n", "Range: bytes=0-0\r\nIf-Range: \"x\"\r\n", "Connection: keep-alive\r\n",
          ] {
            for query in ["", "?download"] {
              let text = "\(method) /object\(query) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
              let (first, second) = (try plain.sent(after: text), try parsed.sent(after: text))
              #expect(Self.withoutDate(first) == Self.withoutDate(second) && !first.isEmpty, "\(text)")
              count += 1
            }
          }
        }
        #expect(plain.parsedHeads == 0 && parsed.parsedHeads == count)
        #expect(try plain.passedOn() == 0 && parsed.passedOn() == 0)
        _ = try plain.channel.finish(acceptAlreadyClosed: true)
        _ = try parsed.channel.finish(acceptAlreadyClosed: true)
      }
    }

    @Test func `a connection remembers only objects that are there`() async throws {
      try await withResponder(10) { responder in
        var lately: ReadyTarget?
        func ask(_ path: String) -> Bool {
          let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: path)
          return responder.readyAnswer(to: head, lately: &lately) != nil
        }
        // Of names the server keeps thirty times the bytes.
        #expect(!ask("/object" + String(repeating: "/a", count: 4000)) && (lately == nil))
        #expect(!ask("/object?" + String(repeating: "x", count: Responder.maxTarget)) && (lately == nil))
        #expect(ask("/object?x") && lately != nil)
        #expect(ask("/object?x") && ask("/object"))
      }
    }

    @Test func `requests keep their order, whoever reads them`() async throws {
      try await withResponder(10) { responder in
        func get(_ range: String, _ more: String = "") -> String {
          "GET /object HTTP/1.1\r\nHost: localhost\r\nRange: bytes=\(range)\r\n\(more)\r\n"
        }
        func ranges(_ bytes: [UInt8]) -> [String] {
          Self.withoutDate(bytes).matches(of: /Content-Range: bytes ([^\/]*)/).map { String($0.1) }
        }
        // Three at once, and a part of a fourth, which ends plain reading for good.
        let one = try Connection(responder, isPlain: true)
        #expect(
          ranges(try one.sent(after: get("0-0") + get("1-1") + get("2-2") + get("3-3").prefix(20))) == [
            "0-0", "1-1", "2-2",
          ])
        #expect(one.parsedHeads == 0)
        #expect(ranges(try one.sent(after: get("3-3").dropFirst(20) + get("4-4"))) == ["3-3", "4-4"])
        #expect(one.parsedHeads == 2)
        // The parser is asked for the second one, and so for the third.
        let two = try Connection(responder, isPlain: true)
        #expect(
          ranges(try two.sent(after: get("0-0") + get("1-1", "TE: x\r\n") + get("2-2"))) == ["0-0", "1-1", "2-2"])
        #expect(two.parsedHeads == 2)
        // What must wait is passed on, and all that comes before it is answered, too; whoever answers says when that is so.
        let three = try Connection(responder, isPlain: true)
        let other = "GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n"
        #expect(ranges(try three.sent(after: get("0-0") + other + get("1-1"))) == ["0-0"])
        #expect(try three.passedOn() == 2 && three.parsedHeads == 2)
        for _ in 0..<2 {
          three.channel.write(HTTPResponsePart.head(HTTPResponse(status: .notFound)), promise: nil)
          three.channel.writeAndFlush(HTTPResponsePart.end(nil), promise: nil)
        }
        #expect(try three.sent(after: get("2-2")).count > 0 && three.parsedHeads == 2)
        // A name that is not ours, and a second one.
        for head in [get("0-0").replacing("localhost", with: "evil.example"), get("0-0", "Host: localhost\r\n")] {
          let other = try Connection(responder, isPlain: true)
          #expect(ranges(try other.sent(after: get("0-0") + head)) == ["0-0"])
          #expect(try other.passedOn() == 1)
          _ = try other.channel.finish(acceptAlreadyClosed: true)
        }
        for connection in [one, two, three] { _ = try connection.channel.finish(acceptAlreadyClosed: true) }
      }
    }
  }
#endif
