#if Serve
  internal import NIOCore

  /// The client of a connection, or of a stream of HTTP/2, as it was when the connection was accepted: a channel forgets the
  /// address when it closes.
  struct ConnectedClient: Sendable {
    /// The address without its port. All clients of a unix socket are one.
    let address: String
    /// What limits count by: who has one IPv6 address has all of its network, of 64 bits.
    let network: String
    /// The client is on this machine.
    let isLocal: Bool
    /// The channel is a stream of HTTP/2, one of several on its connection.
    let isOnStream: Bool
    /// Those of answers that had to wait.
    let bodyBytes = ByteTally()
    private let channel: any Channel
    private let executor: LoopExecutor?

    /// `nil` if the client has left already.
    init?(_ channel: any Channel, _ executor: LoopExecutor?) {
      guard let peer = channel.remoteAddress else { return nil }
      self.init(channel, executor, address: peer.ipAddress ?? "local", isLocal: peer.isOfThisMachine)
    }

    init(
      _ channel: any Channel, _ executor: LoopExecutor?, address: String, isLocal: Bool, isOnStream: Bool = false
    ) {
      (self.channel, self.executor, self.address, self.isLocal) = (channel, executor, address, isLocal)
      network = Self.network(of: address)
      self.isOnStream = isOnStream
    }

    /// The first half of an IPv6 address; another one as it is.
    static func network(of address: String) -> String {
      // Of IPv4, also as a part of IPv6 or behind a translator (RFC 6052), and of this machine.
      guard address.contains(":"), !address.contains("."), address != "::1", !address.hasPrefix("64:ff9b::") else {
        return address
      }
      let parts = address.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
      let groups = parts.map { $0.split(separator: ":") }
      let zeros = [Substring](repeating: "0", count: max(0, 8 - groups.reduce(0) { $0 + $1.count }))
      return (groups[0] + zeros + (groups.count > 1 ? groups[1] : [])).prefix(4).joined(separator: ":") + "::/64"
    }

    /// The same client, for the answer on one stream of its connection.
    func on(_ stream: any Channel) -> ConnectedClient {
      ConnectedClient(stream, executor, address: address, isLocal: isLocal, isOnStream: true)
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

  extension SocketAddress {
    /// Only this machine has it, or is reached by it.
    var isOfThisMachine: Bool {
      guard let digits = ipAddress else { return true }
      return digits == "::1" || digits.hasPrefix("127.") || digits.hasPrefix("::ffff:127.")
    }
  }
#endif
