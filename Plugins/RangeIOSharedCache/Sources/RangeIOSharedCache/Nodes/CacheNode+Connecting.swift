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
        switch address.endpoint {
        case .host(let host, let port): bootstrap.connect(host: host, port: port)
        case .socket(let path): bootstrap.connect(unixDomainSocketPath: path)
        }
      channel.assumeIsolated().whenComplete { [self] result in
        switch result {
        case .success(let channel): opened(channel)
        case .failure(let error):
          connecting -= 1
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
      guard !isClosed else {
        connecting -= 1
        return channel.close(promise: nil)
      }
      let handler = NodeHandler(settings.language.parser(settings.valueLimit))
      greeted = handler
      handler.ended = { [self, weak handler] in if let handler { ended(handler) } }
      // It fails only if the channel is closed already; then the handler ends.
      do { try channel.pipeline.syncOperations.addHandler(handler) } catch { return handler.end() }
      let line = Line(handler: handler, writer: settings.language.writer())
      greet(line)
    }

    private func greet(_ line: Line) {
      var (line, greeting) = (line, line.handler.buffer(for: 256))
      switch line.writer.greet(settings.login, into: &greeting) {
      case .nothing: use(line)
      case .greeting:
        line.handler.send(greeting, [{ [self] in told($0, of: line.handler) }])
        use(line)
      case .question:
        line.handler.send(greeting, [{ [self] in answered($0, line) }])
        giveUpIfSilent(line.handler)
      }
    }

    /// A node that was asked whether it wants a login has answered.
    private func answered(_ reply: NodeReply?, _ line: Line) {
      guard let reply else { return }
      guard case .refused = reply, let login = settings.login else {
        notes.withLockedValue { $0.needsNoLogin = true }
        return use(line)
      }
      notes.withLockedValue { $0.needsNoLogin = false }
      var (line, buffer) = (line, line.handler.buffer(for: 256))
      line.writer.logIn(login, into: &buffer)
      line.handler.send(buffer, [{ [self] in told($0, of: line.handler) }])
      use(line)
    }

    /// A node has answered a login. An old Redis does not know the greeting, and needs none.
    private func told(_ reply: NodeReply?, of handler: NodeHandler) {
      guard case .refused(let text)? = reply, settings.login != nil else { return }
      handler.end(ProtocolFault(FaultText.of(refusal: text)))
    }

    /// Commands may be sent on a connection.
    private func use(_ line: Line) {
      // It may have ended already.
      guard greeted === line.handler else { return }
      (greeted, connecting) = (nil, connecting - 1)
      lines.append(line)
      health.connected()
      runQueued()
    }

    private func ended(_ handler: NodeHandler) {
      let isUsed = greeted !== handler
      if !isUsed { (greeted, connecting) = (nil, connecting - 1) }
      lines.removeAll { $0.handler === handler }
      // What waits for this one alone is a miss.
      defer { if !isUsed { runQueued() } }
      guard !isClosed else { return }
      // A node may close what is idle. It is connected to anew when it is needed.
      let isFault = handler.fault != nil || handler.waitingCount > 0 || !isUsed
      guard lines.isEmpty else {
        if isFault { furtherFailed() }
        // The silent one may have been this one.
        return health.connected()
      }
      guard isFault else { return }
      lastFault.withLockedValue { $0 = handler.fault?.description ?? "it closed the connection" }
      lost()
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
