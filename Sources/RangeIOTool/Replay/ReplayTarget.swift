import RangeIO

/// A cache that a trace is replayed through. It keeps whole blocks, but for the last of the source, which may be shorter.
///
/// Calls come one at a time. What a call costs is what the replay measures, the making of bytes to store included.
protocol ReplayTarget {
  /// Reads of `range` what is stored. `range` is not empty and lies within the source.
  ///
  /// - Returns: the blocks of `range` that are missing, as runs in ascending order.
  mutating func lookUp(_ range: ByteRange) throws -> [Range<Int>]

  /// Stores `blocks`, which were missing, as one read of the source would bring them.
  mutating func insert(_ blocks: Range<Int>) throws
}

/// What the user wants to know the hits of.
struct ReplayCache {
  var policy: EvictionPolicyFactory
  /// Bytes that may be stored.
  var capacity: ByteCount
  var grid: BlockGrid
  /// Parts with a lock and a policy each; `nil` for as many as the store takes by itself.
  var shards: Int?
  /// Bytes of the source.
  var byteCount: Int

  /// The cache itself.
  func make() -> any ReplayTarget { SimulatedTarget(self) }
}
