/// The counters of one shard, under its lock.
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

/// What a tier of compressed memory holds and has done.
public struct CompressedStatistics: Hashable, Sendable, Codable {
  /// The number of bytes that the store may take.
  public package(set) var limit = 0
  /// The number of bytes taken: whole segments, and records.
  public package(set) var bytes = 0
  /// The most bytes that were ever taken at once.
  package var peakBytes = 0
  /// The bytes of whole segments.
  package var segmentBytes = 0
  /// The compressed size of the pieces that are here.
  public package(set) var storedBytes = 0
  /// The original size of the pieces that are here.
  public package(set) var rawBytes = 0
  /// The number of pieces of blocks. Nearly always these are whole blocks.
  package var pieces = 0
  /// Pieces that a look-up found.
  public package(set) var hits = 0
  /// The requested bytes of those pieces.
  package var hitBytes = 0
  /// Ranges of which nothing was found.
  package var misses = 0
  /// Pieces that were added.
  package var insertions = 0
  /// Offered pieces that do not shrink by an eighth.
  public package(set) var incompressible = 0
  /// Offered pieces that were dropped because there was no room or memory.
  public package(set) var dropped = 0
  /// Pieces that arrived too late, after their source was removed.
  package var stale = 0
  /// Pieces evicted to make room for others.
  package var evictions = 0
  /// The compressed size of the evicted pieces.
  package var evictedBytes = 0
  /// Pieces that were copied to another segment when theirs was freed.
  package var reinsertions = 0
  /// Segments that were freed.
  package var segmentsFreed = 0
  /// Pieces removed because they were too old or idle for too long.
  package var expirations = 0
  /// Pieces that could not be decoded.
  package var damaged = 0

  /// Creates statistics in which every value is zero.
  package init() {}

  /// The compression ratio: 2 if data shrinks to half, 0 if the store is empty.
  package var ratio: Double { storedBytes == 0 ? 0 : Double(rawBytes) / Double(storedBytes) }

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
  /// A one-line summary for people.
  public var description: String {
    "\(bytes) of \(limit) bytes, \(storedBytes) of them compressed, for \(rawBytes) in \(pieces) pieces; \(hits) hits; "
      + "\(insertions) inserted, \(incompressible) incompressible, \(dropped) dropped, \(evictions) evicted, "
      + "\(expirations) expired"
  }
}
