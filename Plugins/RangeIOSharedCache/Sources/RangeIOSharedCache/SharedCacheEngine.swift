#if SharedCache
  public import RangeIO

  /// The name of a value in an engine: 32 bytes that look random, and are the same in every process.
  public struct SharedBlockKey: Hashable, Sendable {
    /// SHA-256 of what the block is.
    public let digest: [UInt8]

    /// Creates a key.
    ///
    /// - Parameter digest: 32 bytes.
    public init(digest: [UInt8]) { self.digest = digest }
  }

  /// The answer of an engine for a key.
  public enum SharedBlockAnswer: Sendable {
    /// The value, of which nothing is believed yet.
    case value(Bytes)
    /// There is none, and you are the one who should bring it.
    case leased
    /// There is none, and another process is bringing it.
    case awaited
    /// There is none, or it cannot be had: a node that is down, slow or full.
    case missing
  }

  /// An engine that many machines share: memcached, Redis, or one of your own.
  ///
  /// It never throws and never waits for long: what it does not have in time is ``SharedBlockAnswer/missing``. If an
  /// engine takes longer than a fetch from the source, its call is cancelled, and reads go on without it. The call
  /// should then end: closing a reader waits for it. Values are opaque to it, and whatever it returns is checked by
  /// `.sharedCaching`.
  public protocol SharedCacheEngine: Sendable {
    /// The most bytes of a value.
    var valueLimit: Int { get }

    /// Looks keys up.
    ///
    /// - Parameters:
    ///   - keys: at least one.
    ///   - lease: how long a lease lasts. A caller that gets ``SharedBlockAnswer/leased`` should bring the value, and others
    ///     wait for it. `nil`: no leases are given.
    ///   - limit: the time that an answer is worth. An engine that knows its nodes to need a few times longer, and to be alive, may
    ///     take that.
    /// - Returns: an answer for each key, in their order.
    nonisolated(nonsending) func get(
      _ keys: [SharedBlockKey], lease: Duration?, within limit: Duration
    ) async -> [SharedBlockAnswer]

    /// Puts values, and ends the leases of their keys.
    ///
    /// - Parameters:
    ///   - values: the values, each with its key.
    ///   - lifetime: after which an engine may forget them.
    /// - Returns: how many it took.
    nonisolated(nonsending) func set(
      _ values: [(key: SharedBlockKey, value: Bytes)], lifetime: Duration
    ) async -> Int

    /// Ends all connections.
    nonisolated(nonsending) func close() async

    /// The counts of the engine's client.
    func statistics() -> [Counters]
  }
#endif
