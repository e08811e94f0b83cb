/// What a spill store has counted, under its lock.
struct SpillCounts {
  var hits = 0
  var hitBytes = 0
  var stagedHits = 0
  var misses = 0
  var reads = 0
  var readBytes = 0
  var residentReads = 0
  var lateReads = 0
  var offered = 0
  var present = 0
  var ineligible = 0
  var notSlower = 0
  var gated = 0
  var dropped = 0
  var stale = 0
  var written = 0
  var writtenBytes = 0
  var reinsertions = 0
  var reinsertedBytes = 0
  var fileBytes = 0
  var evictions = 0
  var evictedBytes = 0
  var segmentsMade = 0
  var segmentsFreed = 0
  var expirations = 0
  var damaged = 0
  var readErrors = 0
  var writeErrors = 0
  var tombstones = 0
  var syncs = 0
  /// Places of the index that were looked at for blocks of outdated versions. For tests.
  var sweptOutdated = 0
}

/// What a ``SpillStore`` holds and has done, in this process.
public struct SpillStatistics: Hashable, Sendable, Codable {
  /// The bytes that its files may take.
  public var limit = 0
  /// The bytes that they take, set-aside space included.
  public var bytes = 0
  /// The most that they ever took.
  public var peakBytes = 0
  /// Blocks that are here.
  public var blocks = 0
  /// Their bytes as they lie on the disk.
  public var storedBytes = 0
  /// Versions of sources of which something is here.
  public var sources = 0
  /// Files.
  public var segments = 0
  /// Of these: could not be read when the directory was opened, since the disk failed or the process had too many files
  /// open. What they hold is not found until it is opened again.
  public var segmentsLeftOut = 0
  /// The memory that the index and the memory of what was evicted take.
  public var indexBytes = 0
  /// The bytes that wait to be written.
  public var stagedBytes = 0
  /// Blocks found on the disk.
  public var hits = 0
  /// Their bytes, as far as they were wanted.
  public var hitBytes = 0
  /// Blocks found that still waited to be written.
  public var stagedHits = 0
  /// Blocks not found.
  public var misses = 0
  /// Reads of files, each of one or more blocks that lie side by side.
  public var reads = 0
  /// Their bytes.
  public var readBytes = 0
  /// Reads answered from the page cache on the reader's own thread.
  public var residentReads = 0
  /// Reads that took so long that the source was asked as well.
  public var lateReads = 0
  /// Chunks that the tier above evicted.
  public var offered = 0
  /// Of these: here already.
  public var present = 0
  /// Of these: not to be kept: parts of blocks, blocks that are too large for a file or too old, sources that cost no more
  /// than the disk, or whose versions cannot be told apart.
  public var ineligible = 0
  /// Of the ineligible: since their source costs no more to read than the disk, such as a local file that states no other
  /// cost. See ``SpillStore/Configuration/sources``.
  public var notSlower = 0
  /// Of these: refused, since the store is full and they were not evicted before.
  public var gated = 0
  /// Of these: dropped, since too many waited, there was no room, or the disk is sick.
  public var dropped = 0
  /// Of these: removed before they were on the disk.
  public var stale = 0
  /// Of these: written.
  public var written = 0
  /// Their bytes, with headers.
  public var writtenBytes = 0
  /// Blocks copied on when their segment was let go of: since they had been read twice, or to make few segments of many
  /// small ones.
  public var reinsertions = 0
  /// All bytes written to files.
  public var fileBytes = 0
  /// Blocks that went with their segment.
  public var evictions = 0
  /// Segments made.
  public var segmentsMade = 0
  /// Segments let go of.
  public var segmentsFreed = 0
  /// Blocks that had become too old.
  public var expirations = 0
  /// Records that turned out to be damaged.
  public var damaged = 0
  /// Reads that the disk failed.
  public var readErrors = 0
  /// Writes that the disk failed.
  public var writeErrors = 0
  /// Removals written down.
  public var tombstones = 0
  /// Times that files were made durable.
  public var syncs = 0
  /// Whether the disk is used.
  public var breaker = Breaker.closed
  /// How often it was found to be sick.
  public var breakerOpenings = 0
  /// How often it was found to be well again.
  public var breakerClosings = 0

  /// Whether the disk is used.
  public enum Breaker: String, Hashable, Sendable, Codable {
    /// It is.
    case closed
    /// It is not, for a while: it failed, or hung.
    case open
    /// One call at a time.
    case trying
  }

  /// Bytes written for each byte that was written for the first time. 1 before anything is.
  public var writeAmplification: Double { writtenBytes == 0 ? 1 : Double(fileBytes) / Double(writtenBytes) }
  /// The memory that a block takes.
  public var indexBytesPerBlock: Double { blocks == 0 ? 0 : Double(indexBytes) / Double(blocks) }

  /// Nothing held and nothing done.
  public init() {}

  mutating func set(_ counts: SpillCounts) {
    (hits, hitBytes, stagedHits, misses) = (counts.hits, counts.hitBytes, counts.stagedHits, counts.misses)
    (reads, readBytes) = (counts.reads, counts.readBytes)
    (residentReads, lateReads) = (counts.residentReads, counts.lateReads)
    (offered, present) = (counts.offered, counts.present)
    (ineligible, notSlower) = (counts.ineligible, counts.notSlower)
    (gated, dropped, stale) = (counts.gated, counts.dropped, counts.stale)
    (written, writtenBytes) = (counts.written, counts.writtenBytes)
    (reinsertions, fileBytes) = (counts.reinsertions, counts.fileBytes)
    (evictions, segmentsMade, segmentsFreed) = (counts.evictions, counts.segmentsMade, counts.segmentsFreed)
    (expirations, damaged) = (counts.expirations, counts.damaged)
    (readErrors, writeErrors) = (counts.readErrors, counts.writeErrors)
    (tombstones, syncs) = (counts.tombstones, counts.syncs)
  }
}

extension SpillStatistics: CustomStringConvertible {
  /// One line for people.
  public var description: String {
    let state = breaker == .closed ? "" : ", disk \(breaker.rawValue)"
    let near = notSlower == 0 ? "" : ", \(notSlower) not kept as their source is no slower than the disk"
    return
      "\(blocks) blocks in \(segments) segments, \(bytes) of \(limit) bytes, \(ByteRanges.sum(hits, stagedHits)) hits, "
      + "\(misses) misses, \(written) written, \(reinsertions) copied on, \(damaged) damaged\(near)\(state)"
  }
}
