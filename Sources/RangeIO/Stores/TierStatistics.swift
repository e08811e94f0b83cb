/// What one tier in memory holds and has done: a ``MemoryStore``, the compressed tier of a `TieredChunkStore`, or the
/// chunks on their way down. A value that a tier does not have is zero.
public struct TierStatistics: Hashable, Sendable, Encodable {
  // Counters. Each shard has its own, under its lock; first those that a hit changes.

  /// Look-ups that found everything they asked for. Below memory: pieces and chunks that look-ups found.
  public package(set) var hits = 0
  /// The requested bytes of what was found.
  package var hitBytes = 0
  /// Look-ups that found some of what they asked for.
  public package(set) var partialHits = 0
  /// Look-ups that found nothing.
  public package(set) var misses = 0
  /// Blocks that were added.
  package var insertions = 0
  /// Blocks that were there in part and received more bytes.
  package var merges = 0
  /// Merges that copied pieces together.
  package var consolidations = 0
  /// Bytes dropped because a block had too many pieces.
  package var droppedPieceBytes = 0
  /// Blocks that arrived too late, after their source was removed.
  package var stale = 0
  /// Blocks evicted to make room for others.
  public package(set) var evictions = 0
  /// The bytes of the evicted blocks: as charged, or compressed.
  package var evictedBytes = 0
  /// Blocks removed because they were too old or idle for too long.
  package var expirations = 0
  /// The bytes that the expired blocks were charged.
  package var expiredBytes = 0
  /// Compressed blocks that were copied to another segment when theirs was freed.
  package var reinsertions = 0
  /// Segments of compressed blocks that were freed.
  package var segmentsFreed = 0
  /// Compressed blocks that could not be decoded.
  package var damaged = 0
  /// Offered blocks that the compressed tier did not keep, because they do not shrink by an eighth.
  public package(set) var incompressible = 0
  /// What was not kept. In memory: ranges of several blocks that are larger than half the store, ranges over their
  /// source's share, refused by the policy, or for which no room could be made. On the way down and in the compressed
  /// tier: chunks for which there was no room.
  public package(set) var dropped = 0
  /// Chunks on their way down that the tier below took.
  public package(set) var moved = 0
  /// Chunks on their way down that the tier below refused.
  package var refused = 0
  /// Chunks on their way down that were promoted again before they arrived.
  package var cancelled = 0

  // What is here now.

  /// The number of bytes that the tier may take.
  public package(set) var limit = 0
  /// The bytes taken, with all bookkeeping. In memory also your metadata, and room reserved for fetches.
  public package(set) var bytes = 0
  /// The most bytes that were ever taken at once.
  public package(set) var peakBytes = 0
  /// The part of ``bytes`` that is reserved.
  package var reservedBytes = 0
  /// The part of ``bytes`` that was removed but not freed yet, because the removal is not iterated and the room is not
  /// needed.
  package var removedBytes = 0
  /// The part of ``bytes`` that you have pinned, so that it is not evicted.
  public package(set) var pinnedBytes = 0
  /// The bytes of whole segments of compressed blocks.
  package var segmentBytes = 0
  /// The number of blocks. In the compressed tier, of pieces of blocks: nearly always these are whole blocks.
  public package(set) var blocks = 0
  /// The compressed size of the blocks that are here.
  public package(set) var storedBytes = 0
  /// The original size of the compressed blocks.
  public package(set) var rawBytes = 0

  /// How often the store would hit with half, once, twice and four times its limit. Empty before the first look-up, for
  /// tiers other than memory, and for a store with room for fewer than 128 blocks of the typical size.
  ///
  /// Estimated from a sample of the look-ups, since the store was made: of one block in 256, and of up to one in 16 in a
  /// store of fewer than 65,536. Mostly within a point or two; rougher, by up to six, in a store of fewer than 2,000 blocks. Removals
  /// and time limits are not taken into account.
  public package(set) var estimates: [Estimate] = []

  /// Creates statistics in which every value is zero.
  package init() {}

  /// The compression ratio: 2 if data shrinks to half, 0 if nothing is compressed.
  package var ratio: Double { storedBytes == 0 ? 0 : Double(rawBytes) / Double(storedBytes) }

  /// Adds the counters of a shard.
  package mutating func add(_ counts: TierStatistics) {
    for counter in Self.counters { self[keyPath: counter] += counts[keyPath: counter] }
  }

  private static var counters: [WritableKeyPath<Self, Int>] {
    [
      \.hits, \.hitBytes, \.partialHits, \.misses, \.insertions, \.merges, \.consolidations, \.droppedPieceBytes,
      \.stale, \.evictions, \.evictedBytes, \.expirations, \.expiredBytes, \.reinsertions, \.segmentsFreed, \.damaged,
      \.incompressible, \.dropped, \.moved, \.refused, \.cancelled,
    ]
  }
}

extension TierStatistics {
  /// How often a store would hit if it had another limit.
  public struct Estimate: Hashable, Sendable, Encodable {
    /// The limit in bytes.
    public let limit: Int
    /// The share of look-ups that would find all they asked for, from 0 to 1.
    public let hitRatio: Double

    package init(limit: Int, hitRatio: Double) {
      self.limit = limit
      self.hitRatio = hitRatio
    }
  }
}

extension TierStatistics: CustomStringConvertible {
  /// A one-line summary for people, with the counts that are not zero.
  public var description: String { "\(bytes) of \(limit) bytes in \(told)" }

  /// The part of the summary that does not depend on whether this tier alone has the limit.
  package var told: String {
    let counts = [
      (hits, "hits"), (partialHits, "in part"), (misses, "misses"), (insertions, "inserted"), (moved, "moved"),
      (incompressible, "incompressible"), (dropped, "dropped"), (evictions, "evicted"), (expirations, "expired"),
    ]
    let compressed = storedBytes > 0 ? ", \(rawBytes) bytes compressed to \(storedBytes)" : ""
    let told = counts.filter { $0.0 != 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    return "\(blocks) blocks\(compressed)" + (told.isEmpty ? "" : "; \(told)")
  }
}
