import RangeIO

/// The counts of a ``CompressedStore``, and of what it holds.
package struct CompressedCounts: StoreCounts {
  /// Pieces that look-ups found.
  package var hits = 0
  /// The requested bytes of those pieces.
  package var hitBytes = 0
  /// Look-ups that found nothing.
  package var misses = 0
  /// Pieces that were added.
  package var insertions = 0
  /// Pieces that arrived too late, after their source was removed.
  package var stale = 0
  /// Pieces evicted to make room for others.
  package var evictions = 0
  /// The compressed bytes of the evicted pieces.
  package var evictedBytes = 0
  /// Pieces removed because they were too old or idle for too long.
  package var expirations = 0
  /// Pieces that were copied to another segment when theirs was freed.
  package var reinsertions = 0
  /// Segments that were freed.
  package var segmentsFreed = 0
  /// Pieces that could not be decoded.
  package var damaged = 0
  /// Offered chunks that were not kept, because they do not shrink by an eighth.
  package var incompressible = 0
  /// Offered chunks for which there was no room.
  package var dropped = 0

  // What is here now.

  /// The number of bytes that the store may take.
  package var limit = 0
  /// The bytes taken, with all bookkeeping.
  package var bytes = 0
  /// The most bytes that were ever taken at once.
  package var peakBytes = 0
  /// The bytes of whole segments.
  package var segmentBytes = 0
  /// The number of pieces: nearly always these are whole blocks.
  package var blocks = 0
  /// The compressed size of the pieces.
  package var storedBytes = 0
  /// Their original size.
  package var rawBytes = 0

  package init() {}

  package static var named: KeyValuePairs<String, WritableKeyPath<Self, Int>> {
    [
      "bytes": \.bytes, "limit": \.limit, "blocks": \.blocks, "rawBytes": \.rawBytes, "storedBytes": \.storedBytes,
      "hits": \.hits, "misses": \.misses, "hitBytes": \.hitBytes, "insertions": \.insertions,
      "incompressible": \.incompressible, "dropped": \.dropped, "evictions": \.evictions,
      "evictedBytes": \.evictedBytes, "expirations": \.expirations, "reinsertions": \.reinsertions,
      "segmentsFreed": \.segmentsFreed, "stale": \.stale, "damaged": \.damaged, "peakBytes": \.peakBytes,
      "segmentBytes": \.segmentBytes,
    ]
  }

  /// The compression ratio: 2 if data shrinks to half, 0 if nothing is compressed.
  package var ratio: Double { storedBytes == 0 ? 0 : Double(rawBytes) / Double(storedBytes) }
}
