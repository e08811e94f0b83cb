#if Serve
  internal import HummingbirdCore
  internal import Logging
  internal import NIOCore
  internal import NIOHTTP2
  internal import NIOHTTPTypes
  internal import NIOHTTPTypesHTTP2

  extension ConnectionChannel {
    /// A stream of HTTP/2: one request and its answer.
    struct Stream: Sendable {
      let parts: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>
      let client: ConnectedClient
    }
    typealias Streams = NIOHTTP2Handler.AsyncStreamMultiplexer<Stream>

    /// What a connection of HTTP/2 may do; the limits of the client hold for its streams as for requests.
    ///
    /// Beside these: a head in more than six frames, a second empty frame of data and 200 errors end a connection.
    private static var limits: NIOHTTP2Handler.Configuration {
      var limits = NIOHTTP2Handler.Configuration()
      limits.connection.initialSettings = [
        HTTP2Setting(parameter: .maxConcurrentStreams, value: 100),
        HTTP2Setting(parameter: .maxHeaderListSize, value: maxHead),
      ]
      limits.connection.maximumSequentialContinuationFrames = 5
      limits.connection.maximumBufferedControlFrames = 1000
      // What a client sends on a stream before it hears that the server has ended it is no error.
      limits.connection.maximumRecentlyResetStreams = 100
      // Viewers of maps take back dozens in a second; hundreds in each of many seconds are an attack (CVE-2023-44487).
      limits.stream.streamResetFrameRateLimit.maximumCount = 1000
      limits.stream.streamResetFrameRateLimit.windowLength = .seconds(30)
      // They also tell of each tile which comes first (RFC 9113, section 5.3.2).
      limits.connection.controlFrameRateLimit.maximumCount = 1000
      // What waits in a stream for its client, before its answer waits too.
      limits.stream.outboundBufferSizeHighWatermark = Responder.maxUncounted
      limits.stream.outboundBufferSizeLowWatermark = Responder.maxUncounted / 2
      return limits
    }

    func setupHTTP2(_ channel: any Channel, _ client: ConnectedClient) -> EventLoopFuture<Streams> {
      channel.eventLoop.makeCompletedFuture {
        let turn = LoopTurn()
        let handler = HTTP2ConnectionHandler(
          idleTimeout: responder.configuration.headTimeout, turn, on: channel.eventLoop)
        let observer = HTTP2ConnectionHandler.Observer(handler)
        let streams = try channel.pipeline.syncOperations.configureAsyncHTTP2Pipeline(
          mode: .server, streamDelegate: observer, frameDelegate: observer, configuration: Self.limits
        ) { stream in
          stream.eventLoop.makeCompletedFuture { try setup(stream, of: client.on(stream), turn) }
        }
        try channel.pipeline.syncOperations.addHandler(handler)
        return streams
      }
    }

    /// The client has too many streams: this one is reset.
    private struct HasTooMany: Error {}

    private func setup(_ stream: any Channel, of client: ConnectedClient, _ turn: LoopTurn) throws -> Stream {
      let limits = responder.configuration
      guard responder.clients.openStream(client.network) else { throw HasTooMany() }
      stream.closeFuture.whenComplete { [responder] _ in responder.clients.closeStream(client.network) }
      try stream.pipeline.syncOperations.addHandlers([
        HTTP2FramePayloadToHTTPServerCodec(), HTTP2StreamHandler(),
        DeadlineHandler(headTimeout: limits.headTimeout, stallTimeout: limits.stallTimeout),
        ReadyHandler(responder, client: client, sharing: turn),
      ])
      let parts = try NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>(wrappingChannelSynchronously: stream)
      parts.keepUntilClosed()
      return Stream(parts: parts, client: client)
    }

    /// Answers all streams of a connection, until it ends.
    func answer(_ streams: Streams) async {
      await withDiscardingTaskGroup { group in
        do {
          for try await stream in streams.inbound {
            group.addTask { await run(stream.parts.channel) { await answer(stream) } }
          }
        } catch {
          // The connection has ended.
        }
      }
    }

    private func answer(_ stream: Stream) async {
      do {
        try await stream.parts.executeThenClose { inbound, outbound in
          var parts = inbound.makeAsyncIterator()
          // There is none if it was answered on the event loop, or taken back.
          guard case .head(let head)? = try await parts.next() else { return }
          do {
            try await responder.respond(to: head, ResponseWriter(outbound: outbound), stream.client)
          } catch is Responder.ConnectionIsSpent {
            // Of HTTP/1.1; a stream is spent with each request.
          }
          // It ends when the client has the answer.
          while try await parts.next() != nil {}
        }
      } catch {
        logger.trace("a stream has ended", metadata: ["error": "\(error)"])
      }
    }
  }
#endif
