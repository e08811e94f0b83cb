#if Serve
  internal import HummingbirdCore
  internal import Logging
  internal import NIOCore
  internal import NIOHTTPTypes
  internal import NIOHTTPTypesHTTP1

  /// A connection of HTTP/1.1, within the limits of its client, answered on its own event loop.
  struct ConnectionChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let connection: HTTP1Channel
    let clients: ClientLedger
    let executors: LoopExecutors

    /// The client has too many connections.
    struct Refused: Error {}

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
      let client = channel.client
      guard clients.connect(client) else {
        // The failure alone would leave it open for good.
        channel.close(promise: nil)
        return channel.eventLoop.makeFailedFuture(Refused())
      }
      channel.closeFuture.whenComplete { [clients] _ in clients.disconnect(client) }
      return connection.setup(channel: channel, logger: logger).flatMapThrowing { value in
        let pipeline = channel.pipeline.syncOperations
        let codec = try pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self)
        try pipeline.addHandler(PersistenceHandler(), position: .before(codec.handler))
        return value
      }
    }

    func handle(value: Value, logger: Logger) async {
      // Ends with the connection: an answer to a client that has left need not be read to its end.
      let task = Task(executorPreference: executors.executor(of: value.channel.eventLoop)) {
        await connection.handle(value: value, logger: logger)
      }
      value.channel.closeFuture.whenComplete { _ in task.cancel() }
      await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
        value.channel.pipeline.fireUserInboundEventTriggered(DeadlineHandler.CutOff())
      }
    }
  }

  extension Channel {
    /// The address of the client, without its port.
    var client: String { remoteAddress?.ipAddress ?? "local" }
  }
#endif
