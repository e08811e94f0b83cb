#if Serve
  internal import HummingbirdCore
  internal import Logging
  internal import NIOCore
  internal import NIOHTTPTypes
  internal import NIOHTTPTypesHTTP1

  /// A connection of HTTP/1.1, within the limits of its client, answered on its own event loop.
  struct ConnectionChannel: ServerChildChannel {
    struct Value: ServerChildChannelValue {
      let http: HTTP1Channel.Value
      let client: ConnectedClient

      var channel: any Channel { http.channel }
    }

    let responder: Responder
    let executors: LoopExecutors

    /// The client has too many connections, or has left.
    struct Refused: Error {}

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
      let clients = responder.clients
      guard let client = ConnectedClient(channel, executors.executor(of: channel.eventLoop)),
        clients.connect(client.address)
      else {
        // The failure alone would leave it open for good.
        channel.close(promise: nil)
        return channel.eventLoop.makeFailedFuture(Refused())
      }
      channel.closeFuture.whenComplete { _ in clients.disconnect(client.address) }
      if let certificate = responder.configuration.certificate {
        do { try channel.pipeline.syncOperations.addHandler(certificate.makeHandler()) } catch {
          channel.close(promise: nil)
          return channel.eventLoop.makeFailedFuture(error)
        }
      }
      return http(for: client).setup(channel: channel, logger: logger).flatMapThrowing { value in
        // A server that stops drops connections that it has not taken yet, and a channel of SwiftNIO that is dropped while it
        // is open ends the process. When this one has closed it may be.
        channel.closeFuture.whenComplete { _ in withExtendedLifetime(value) {} }
        let pipeline = channel.pipeline.syncOperations
        let codec = try pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self)
        try pipeline.addHandler(PersistenceHandler(), position: .before(codec.handler))
        return Value(http: value, client: client)
      }
    }

    func handle(value: Value, logger: Logger) async {
      // Ends with the connection: an answer to a client that has left need not be read to its end.
      let task = Task(executorPreference: executors.executor(of: value.channel.eventLoop)) {
        await http(for: value.client).handle(value: value.http, logger: logger)
      }
      value.channel.closeFuture.whenComplete { _ in task.cancel() }
      await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
        value.channel.pipeline.fireUserInboundEventTriggered(DeadlineHandler.CutOff())
      }
    }

    private func http(for client: ConnectedClient) -> HTTP1Channel {
      let limits = responder.configuration
      var configuration = HTTP1Channel.Configuration(
        additionalChannelHandlers: [
          DeadlineHandler(headTimeout: limits.headTimeout, stallTimeout: limits.stallTimeout),
          ReadyHandler(responder, client: client),
        ])
      configuration.httpDecoder = .init(
        maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100)
      return HTTP1Channel(
        responder: { [responder] request, writer, _ in try await responder.respond(to: request, writer, client) },
        configuration: configuration)
    }
  }
#endif
