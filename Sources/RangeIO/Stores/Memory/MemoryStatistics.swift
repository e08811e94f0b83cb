/// The counters of one shard, under its lock.
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

extension MemoryStore {
  /// What a ``MemoryStore`` holds and has done.
  public struct Statistics: Hashable, Sendable, Codable {
    /// The number of bytes that the store may take.
    public package(set) var limit = 0
    /// The bytes taken: chunks with their bookkeeping, metadata, and room reserved for fetches.
    public package(set) var bytes = 0
    /// The most bytes that were ever taken at once.
    public package(set) var peakBytes = 0
    /// The part of ``bytes`` that is reserved.
    package var reservedBytes = 0
    /// The part of ``bytes`` that was removed but not freed yet, because the removal is not iterated and the room is
    /// not needed.
    package var removedBytes = 0
    /// The part of ``bytes`` that users have pinned, so that it is not evicted.
    public package(set) var pinnedBytes = 0
    /// The number of chunks.
    public package(set) var blocks = 0
    /// Look-ups that found everything they asked for.
    public package(set) var hits = 0
    /// The bytes of those look-ups.
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
    /// The bytes that the evicted blocks were charged.
    package var evictedBytes = 0
    /// Blocks removed because they were too old or idle for too long.
    package var expirations = 0
    /// The bytes that the expired blocks were charged.
    package var expiredBytes = 0
    /// Ranges that were refused: larger than half the store, over their source's share, refused by the policy, or
    /// because no room could be made.
    public package(set) var refusals = 0

    /// Creates statistics in which every value is zero.
    package init() {}

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
}

extension MemoryStore.Statistics: CustomStringConvertible {
  /// A one-line summary for people.
  public var description: String {
    "\(bytes) of \(limit) bytes in \(told)"
  }

  /// The part of the summary that does not depend on whether this store alone has the limit.
  var told: String {
    "\(blocks) blocks; \(hits) hits, \(partialHits) in part, \(misses) misses; "
      + "\(insertions) inserted, \(evictions) evicted, \(expirations) expired, \(refusals) refused"
  }
}
