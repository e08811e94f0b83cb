/// What one shard has counted, under its lock.
struct CompressedCounts {
  var hits = 0
  var hitBytes = 0
  var misses = 0
  var insertions = 0
  var stale = 0
  var evictions = 0
  var evictedBytes = 0
  var reinsertions = 0
  var segmentsFreed = 0
  var expirations = 0
  var damaged = 0
}

/// What a ``CompressedStore`` holds and has done.
public struct CompressedStatistics: Hashable, Sendable, Codable {
  /// The bytes that may be taken.
  public var limit = 0
  /// The bytes that are taken: whole segments, and records.
  public var bytes = 0
  /// The most bytes that were ever taken.
  public var peakBytes = 0
  /// The bytes of whole segments.
  public var segmentBytes = 0
  /// The bytes of pieces that are here, compressed.
  public var storedBytes = 0
  /// The bytes of pieces that are here, as they were.
  public var rawBytes = 0
  /// Pieces of blocks, nearly always whole blocks.
  public var pieces = 0
  /// Pieces that a look-up found.
  public var hits = 0
  /// Their bytes, as far as they were wanted.
  public var hitBytes = 0
  /// Ranges of which nothing was found.
  public var misses = 0
  /// Pieces that came.
  public var insertions = 0
  /// Pieces that came and do not shrink by an eighth.
  public var incompressible = 0
  /// Pieces that came and were dropped for want of room or memory.
  public var dropped = 0
  /// Pieces that came too late, after their source was removed.
  public var stale = 0
  /// Pieces that made room for others.
  public var evictions = 0
  /// Their bytes, compressed.
  public var evictedBytes = 0
  /// Pieces that had been read and were copied on when their segment was freed.
  public var reinsertions = 0
  /// Segments that were freed.
  public var segmentsFreed = 0
  /// Pieces that grew too old or idle.
  public var expirations = 0
  /// Pieces that could not be decoded.
  public var damaged = 0

  /// Nothing held and nothing done.
  public init() {}

  /// The bytes held for each byte compressed: 2 where data halves, 0 where there is nothing.
  public var ratio: Double { storedBytes == 0 ? 0 : Double(rawBytes) / Double(storedBytes) }

  mutating func add(_ counts: CompressedCounts) {
    hits += counts.hits
    hitBytes += counts.hitBytes
    misses += counts.misses
    insertions += counts.insertions
    stale += counts.stale
    evictions += counts.evictions
    evictedBytes += counts.evictedBytes
    reinsertions += counts.reinsertions
    segmentsFreed += counts.segmentsFreed
    expirations += counts.expirations
    damaged += counts.damaged
  }
}

extension CompressedStatistics: CustomStringConvertible {
  /// One line for people.
  public var description: String {
    "\(bytes) of \(limit) bytes, \(storedBytes) of them compressed, for \(rawBytes) in \(pieces) pieces; \(hits) hits; "
      + "\(insertions) inserted, \(incompressible) incompressible, \(dropped) dropped, \(evictions) evicted, "
      + "\(expirations) expired"
  }
}
