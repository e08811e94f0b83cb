#if Serve && HTTP
  import NIOCore
  import NIOHPACK
  import NIOPosix
  import NIOSSL
  import RangeIOServe
  import RangeIOHTTPTestServer
  import Testing

  /// A client of HTTP/2 that sends frames as they are, and tells those that come back: what a well-behaved one never shows.
  final class RawHTTP2 {
    struct Frame {
      var kind: Kind
      var flags: UInt8 = 0
      var stream = 0
      var payload: [UInt8] = []

      enum Kind: UInt8 {
        case data, headers, priority, reset, settings, push, ping, goAway, windowUpdate, continuation
      }

      /// Of data and headers: the stream ends. Of settings and pings: an answer to one.
      static let ends: UInt8 = 1
      static let acknowledges: UInt8 = 1
      static let headersEnd: UInt8 = 4

      /// The number that a reset has, or a farewell behind the number of the last stream.
      var code: UInt32 { number(at: kind == .goAway ? 4 : 0) }
      var lastStream: Int { Int(number(at: 0)) }

      private func number(at start: Int) -> UInt32 {
        payload.dropFirst(start).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
      }
    }

    struct Answer {
      var status = ""
      var fields: [String: String] = [:]
      var body: [UInt8] = []
      /// The code of a reset; `nil`: it came to its end.
      var reset: UInt32?
    }

    let channel: any Channel
    private var frames: AsyncStream<Frame>.AsyncIterator
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
    private var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
    /// The fields of the answers that have begun.
    private var heads: [Int: [String: String]] = [:]
    /// The last farewell of the server.
    private(set) var goAway: Frame?

    /// Connects, says hello, and grants each stream a window of so many bytes, and the connection as much as there is.
    init(_ port: Int, window: Int = 65_535, greets: Bool = true) async throws {
      var configuration = TLSConfiguration.makeClientConfiguration()
      configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(TestCertificate.pem.utf8)))
      configuration.applicationProtocols = ["h2"]
      let context = try NIOSSLContext(configuration: configuration)
      let (stream, frame) = AsyncStream<Frame>.makeStream()
      channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
            try channel.pipeline.syncOperations.addHandler(FrameReader(frame))
          }
        }
        .connect(host: "127.0.0.1", port: port).outcome()
      frames = stream.makeAsyncIterator()
      guard greets else { return }
      try await send(bytes: Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8))
      try await send(
        Frame(kind: .settings, payload: [0, 4] + Self.bytes(window)),
        Frame(kind: .windowUpdate, payload: Self.bytes(Int(Int32.max) - 65_535)))
    }

    func send(_ frames: Frame...) async throws { try await send(frames) }

    func send(_ frames: [Frame]) async throws {
      try await send(
        bytes: frames.flatMap { frame in
          Self.bytes(frame.payload.count)[1...] + [frame.kind.rawValue, frame.flags] + Self.bytes(frame.stream)
            + frame.payload
        })
    }

    func send(bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).outcome() }

    /// The head of a GET, and the end of its stream unless a body follows.
    func head(
      _ path: String, on stream: Int, _ fields: [(String, String)] = [], method: String = "GET",
      authority: String? = "localhost", ends: Bool = true
    ) throws -> Frame {
      let names =
        [(":method", method), (":scheme", "https"), (":path", path)] + (authority.map { [(":authority", $0)] } ?? [])
      var block = ByteBuffer()
      try encoder.encode(headers: HPACKHeaders(names + fields), to: &block)
      return Frame(
        kind: .headers, flags: Frame.headersEnd | (ends ? Frame.ends : 0), stream: stream,
        payload: Array(block.readableBytesView))
    }

    /// Asks, and reads the answer to its end.
    func get(_ path: String, on stream: Int, _ fields: [(String, String)] = [], method: String = "GET") async throws
      -> Answer
    {
      try await send(head(path, on: stream, fields, method: method))
      return try #require(try await answers([stream])[stream])
    }

    /// Reads the answers on these streams to their ends, and grants each as much as has come.
    func answers(_ streams: Set<Int>) async throws -> [Int: Answer] {
      var (answers, rest) = ([Int: Answer](), streams)
      while !rest.isEmpty, let frame = try await next() {
        var answer = answers[frame.stream] ?? Answer()
        switch frame.kind {
        case .headers:
          answer.fields = heads[frame.stream] ?? [:]
          answer.status = answer.fields[":status"] ?? ""
        case .data:
          answer.body += frame.payload
          if frame.flags & Frame.ends == 0, !frame.payload.isEmpty {
            // `try?`: a connection that ends meanwhile tells by having no more frames.
            try? await send(Frame(kind: .windowUpdate, stream: frame.stream, payload: Self.bytes(frame.payload.count)))
          }
        case .reset: answer.reset = frame.code
        default: continue
        }
        answers[frame.stream] = answer
        let hasEnded = frame.kind == .reset || frame.flags & Frame.ends != 0
        if hasEnded { rest.remove(frame.stream) }
      }
      return answers
    }

    /// The next frame, other than what keeps the connection; `nil`: the connection has ended.
    func next() async throws -> Frame? {
      while let frame = await frames.next(isolation: #isolation) {
        switch frame.kind {
        case .settings where frame.flags & Frame.acknowledges == 0:
          // `try?`: a connection that ends meanwhile tells by having no more frames.
          try? await send(Frame(kind: .settings, flags: Frame.acknowledges))
        case .settings, .windowUpdate: break
        case .headers:
          // Each block changes what the next ones mean.
          var block = ByteBuffer(bytes: frame.payload)
          for (name, value, _) in try decoder.decodeHeaders(from: &block) {
            heads[frame.stream, default: [:]][name] = value
          }
          return frame
        case .goAway:
          goAway = frame
          return frame
        default: return frame
        }
      }
      return nil
    }

    /// Reads until the connection ends, and tells the farewell of the server.
    func untilEnd() async throws -> Frame? {
      while try await next() != nil {}
      return goAway
    }

    static func bytes(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
  }

  /// Cuts what comes into frames.
  private final class FrameReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let frames: AsyncStream<RawHTTP2.Frame>.Continuation
    private var buffer = ByteBuffer()

    init(_ frames: AsyncStream<RawHTTP2.Frame>.Continuation) { self.frames = frames }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var came = unwrapInboundIn(data)
      buffer.writeBuffer(&came)
      while let head = buffer.getBytes(at: buffer.readerIndex, length: 9) {
        let length = head[..<3].reduce(0) { $0 << 8 | Int($1) }
        guard buffer.readableBytes >= 9 + length else { break }
        buffer.moveReaderIndex(forwardBy: 9)
        let payload = buffer.readBytes(length: length) ?? []
        guard let kind = RawHTTP2.Frame.Kind(rawValue: head[3]) else { continue }
        let stream = head[5...].reduce(0) { $0 << 8 | Int($1) }
        frames.yield(RawHTTP2.Frame(kind: kind, flags: head[4], stream: stream, payload: payload))
      }
      buffer.discardReadBytes()
    }

    func channelInactive(context: ChannelHandlerContext) { frames.finish() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      frames.finish()
      context.close(promise: nil)
    }
  }

  /// Runs a server that speaks TLS on a free port.
  func withTLSServer<Result: Sendable>(
    _ upstream: any ServedUpstream, _ configure: (inout RangeServer.Configuration) -> Void = { _ in },
    _ body: (_ port: Int, RangeServer) async throws -> Result
  ) async throws -> Result {
    let folder = try ServedFolder()
    try folder.write(Array((TestCertificate.pem + "\n" + TestCertificate.key).utf8), to: ".both.pem")
    let certificate = try ServerCertificate(certificatePath: folder.path + "/.both.pem")
    return try await withServer([("", upstream)]) {
      $0.certificate = certificate
      configure(&$0)
    } _: { port, server in
      try await body(port, server)
    }
  }
#endif
