#if Serve
  internal import HTTPTypes
  internal import HummingbirdCore
  internal import Logging
  internal import NIOCore
  internal import NIOHTTP1
  internal import NIOHTTP2
  internal import NIOHTTPTypes
  internal import NIOHTTPTypesHTTP1

  /// A connection, within the limits of its client, answered on its own event loop: in HTTP/1.1, and with TLS in HTTP/2 if the
  /// client knows it (RFC 7301).
  struct ConnectionChannel: Sendable {
    typealias Negotiated = NIONegotiatedHTTPVersion<HTTP1Channel.Value, Streams>
    struct Value: Sendable {
      let channel: any Channel
      let client: ConnectedClient
      let negotiated: EventLoopFuture<Negotiated>
    }

    let responder: Responder
    let executors: LoopExecutors
    let logger: Logger

    /// The client has too many connections, or has left.
    struct Refused: Error {}

    func setup(_ channel: any Channel) -> EventLoopFuture<Value> {
      let clients = responder.clients
      guard let client = ConnectedClient(channel, executors.executor(of: channel.eventLoop)),
        clients.connect(client.network)
      else {
        // The failure alone would leave it open for good.
        channel.close(promise: nil)
        return channel.eventLoop.makeFailedFuture(Refused())
      }
      channel.closeFuture.whenComplete { _ in clients.disconnect(client.network) }
      guard let certificate = responder.configuration.certificate else {
        return setupHTTP1(channel, client).map { value in
          Value(channel: channel, client: client, negotiated: channel.eventLoop.makeSucceededFuture(.http1_1(value)))
        }
      }
      do {
        let limit = responder.configuration.headTimeout
        try channel.pipeline.syncOperations.addHandlers([certificate.makeHandler(), HandshakeHandler(limit: limit)])
      } catch {
        channel.close(promise: nil)
        return channel.eventLoop.makeFailedFuture(error)
      }
      return channel.configureHTTP2AsyncSecureUpgrade { channel in
        setupHTTP1(channel, client)
      } http2ConnectionInitializer: { channel in
        setupHTTP2(channel, client)
      }.map { Value(channel: channel, client: client, negotiated: $0) }
    }

    private func setupHTTP1(_ channel: any Channel, _ client: ConnectedClient) -> EventLoopFuture<HTTP1Channel.Value> {
      http1(for: client).setup(channel: channel, logger: logger).flatMapThrowing { value in
        value.keepUntilClosed()
        let pipeline = channel.pipeline.syncOperations
        let codec = try pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self)
        try pipeline.addHandlers([PersistenceHandler(), HTTP1Codec()], position: .before(codec.handler))
        pipeline.removeHandler(context: codec, promise: nil)
        let plain = PlainRequestHandler(
          try pipeline.handler(type: ReadyHandler.self), try pipeline.handler(type: DeadlineHandler.self))
        let encoder = try pipeline.handler(type: HTTPResponseEncoder.self)
        try pipeline.addHandler(plain, position: .before(encoder))
        return value
      }
    }

    func handle(_ value: Value) async {
      await run(value.channel) {
        // `try?`: a client that has left, or with whom nothing can be agreed upon, gets no answer.
        switch try? await value.negotiated.result() {
        case .http1_1(let http): await http1(for: value.client).handle(value: http, logger: logger)
        case .http2(let streams): await answer(streams)
        case nil: value.channel.close(promise: nil)
        }
      } onCancel: {
        value.channel.pipeline.fireUserInboundEventTriggered(DeadlineHandler.CutOff())
      }
    }

    /// Runs `work` on the event loop of `channel`, and cancels it when that closes: an answer to a client that has left need not be
    /// read to its end.
    func run(
      _ channel: any Channel, _ work: @escaping @Sendable () async -> Void,
      onCancel cutOff: @escaping @Sendable () -> Void = {}
    ) async {
      let task = Task(executorPreference: executors.executor(of: channel.eventLoop)) { await work() }
      channel.closeFuture.whenComplete { _ in task.cancel() }
      await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
        cutOff()
      }
    }

    private func http1(for client: ConnectedClient) -> HTTP1Channel {
      let limits = responder.configuration
      var configuration = HTTP1Channel.Configuration(
        additionalChannelHandlers: [
          DeadlineHandler(headTimeout: limits.headTimeout, stallTimeout: limits.stallTimeout),
          ReadyHandler(responder, client: client),
        ])
      configuration.httpDecoder = .init(
        maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: Self.maxHead, maxHeaderFieldCount: 100)
      return HTTP1Channel(
        responder: { [responder] request, writer, _ in try await responder.respond(to: request.head, writer, client) },
        configuration: configuration)
    }

    /// The most bytes of a head.
    static let maxHead = 32 * 1024
  }

  extension NIOAsyncChannel {
    /// A server that stops drops connections that it has not taken yet, and a channel of SwiftNIO that is dropped while it is
    /// open ends the process. When this one has closed it may be.
    func keepUntilClosed() { channel.closeFuture.whenComplete { _ in withExtendedLifetime(self) {} } }
  }
#endif
