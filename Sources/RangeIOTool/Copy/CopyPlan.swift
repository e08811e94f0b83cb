#if Tool
import RangeIO

/// The pieces that a copy still has to read, and those to note in its journal. A value: it neither reads nor writes.
///
/// Each piece is missing, requested, or finished. A piece is finished when its bytes are in the file. The copy is
/// killed at any moment: then the next one begins with the pieces that the journal has.
struct CopyPlan {
  /// Bytes to write into the journal at an offset.
  struct JournalWrite: Equatable {
    var offset: Int
    var bytes: [UInt8]
  }

  let layout: CopyLayout
  let requests: CopyRequests
  /// Pieces that are neither finished nor requested.
  private(set) var missing: RangeSet<Int>
  private(set) var missingBytes: Int
  /// The bytes of the finished pieces.
  private(set) var finishedBytes: Int
  /// Records of finished pieces that are not in the journal yet, and the number of bytes in these pieces.
  private var unnoted: [CopyJournal.Record] = []
  private var unnotedBytes = 0
  private var journal: CopyJournal.Cursor?
  /// The number of requests of the present size to come, and the number of pieces in each.
  private var batch = (left: 0, pieces: 0)

  /// Plans a copy.
  ///
  /// - Parameters:
  ///   - finished: the pieces that an earlier run has left.
  ///   - journal: where the next record goes; `nil` if there is no journal.
  init(_ layout: CopyLayout, _ requests: CopyRequests, finished: RangeSet<Int>, journal: CopyJournal.Cursor?) {
    self.layout = layout
    self.requests = requests
    var missing = RangeSet(0..<layout.pieceCount)
    missing.subtract(finished)
    self.missing = missing
    missingBytes = layout.byteCount(of: missing.ranges)
    finishedBytes = layout.byteCount - missingBytes
    self.journal = journal
  }

  /// All bytes are in the file.
  var isComplete: Bool { finishedBytes == layout.byteCount }

  /// The most bytes that are finished and not in the journal: a two-thousandth of all, at most 4 MiB.
  var maxUnnoted: Int { min(max(layout.byteCount / 2000, layout.pieceSize), 4 << 20) }

  /// The pieces of the next request, from the start of the source on; `nil` if all are finished or requested.
  mutating func next() -> Range<Int>? {
    guard let run = missing.ranges.first else { return nil }
    if batch.left == 0 {
      batch = (requests.parallel, requests.pieces(missing: missingBytes, pieceSize: layout.pieceSize))
    }
    batch.left -= 1
    let taken = run.prefix(batch.pieces)
    let pieces = taken.startIndex..<taken.endIndex
    missing.remove(contentsOf: pieces)
    missingBytes -= layout.range(of: pieces).count
    return pieces
  }

  /// The missing pieces that lie within `hole`. They count as requested.
  mutating func take(within hole: ByteRange) -> [Range<Int>] {
    let (whole, rest) = hole.lowerBound.quotientAndRemainder(dividingBy: layout.pieceSize)
    let first = whole + (rest == 0 ? 0 : 1)
    let end = hole.upperBound == layout.byteCount ? layout.pieceCount : hole.upperBound / layout.pieceSize
    guard first < end else { return [] }
    let runs = missing.intersection(RangeSet(first..<end))
    missing.subtract(runs)
    missingBytes -= layout.byteCount(of: runs.ranges)
    return Array(runs.ranges)
  }

  /// Records that the file has zeros where `pieces` are, which ``take(within:)`` has returned.
  ///
  /// They are not noted, since there is no bound on how many a hole has: the next run finds the hole again.
  mutating func finish(zeros pieces: Range<Int>) { finishedBytes += layout.range(of: pieces).count }

  /// Records that the bytes of a requested piece are in the file.
  ///
  /// - Parameter sum: the CRC-32C of the piece.
  /// - Returns: what to write into the journal now, if anything.
  mutating func finish(_ piece: Int, sum: UInt32) -> JournalWrite? {
    let count = layout.range(of: piece..<piece + 1).count
    finishedBytes += count
    guard journal != nil else { return nil }
    unnotedBytes += count
    unnoted.append(CopyJournal.Record(piece: piece, sum: sum))
    return unnotedBytes >= maxUnnoted ? note() : nil
  }

  /// Returns what the journal lacks of the finished pieces.
  mutating func note() -> JournalWrite? {
    guard !unnoted.isEmpty else { return nil }
    let write = journal?.write(unnoted)
    unnoted.removeAll(keepingCapacity: true)
    unnotedBytes = 0
    return write
  }
}
#endif
