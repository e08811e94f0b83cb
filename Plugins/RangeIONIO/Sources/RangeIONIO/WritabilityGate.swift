#if NIO
  internal import NIOCore

  /// Lets a task wait until a channel is writable.
  // Unchecked: `state` is only used on the event loop.
  final class WritabilityGate: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias InboundIn = NIOAny

    private let eventLoop: any EventLoop
    private var state = Writability<EventLoopPromise<Void>>(isWritable: false)

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Suspends while the channel is not writable.
    ///
    /// - Throws: `CancellationError` at once when the task is cancelled; why the channel can no longer be written to.
    nonisolated(nonsending) func untilWritable() async throws {
      try Task.checkCancellation()
      let promise = eventLoop.makePromise(of: Void.self)
      try await withTaskCancellationHandler {
        eventLoop.execute {
          switch self.state.wait(promise) {
          case .pass: promise.succeed()
          case .wait: break
          case .fail(let error): promise.fail(error)
          }
        }
        try await promise.futureResult.get()
      } onCancel: {
        failed(CancellationError())
      }
    }

    /// Suspends until `write` has ended.
    ///
    /// - Throws: `CancellationError` at once when the task is cancelled; why it failed.
    nonisolated(nonsending) func end(of write: EventLoopFuture<Void>) async throws {
      try Task.checkCancellation()
      let promise = eventLoop.makePromise(of: Void.self)
      write.cascade(to: promise)
      try await withTaskCancellationHandler {
        try await promise.futureResult.get()
      } onCancel: {
        // The first of two answers counts.
        promise.fail(CancellationError())
      }
    }

    /// Ends the wait and all later ones with `error`, from any thread.
    func failed(_ error: any Error) {
      eventLoop.execute { self.state.failed(error)?.fail(error) }
    }

    func handlerAdded(context: ChannelHandlerContext) {
      state.changed(isWritable: context.channel.isWritable)?.succeed()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      state.changed(isWritable: context.channel.isWritable)?.succeed()
      context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
      state.failed(ChannelError.ioOnClosedChannel)?.fail(ChannelError.ioOnClosedChannel)
      context.fireChannelInactive()
    }

    /// Removed from the pipeline, it has nothing to wait for.
    func handlerRemoved(context: ChannelHandlerContext) {
      state.failed(ChannelError.ioOnClosedChannel)?.fail(ChannelError.ioOnClosedChannel)
    }
  }
#endif
