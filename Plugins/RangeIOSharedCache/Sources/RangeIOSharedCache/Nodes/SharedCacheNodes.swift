#if SharedCache
  internal import NIOCore
  internal import NIOPosix
  public import RangeIO
  internal import RangeIOSupport

  /// Nodes of memcached, Redis or Valkey, as an engine for `.sharedCaching`.
  ///
  /// ```swift
  /// let nodes = try SharedCacheNodes(.memcached, [.host("cache-1", port: 11211), .host("cache-2", port: 11211)])
  /// ```
  ///
  /// Each key has one node (rendezvous hashing by the nodes' names). A node that is down, or slower than three times what
  /// 99 of 100 of its answers take, is a miss. Until it gives a sign again no read waits for it; after a second without one, or
  /// three late answers in a row, it is left alone for a while.
  public final class SharedCacheNodes: SharedCacheEngine {
    private let nodes: [CacheNode]
    private let choice: Rendezvous
    /// The most bytes of a value, as the connection permits.
    public let valueLimit: Int

    /// Creates a client. It connects when it is first used.
    ///
    /// - Parameters:
    ///   - language: what the nodes speak.
    ///   - addresses: all nodes, in any order. Every process must name the same ones.
    ///   - configuration: how they are connected to.
    /// - Throws: `ReadError` with `invalidConfiguration`.
    public init(
      _ language: Language, _ addresses: [SharedCacheNode],
      connection configuration: SharedCacheConnection = SharedCacheConnection()
    ) throws(ReadError) {
      guard !addresses.isEmpty, Set(addresses.map(\.name)).count == addresses.count else {
        throw ReadError(
          .invalidConfiguration, "a shared cache needs nodes, each with a name of its own: give at least one")
      }
      for address in addresses {
        guard case .host(_, let port) = address.endpoint, !(1...65_535).contains(port) else { continue }
        throw ReadError(
          .invalidConfiguration, "node '\(address)' cannot have the port \(port): give one from 1 to 65535")
      }
      guard configuration.maxConnectionsPerNode > 0, configuration.valueLimit.bytes > 16_384 else {
        throw ReadError(
          .invalidConfiguration, "a node needs a connection, and values of more than 16 KiB: permit at least that")
      }
      var settings = CacheNode.Settings(
        language: language, login: configuration.login, connections: configuration.maxConnectionsPerNode,
        valueLimit: configuration.valueLimit.bytes,
        connectTimeout: .nanoseconds(
          min(max(configuration.connectTimeout, .milliseconds(1)), .seconds(60)).wholeNanoseconds))
      let loops = MultiThreadedEventLoopGroup.singleton
      let tls = try configuration.tlsBeginnings()
      nodes = addresses.map { address in
        settings.tls = tls?(address.endpoint)
        return CacheNode(address, settings, on: loops.next())
      }
      choice = Rendezvous(addresses.map(\.name))
      valueLimit = configuration.valueLimit.bytes
    }

    deinit {
      for node in nodes { node.endLater() }
    }

    /// Asks the nodes of the keys, all at once. Takes no longer than the slowest of them may.
    public nonisolated(nonsending) func get(
      _ keys: [SharedBlockKey], lease: Duration?, within limit: Duration
    ) async -> [SharedBlockAnswer] {
      let replies = await perform(keys.map { ($0, .get($0, lease: lease)) }, within: limit)
      return replies.map { reply in
        switch reply {
        case .value(let value): .value(value)
        case .leased: .leased
        case .awaited: .awaited
        case .missing, .stored, .refused, nil: .missing
        }
      }
    }

    /// Puts values into the nodes of their keys. Returns how many they took.
    public nonisolated(nonsending) func set(
      _ values: [(key: SharedBlockKey, value: Bytes)], lifetime: Duration
    ) async -> Int {
      let replies = await perform(values.map { ($0.key, .set($0.key, $0.value, lifetime: lifetime)) }, within: nil)
      return replies.count { if case .stored? = $0 { true } else { false } }
    }

    /// The replies to all commands, in their order.
    private nonisolated(nonsending) func perform(
      _ commands: [(key: SharedBlockKey, command: CacheNode.Command)], within limit: Duration?
    ) async -> [NodeReply?] {
      var shares: [Int: [Int]] = [:]
      for (number, one) in commands.enumerated() { shares[choice.node(of: one.key), default: []].append(number) }
      if shares.count == 1, let node = shares.keys.first {
        return await nodes[node].perform(commands.map(\.command), worth: limit)
      }
      var replies = [NodeReply?](repeating: nil, count: commands.count)
      await withTaskGroup(of: ([Int], [NodeReply?]).self) { group in
        for (node, numbers) in shares {
          group.addTask { [nodes] in
            (numbers, await nodes[node].perform(numbers.map { commands[$0].command }, worth: limit))
          }
        }
        for await (numbers, part) in group {
          for (number, reply) in zip(numbers, part) { replies[number] = reply }
        }
      }
      return replies
    }

    /// Asks each node, and puts a byte that lasts a second. Returns nodes that cannot be used now, and nodes that are
    /// not as they should be, each with the reason: reads do not tell. Reported are nodes that are full and evict
    /// nothing, memcached nodes that ask for no password though you gave one, and Redis nodes that are replicas or
    /// belong to a cluster.
    ///
    /// - Parameter limit: how long to wait for an answer.
    public nonisolated(nonsending) func faults(within limit: Duration = .seconds(2)) async -> [SharedCacheFault] {
      await withTaskGroup(of: SharedCacheFault?.self) { group in
        for node in nodes {
          group.addTask { await node.fault(within: limit).map { SharedCacheFault(node: node.address, reason: $0) } }
        }
        var faults: [SharedCacheFault] = []
        for await fault in group { if let fault { faults.append(fault) } }
        return faults.sorted { $0.node.name < $1.node.name }
      }
    }

    /// Ends all connections. What is under way is a miss.
    public nonisolated(nonsending) func close() async {
      for node in nodes { await node.close() }
    }

    /// For each node, by its name: values found, not found, stored and refused; late answers; commands that were not
    /// sent because the node was down; how often it went down.
    public func statistics() -> [Counters] { nodes.map { $0.statistics() } }
  }
#endif
