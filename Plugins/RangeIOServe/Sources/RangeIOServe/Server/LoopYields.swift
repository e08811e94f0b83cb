#if Serve
  internal import CRangeIOSystem
  internal import NIOCore
  internal import NIOPosix
  internal import RangeIO
  internal import SystemPackage

  /// Lets tasks that run on an event loop yield to it: a task that yields goes on when the loop has looked at all
  /// connections.
  ///
  /// `Task.yield()` does not do that: SwiftNIO runs what is submitted to a loop until nothing is left, and looks at sockets
  /// only then. So tasks that yield to each other keep every other connection waiting. Here a byte goes through a pipe that
  /// the loop watches like a connection, one byte for all that wait.
  final class LoopYields: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let queue = Locked(YieldQueue<CheckedContinuation<Void, Never>>())
    private let byte = ByteBuffer(bytes: [0])

    private init() {}

    /// Yields to `loop`, and their pipe. Closing the pipe ends them.
    ///
    /// - Throws: `ReadError` if no descriptors are left.
    static func make(on loop: any EventLoop) async throws -> (LoopYields, pipe: any Channel) {
      let yields = LoopYields()
      let ends = try ends()
      do {
        let pipe = try await NIOPipeBootstrap(group: loop)
          .channelInitializer { $0.pipeline.addHandler(yields) }
          .takingOwnershipOfDescriptors(input: ends.reading, output: ends.writing).result()
        return (yields, pipe)
      } catch {
        // Not taken over then.
        _ = rio_close(ends.reading)
        _ = rio_close(ends.writing)
        throw error
      }
    }

    /// The ends of a new pipe, which programs that this one starts do not inherit.
    static func ends() throws(ReadError) -> (reading: CInt, writing: CInt) {
      var ends: (reading: CInt, writing: CInt) = (-1, -1)
      let result = rio_pipe(&ends.reading, &ends.writing)
      guard result >= 0 else {
        throw ReadError.errno(Errno(rawValue: -result), "make a pipe", source: "the server")
      }
      return ends
    }

    /// Suspends until the loop has looked at its connections. Other waiters may come first, in their order.
    func next(_ pipe: any Channel) async {
      await withCheckedContinuation { continuation in
        switch queue.withLock({ $0.wait(continuation) }) {
        case .wait: break
        case .ask: pipe.writeAndFlush(byte, promise: nil)
        case .pass: continuation.resume()
        }
      }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let (next, asks) = queue.withLock { $0.looked() }
      if asks { context.writeAndFlush(NIOAny(byte), promise: nil) }
      for waiter in next { waiter.resume() }
    }

    func channelInactive(context: ChannelHandlerContext) {
      for waiter in queue.withLock({ $0.close() }) { waiter.resume() }
      context.fireChannelInactive()
    }
  }
#endif
