#if SharedCache
  public import RangeIO

  /// Nodes of Redis or Valkey, as an engine for ``SharedCaching``.
  ///
  /// Each key has one node (rendezvous hashing by the nodes' names). A node that is down, or slower than three times what
  /// 99 of 100 of its answers take, is a miss. Until it gives a sign again no read waits for it; after a second without one, or
  /// three late answers in a row, it is left alone for a while.
  public final class RedisStore: SharedBlockStore {
    private let nodes: NodeStore

    /// Creates a client. It connects when it is first used.
    ///
    /// - Parameters:
    ///   - nodes: all nodes, in any order. Every process must name the same ones.
    ///   - connection: how they are connected to.
    /// - Throws: `ReadError` with `invalidConfiguration`.
    public init(
      _ nodes: [SharedCacheNode], connection: SharedCacheConnection = SharedCacheConnection()
    ) throws(ReadError) {
      self.nodes = try NodeStore(nodes, connection, .redis)
    }

    /// The most bytes of a value, as the connection permits.
    public var valueLimit: Int { nodes.valueLimit }

    /// Asks the nodes of the keys, all at once. Takes no longer than the slowest of them may.
    public nonisolated(nonsending) func get(
      _ keys: [SharedBlockKey], lease: Duration?, within limit: Duration
    ) async -> [SharedBlockAnswer] {
      await nodes.get(keys, lease: lease, within: limit)
    }

    /// Puts values into the nodes of their keys. Returns how many they took.
    public nonisolated(nonsending) func set(
      _ values: [(key: SharedBlockKey, value: Bytes)], lifetime: Duration
    ) async -> Int {
      await nodes.set(values, lifetime: lifetime)
    }

    /// Asks each node, and puts a byte that lasts a second. Returns nodes that cannot be used now, and nodes that are not as
    /// they should be, each with the reason: reads do not tell. A node is not as it should be if it is full and evicts nothing,
    /// is a replica, or belongs to a cluster.
    ///
    /// - Parameter limit: how long to wait for an answer.
    public nonisolated(nonsending) func faults(within limit: Duration = .seconds(2)) async -> [SharedCacheFault] {
      await nodes.faults(within: limit)
    }

    /// Ends all connections. What is under way is a miss.
    public nonisolated(nonsending) func close() async { await nodes.close() }

    /// For each node: values found and not found, stored and refused, answers that came late or not at all, commands that
    /// were not sent because the node was down, and how often it went down.
    public func statistics() -> [ReadCounts] { nodes.statistics() }
  }
#endif
