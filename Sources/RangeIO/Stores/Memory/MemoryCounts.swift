/// The counts of a ``MemoryStore``, and of what it holds.
package struct MemoryCounts: StoreCounts {
  // First the counts that a hit changes.

  /// Look-ups that found everything they asked for.
  package var hits = 0
  /// The requested bytes that look-ups found.
  package var hitBytes = 0
  /// Look-ups that found some of the requested bytes.
  var partialHits = 0
  /// Look-ups that found nothing.
  var misses = 0
  /// Blocks that were added.
  var insertions = 0
  /// Blocks that were there in part and received more bytes.
  var merges = 0
  /// Merges that copied pieces together.
  var consolidations = 0
  /// Bytes dropped because a block had too many pieces.
  var droppedPieceBytes = 0
  /// Blocks that arrived too late, after their source was removed.
  package var stale = 0
  /// Blocks evicted to make room for others.
  var evictions = 0
  /// The bytes that the evicted blocks were charged.
  var evictedBytes = 0
  /// Blocks removed because they were too old or idle for too long.
  var expirations = 0
  /// The bytes that the expired blocks were charged.
  var expiredBytes = 0
  /// Ranges that were not kept: of several blocks and larger than half the store, over their source's share, refused by the
  /// policy, or without room.
  package var dropped = 0

  // What is here now.

  /// The number of bytes that the store may take.
  package var limit = 0
  /// The bytes taken, with all bookkeeping, metadata of users and room reserved for fetches.
  package var bytes = 0
  /// The most bytes that were ever taken at once.
  package var peakBytes = 0
  /// The part of ``bytes`` that is reserved.
  var reservedBytes = 0
  /// The part of ``bytes`` that was removed but not freed yet, because the removal is not iterated and the room is not
  /// needed.
  var removedBytes = 0
  /// The part of ``bytes`` that is pinned.
  package var pinnedBytes = 0
  /// The number of blocks.
  package var blocks = 0

  package init() {}

  package static var named: KeyValuePairs<String, WritableKeyPath<Self, Int>> {
    [
      "bytes": \.bytes, "limit": \.limit, "blocks": \.blocks, "hits": \.hits, "partialHits": \.partialHits,
      "misses": \.misses, "hitBytes": \.hitBytes, "insertions": \.insertions, "dropped": \.dropped,
      "evictions": \.evictions, "evictedBytes": \.evictedBytes, "expirations": \.expirations,
      "expiredBytes": \.expiredBytes, "merges": \.merges, "consolidations": \.consolidations,
      "droppedPieceBytes": \.droppedPieceBytes, "stale": \.stale, "peakBytes": \.peakBytes,
      "reservedBytes": \.reservedBytes, "removedBytes": \.removedBytes, "pinnedBytes": \.pinnedBytes,
    ]
  }
}
