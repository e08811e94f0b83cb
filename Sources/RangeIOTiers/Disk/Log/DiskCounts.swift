import RangeIO

/// The counts of a ``SpillStore`` in this process, and of what it holds. After the store was closed: what it held then.
package struct DiskCounts: StoreCounts {
  /// The number of bytes that its files may take.
  package var limit = 0
  /// The number of bytes that its files take, including preallocated space.
  package var bytes = 0
  /// The most bytes that they ever took at once.
  package var peakBytes = 0
  /// The number of blocks that are here.
  package var blocks = 0
  /// The size of those blocks on the disk.
  package var storedBytes = 0
  /// Versions of sources that have blocks here.
  package var sources = 0
  /// The number of files.
  package var segments = 0
  /// Files that could not be read when the directory was opened: the disk failed, or the process had
  /// too many files open. Their contents are not found until the directory is opened again.
  package var segmentsLeftOut = 0
  /// Those of them that are encrypted, with a key that is not there, or another one of the same number.
  package var segmentsOfOtherKeys = 0
  /// The memory used by the index, and by the record of evicted blocks.
  package var indexBytes = 0
  /// The number of bytes that wait to be written.
  package var stagedBytes = 0
  /// Blocks found on the disk.
  package var hits = 0
  /// The requested bytes of those blocks.
  package var hitBytes = 0
  /// Blocks found that still waited to be written.
  package var stagedHits = 0
  /// Blocks that were not found.
  package var misses = 0
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
  package var rejectedFastSource = 0
  /// Offered chunks that were refused, since the store is full and they were not evicted before.
  package var rejectedAdmission = 0
  /// Offered chunks that were dropped: too many were waiting, there was no room, or the disk is sick.
  package var dropped = 0
  /// Offered chunks that were removed before they were on the disk, or that came after the store was closed.
  package var stale = 0
  /// Offered chunks that were written.
  package var written = 0
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
  /// Blocks that had become too old, on the disk or when they were offered.
  package var expirations = 0
  /// Records that turned out to be damaged.
  package var damaged = 0
  /// Encrypted records that were whole, and not what was looked for: moved, or forged.
  package var notAuthentic = 0
  /// Reads that failed because of the disk.
  package var readErrors = 0
  /// Writes that failed because of the disk.
  package var writeErrors = 0
  /// Removals written to the disk (tombstones).
  package var tombstones = 0
  /// The number of times that files were made durable.
  package var syncs = 0
  /// The number of times that the disk was found to be sick.
  package var breakerOpenings = 0
  /// The number of times that the disk was found to have recovered.
  package var breakerClosings = 0
  /// The present state of the circuit breaker.
  package var breaker = Breaker.closed
  /// Nothing new is kept, because too little of the disk is free, see ``DiskConfiguration/freeSpaceFloor``, or because the disk
  /// said that it is full. The store looks again after 5 s, and then less and less often, at last every five minutes.
  package var lacksFreeSpace = false
  /// The choice to compress new blocks or not, and the rates that decided it, if the store chooses that by itself.
  package var choice: SpillCodecChoice?

  /// A circuit breaker's state: `closed` while the disk is in use.
  package enum Breaker: Hashable, Sendable {
    /// The disk is in use.
    case closed
    /// The disk is not used for a while, because it failed or hung.
    case open
    /// One call at a time goes through, to try the disk.
    case trying
  }

  package init() {}

  package static var named: KeyValuePairs<String, WritableKeyPath<Self, Int>> {
    [
      "bytes": \.bytes, "limit": \.limit, "blocks": \.blocks, "hits": \.hits, "misses": \.misses,
      "stagedHits": \.stagedHits, "written": \.written, "dropped": \.dropped,
      "rejectedFastSource": \.rejectedFastSource, "rejectedAdmission": \.rejectedAdmission, "damaged": \.damaged,
      "notAuthentic": \.notAuthentic, "segmentsOfOtherKeys": \.segmentsOfOtherKeys,
      "evictions": \.evictions, "expirations": \.expirations, "peakBytes": \.peakBytes, "storedBytes": \.storedBytes,
      "sources": \.sources, "segments": \.segments, "segmentsLeftOut": \.segmentsLeftOut, "indexBytes": \.indexBytes,
      "stagedBytes": \.stagedBytes, "hitBytes": \.hitBytes, "reads": \.reads, "readBytes": \.readBytes,
      "residentReads": \.residentReads, "lateReads": \.lateReads, "offered": \.offered, "present": \.present,
      "ineligible": \.ineligible, "stale": \.stale, "writtenBytes": \.writtenBytes, "reinsertions": \.reinsertions,
      "fileBytes": \.fileBytes, "segmentsMade": \.segmentsMade, "segmentsFreed": \.segmentsFreed,
      "readErrors": \.readErrors, "writeErrors": \.writeErrors, "tombstones": \.tombstones, "syncs": \.syncs,
      "breakerOpenings": \.breakerOpenings, "breakerClosings": \.breakerClosings,
    ]
  }

  /// Bytes written for each byte that was written for the first time; 1 before anything is written.
  package var writeAmplification: Double { writtenBytes == 0 ? 1 : Double(fileBytes) / Double(writtenBytes) }
}

extension DiskCounts {
  /// The counts as users see them, with what is so now as 1 or 0, and what was measured.
  var counters: Counters {
    var all = counters("disk")
    all.counts += [
      .init("notInUse", breaker == .closed ? 0 : 1), .init("lacksFreeSpace", lacksFreeSpace ? 1 : 0),
    ]
    if let choice { all.counts += choice.counts }
    return all
  }
}
