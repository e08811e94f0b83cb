#if Serve
  internal import NIOCore

  /// The client of a connection, as it was when the connection was accepted: a channel forgets the address when it closes.
  struct ConnectedClient: Sendable {
    /// The address without its port. All clients of a unix socket are one.
    let address: String
    /// The client is on this machine.
    let isLocal: Bool
    /// Those of answers that had to wait.
    let bodyBytes = ByteTally()
    private let channel: any Channel
    private let executor: LoopExecutor?

    /// `nil` if the client has left already.
    init?(_ channel: any Channel, _ executor: LoopExecutor?) {
      switch channel.remoteAddress {
      case .v4, .v6:
        let address = channel.remoteAddress?.ipAddress ?? ""
        let isLocal = address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
        self.init(channel, executor, address: address, isLocal: isLocal)
      case .unixDomainSocket: self.init(channel, executor, address: "local", isLocal: true)
      case nil: return nil
      }
    }

    init(_ channel: any Channel, _ executor: LoopExecutor?, address: String, isLocal: Bool) {
      (self.channel, self.executor, self.address, self.isLocal) = (channel, executor, address, isLocal)
    }

    /// Lets the event loop look at all connections before each piece of an answer, and ends if this one is closed by then.
    ///
    /// - Throws: as ``check()``.
    func yield() async throws {
      await executor?.yield()
      try check()
    }

    /// - Throws: `CancellationError` if the server stops; `ChannelError` if the client has left.
    func check() throws {
      guard channel.isActive else { throw ChannelError.ioOnClosedChannel }
      try Task.checkCancellation()
    }
  }
#endif
