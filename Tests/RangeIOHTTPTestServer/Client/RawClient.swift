#if HTTP

  import NIOCore
  import NIOPosix
  import NIOSSL

  /// Sends bytes as they are and tells what came back, so that tests of servers see the wire.
  public enum RawClient {
    /// What came back on a connection.
    public struct Received: Sendable, Hashable {
      /// All bytes.
      public var bytes: [UInt8]
      /// How it ended.
      public var end: End

      /// Creates what a test expects.
      public init(bytes: [UInt8], end: End) {
        self.bytes = bytes
        self.end = end
      }

      /// How a connection ended.
      public enum End: Hashable, Sendable {
        /// By the end of the stream; with TLS, after close_notify.
        case closed
        /// With TLS, without close_notify.
        case closedWithoutNotify
        /// By a reset or another error.
        case reset
        /// Not: the bytes that were waited for are there.
        case open
      }

      /// All bytes as text.
      public var text: String { String(decoding: bytes, as: UTF8.self) }

      /// What stands before the first empty line, and what after it.
      public var parts: (head: String, body: [UInt8]) {
        for index in bytes.indices where bytes[index...].starts(with: [13, 10, 13, 10]) {
          return (String(decoding: bytes[..<index], as: UTF8.self), Array(bytes[(index + 4)...]))
        }
        return (text, [])
      }
    }

    /// Sends `text` to `port` of 127.0.0.1 and collects what comes back, until the connection ends or `count` bytes are
    /// there.
    public static func exchange(
      _ text: String, port: Int, isTLS: Bool = false, until count: Int = .max
    ) async throws -> Received {
      let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
      let promise = eventLoop.makePromise(of: Received.self)
      let tls = isTLS ? try clientContext() : nil
      let channel: any Channel
      do {
        channel = try await ClientBootstrap(group: eventLoop)
          .channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
              if let tls {
                try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: tls, serverHostname: nil))
              }
              try channel.pipeline.syncOperations.addHandler(RawHandler(promise, count))
            }
          }
          .connect(host: "127.0.0.1", port: port).outcome()
      } catch {
        promise.fail(error)
        throw error
      }
      // A server that resets at once fails the write: what came back tells.
      channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
      let received = try await promise.futureResult.outcome()
      channel.close(promise: nil)
      return received
    }

    private static func clientContext() throws -> NIOSSLContext {
      var configuration = TLSConfiguration.makeClientConfiguration()
      configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(TestCertificate.pem.utf8)))
      return try NIOSSLContext(configuration: configuration)
    }
  }

  /// Collects what a connection receives.
  private final class RawHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let promise: EventLoopPromise<RawClient.Received>
    private let count: Int
    private var received = RawClient.Received(bytes: [], end: .closed)
    private var isDone = false

    init(_ promise: EventLoopPromise<RawClient.Received>, _ count: Int) {
      self.promise = promise
      self.count = count
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      received.bytes += unwrapInboundIn(data).readableBytesView
      if received.bytes.count >= count { finish(.open) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      if case NIOSSLError.uncleanShutdown = error {
        finish(.closedWithoutNotify)
      } else {
        finish(.reset)
      }
      context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { finish(.closed) }

    private func finish(_ end: RawClient.Received.End) {
      guard !isDone else { return }
      isDone = true
      received.end = end
      promise.succeed(received)
    }
  }

#endif
