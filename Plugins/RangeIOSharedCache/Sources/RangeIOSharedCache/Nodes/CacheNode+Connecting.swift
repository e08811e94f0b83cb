#if SharedCache
  internal import NIOConcurrencyHelpers
  internal import NIOCore
  internal import NIOPosix
  internal import RangeIO

  // The connections to a node. All of it happens on the node's event loop.

  extension CacheNode {
    /// A few values of the usual size: fewer calls of the system, and the buffer is used again.
    private static let receivedAtOnce = 256 * 1024
    /// The most time until a connection beside others is tried again, in nanoseconds.
    private static let furtherPause: Int64 = 1_000_000_000

    func connectIfNeeded() {
      let isBusy = lines.allSatisfy { $0.handler.waitingCount > 0 }
      guard isBusy, connecting == 0, lines.count < settings.connections, !isClosed else { return }
      guard lines.isEmpty || Self.now >= nextFurther else { return }
      connecting += 1
      let bootstrap = ClientBootstrap(group: loop)
        .connectTimeout(settings.connectTimeout)
        .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.receivedAtOnce))
        .channelInitializer { [settings] channel in
          channel.eventLoop.makeCompletedFuture {
            guard let tls = settings.tls else { return }
            try channel.pipeline.syncOperations.addHandler(tls.handler())
          }
        }
      let channel =
        switch address.place {
        case .host(let host, let port): bootstrap.connect(host: host, port: port)
        case .socket(let path): bootstrap.connect(unixDomainSocketPath: path)
        }
      channel.assumeIsolated().whenComplete { [self] result in
        connecting -= 1
        switch result {
        case .success(let channel): opened(channel)
        case .failure(let error):
          lastFault.withLockedValue { $0 = FaultText.of(error) }
          if lines.isEmpty { lost() } else { furtherFailed() }
          runQueued()
        }
      }
    }

    /// A connection beside others was not made, or has ended while it was needed: the node may permit no more.
    private func furtherFailed() {
      nextFurther = Self.now + Self.furtherPause / 2 + .random(in: 0...Self.furtherPause / 2)
    }

    private func opened(_ channel: any Channel) {
      guard !isClosed else { return channel.close(promise: nil) }
      // What waits is sent, or a miss if the connection is gone already.
      defer { runQueued() }
      let handler = NodeHandler(settings.engine.parser(settings.valueLimit))
      handler.ended = { [self, weak handler] in
        lines.removeAll { $0.handler === handler }
        guard !isClosed else { return }
        // A node may close what is idle. It is connected to anew when it is needed.
        let isFault = handler.map { $0.fault != nil || $0.waitingCount > 0 } ?? false
        guard lines.isEmpty else {
          if isFault { furtherFailed() }
          // The silent one may have been this one.
          return health.connected()
        }
        guard let handler, isFault else { return }
        lastFault.withLockedValue { $0 = handler.fault?.description ?? "it closed the connection" }
        lost()
      }
      // It fails only if the channel is closed already; then the handler ends.
      do { try channel.pipeline.syncOperations.addHandler(handler) } catch { return handler.end() }
      var writer = settings.engine.writer()
      var greeting = handler.buffer(for: 256)
      if writer.greet(settings.login, into: &greeting) {
        handler.send(
          greeting,
          [
            { [settings] reply in
              // An old Redis does not know the greeting, and needs none.
              guard case .refused(let text)? = reply, settings.login != nil else { return }
              handler.end(ProtocolFault(FaultText.of(refusal: text)))
            }
          ])
      }
      lines.append(Line(handler: handler, writer: writer))
      health.connected()
    }

    /// Sends what has waited for a connection, or passes it on if there is none.
    func runQueued() {
      let (all, isProbeQueued) = (queued, isProbeQueued)
      queued = []
      self.isProbeQueued = false
      if isProbeQueued, !lines.isEmpty { probe() }
      for batch in all { send(batch) }
    }
  }
#endif
