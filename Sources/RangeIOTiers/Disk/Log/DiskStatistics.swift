import RangeIO

/// What a tier on a disk holds, and what it has done in this process. After the store was closed: what it held then.
public struct DiskStatistics: Hashable, Sendable, Encodable {
  /// The number of bytes that its files may take.
  public package(set) var limit = 0
  /// The number of bytes that its files take, including preallocated space.
  public package(set) var bytes = 0
  /// The most bytes that they ever took at once.
  package var peakBytes = 0
  /// The number of blocks that are here.
  public package(set) var blocks = 0
  /// The size of those blocks on the disk.
  package var storedBytes = 0
  /// Versions of sources that have blocks here.
  package var sources = 0
  /// The number of files.
  package var segments = 0
  /// Files that could not be read when the directory was opened: the disk failed, or the process had
  /// too many files open. Their contents are not found until the directory is opened again.
  package var segmentsLeftOut = 0
  /// The memory used by the index, and by the record of evicted blocks.
  public package(set) var indexBytes = 0
  /// The number of bytes that wait to be written.
  package var stagedBytes = 0
  /// Blocks found on the disk.
  public package(set) var hits = 0
  /// The requested bytes of those blocks.
  package var hitBytes = 0
  /// Blocks found that still waited to be written.
  package var stagedHits = 0
  /// Blocks that were not found.
  public package(set) var misses = 0
  /// Reads of files. Each reads one or more adjacent blocks.
  package var reads = 0
  /// The bytes of those reads.
  package var readBytes = 0
  /// Reads answered from the page cache on the reader's own thread.
  package var residentReads = 0
  /// Reads that took so long that the source was read as well.
  package var lateReads = 0
  /// Chunks that the tier above evicted.
  package var offered = 0
  /// Offered chunks that were already here.
  package var present = 0
  /// Offered chunks that cannot be kept: parts of blocks, blocks that are too large for a file or too old, sources that
  /// cost no more to read than the disk, and sources whose versions cannot be told apart.
  package var ineligible = 0
  /// Chunks that were not kept because their source costs no more to read than the disk, such as a local file that
  /// states no other cost. See ``DiskConfiguration/keepsFastSources``.
  public package(set) var notSlower = 0
  /// Offered chunks that were refused, since the store is full and they were not evicted before.
  package var gated = 0
  /// Offered chunks that were dropped: too many were waiting, there was no room, or the disk is sick.
  public package(set) var dropped = 0
  /// Offered chunks that were removed before they were on the disk, or that came after the store was closed.
  package var stale = 0
  /// Offered chunks that were written.
  public package(set) var written = 0
  /// The bytes of the written chunks, including headers.
  package var writtenBytes = 0
  /// Blocks that were copied when their segment was freed: they had been read twice, or many small segments were merged
  /// into a few.
  package var reinsertions = 0
  /// All bytes written to files.
  package var fileBytes = 0
  /// Blocks that were removed together with their segment.
  package var evictions = 0
  /// Segments created.
  package var segmentsMade = 0
  /// Segments freed.
  package var segmentsFreed = 0
  /// Blocks that had become too old: those on the disk, and those that were offered too late.
  package var expirations = 0
  /// Records that turned out to be damaged.
  public package(set) var damaged = 0
  /// Reads that failed because of the disk.
  package var readErrors = 0
  /// Writes that failed because of the disk.
  package var writeErrors = 0
  /// Removals written to the disk (tombstones).
  package var tombstones = 0
  /// How often files were made durable.
  package var syncs = 0
  /// Whether new blocks are compressed, if the store chooses that by itself.
  package var form: SpillCodecChoice.Form?
  /// What was measured to choose it.
  package var rates = Rates()
  /// Whether the disk is in use. `false` for a while after it failed or hung.
  public var isDiskInUse: Bool { breaker == .closed }
  /// Whether nothing new is kept because too little of the disk is free, see ``DiskConfiguration/freeSpaceFloor``, or
  /// because the disk said that it is full. The store looks again after 5 s, and then less and less often, at last every five minutes.
  public package(set) var lacksFreeSpace = false
  /// Whether the disk is in use, in detail.
  package var breaker = Breaker.closed
  /// How often the disk was found to be sick.
  package var breakerOpenings = 0
  /// How often the disk was found to have recovered.
  package var breakerClosings = 0

  /// Rates in bytes per second, as far as they were measured.
  package struct Rates: Hashable, Sendable, Encodable {
    /// Of writes, until the system has taken the bytes, or until they are durable if the user wants that.
    package var writing: Double?
    /// Of reads that the page cache could not answer.
    package var reading: Double?
    package var encoding: Double?
    package var decoding: Double?
    /// The encoded size of a byte.
    package var fraction: Double?

    package init() {}

    init(_ choice: SpillCodecChoice) {
      writing = choice.writing.bytesPerSecond
      reading = choice.reading.bytesPerSecond
      encoding = choice.coding.encoding.bytesPerSecond
      decoding = choice.coding.decoding.bytesPerSecond
      fraction = choice.coding.fraction
    }

    /// What decided, in words; empty before enough was measured.
    package var description: String {
      guard let writing, let encoding else { return "" }
      return "; the disk takes \(Self.megabytes(writing)), LZ4 \(Self.megabytes(encoding))"
    }

    private static func megabytes(_ rate: Double) -> String { "\(Int(min(rate, 1e15) / 1e6)) MB/s" }
  }

  /// Whether the disk is in use.
  package enum Breaker: String, Hashable, Sendable, Encodable {
    /// The disk is in use.
    case closed
    /// The disk is not used for a while, because it failed or hung.
    case open
    /// One call at a time goes through, to try the disk.
    case trying
  }

  /// Bytes written for each byte that was written for the first time; 1 before anything is written.
  package var writeAmplification: Double { writtenBytes == 0 ? 1 : Double(fileBytes) / Double(writtenBytes) }
  /// The memory that the index takes per block.
  package var indexBytesPerBlock: Double { blocks == 0 ? 0 : Double(indexBytes) / Double(blocks) }

  /// Creates statistics in which every value is zero.
  package init() {}
}

extension DiskStatistics: CustomStringConvertible {
  /// A one-line summary for people.
  public var description: String {
    let room = lacksFreeSpace ? ", nothing new is kept: too little of the disk is free" : ""
    let state = room + (breaker == .closed ? "" : ", disk \(breaker.rawValue)")
    let near = notSlower == 0 ? "" : ", \(notSlower) not kept as their source is no slower than the disk"
    return
      "\(blocks) blocks in \(segments) segments, \(bytes) of \(limit) bytes, \(ByteRanges.sum(hits, stagedHits)) hits, "
      + "\(misses) misses, \(written) written, \(reinsertions) copied on, \(damaged) damaged\(near)\(toldForm)\(state)"
  }
  /// How new blocks are stored.
  private var toldForm: String {
    switch form {
    case nil: ""
    case .plain: ", new blocks are stored as they are\(rates.description)"
    case .encoded: ", new blocks are compressed\(rates.description)"
    }
  }
}
