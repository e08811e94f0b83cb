/// What one shard has counted, under its lock.
struct MemoryCounts {
  var hits = 0
  var hitBytes = 0
  var partialHits = 0
  var misses = 0
  var insertions = 0
  var merges = 0
  var consolidations = 0
  var droppedPieceBytes = 0
  var stale = 0
  var evictions = 0
  var evictedBytes = 0
  var expirations = 0
  var expiredBytes = 0
}

/// What a ``MemoryStore`` holds and has done.
public struct MemoryStatistics: Hashable, Sendable, Codable {
  /// The bytes that may be taken.
  public var limit = 0
  /// The bytes that are taken: chunks with their bookkeeping, metadata, and room reserved for what is on its way.
  public var bytes = 0
  /// The most bytes that were ever taken.
  public var peakBytes = 0
  /// Of these, what is reserved.
  public var reservedBytes = 0
  /// Of these, what was removed and is not given back yet, since its removal is not iterated and the room not needed.
  public var removedBytes = 0
  /// Of these, what users have pinned and eviction leaves alone.
  public var pinnedBytes = 0
  /// Chunks.
  public var blocks = 0
  /// Look-ups that found all they asked for.
  public var hits = 0
  /// The bytes of those.
  public var hitBytes = 0
  /// Look-ups that found some of what they asked for.
  public var partialHits = 0
  /// Look-ups that found nothing.
  public var misses = 0
  /// Blocks that were not there and came.
  public var insertions = 0
  /// Blocks that were there in part and got more.
  public var merges = 0
  /// Merges that copied pieces together.
  public var consolidations = 0
  /// Bytes dropped because a block had too many pieces.
  public var droppedPieceBytes = 0
  /// Blocks that came too late, after their source was removed.
  public var stale = 0
  /// Blocks that made room for others.
  public var evictions = 0
  /// The bytes they were charged.
  public var evictedBytes = 0
  /// Blocks that grew too old or idle.
  public var expirations = 0
  /// The bytes they were charged.
  public var expiredBytes = 0
  /// Ranges that were not let in: larger than half the store, over their source's share, refused by the policy, or
  /// because no room could be made.
  public var refusals = 0

  /// Nothing held and nothing done.
  public init() {}

  mutating func add(_ counts: MemoryCounts) {
    hits += counts.hits
    hitBytes += counts.hitBytes
    partialHits += counts.partialHits
    misses += counts.misses
    insertions += counts.insertions
    merges += counts.merges
    consolidations += counts.consolidations
    droppedPieceBytes += counts.droppedPieceBytes
    stale += counts.stale
    evictions += counts.evictions
    evictedBytes += counts.evictedBytes
    expirations += counts.expirations
    expiredBytes += counts.expiredBytes
  }
}

extension MemoryStatistics: CustomStringConvertible {
  /// One line for people.
  public var description: String {
    "\(bytes) of \(limit) bytes in \(told)"
  }

  /// What does not depend on whether the limit is that of this store alone.
  var told: String {
    "\(blocks) blocks; \(hits) hits, \(partialHits) in part, \(misses) misses; "
      + "\(insertions) inserted, \(evictions) evicted, \(expirations) expired, \(refusals) refused"
  }
}
