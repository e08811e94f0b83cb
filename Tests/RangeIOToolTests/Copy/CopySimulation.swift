#if Tool
import RangeIO

@testable import RangeIOTool

/// A copy without a disk and without a source: its plan, its journal, and the bytes that arrive, in an order that a
/// seed chooses. What a kill leaves are `part` and `journal`.
struct CopySimulation {
  let bytes: [UInt8]
  let layout: CopyLayout
  let requests: CopyRequests
  let identity: CopyJournal.Identity
  /// The file that is filled. Zero where nothing was written.
  private(set) var part: [UInt8]
  private(set) var journal: [UInt8] = []
  /// The bytes that were read from the source, over all runs.
  private(set) var moved = 0

  init(_ bytes: [UInt8], pieceSize: Int, _ requests: CopyRequests, version: UInt8 = 1) {
    self.bytes = bytes
    self.requests = requests
    layout = CopyLayout(byteCount: bytes.count, pieceSize: pieceSize)
    identity = CopyJournal.Identity(
      source: [UInt8](repeating: 7, count: 32), version: [UInt8](repeating: version, count: 32), layout: layout)
    part = [UInt8](repeating: 0, count: bytes.count)
  }

  /// Runs from what is there to the end, or until the process is killed.
  ///
  /// - Parameters:
  ///   - steps: the steps until the kill. A step is a request that is sent, or a portion of one that arrives.
  ///   - tears: whether the kill is in the middle of the last write to the journal.
  /// - Returns: the number of steps that were done.
  mutating func run(
    upTo steps: Int = .max, tears: Bool = false, _ random: inout SeededRandom
  ) -> (steps: Int, isComplete: Bool) {
    var plan = begin()
    var underWay: [PieceSums] = []
    var done = 0
    var lastWrite = 0..<0
    while done < steps {
      let mayBegin = underWay.count < requests.parallel && !plan.missing.isEmpty
      guard mayBegin || !underWay.isEmpty else { break }
      done += 1
      if mayBegin, underWay.isEmpty || random.below(3) == 0 {
        underWay.append(PieceSums(plan.next()!, layout))
        continue
      }
      let index = random.below(underWay.count)
      if let write = arrive(&underWay[index], &plan, &random) { lastWrite = note(write) }
      if underWay[index].missing.isEmpty { underWay.remove(at: index) }
    }
    if done >= steps, tears, !lastWrite.isEmpty { journal.removeLast(1 + random.below(lastWrite.count)) }
    return (done, plan.isComplete)
  }

  /// The plan of a process that starts now.
  private mutating func begin() -> CopyPlan {
    guard case .goOn(let found, let sums) = CopyBeginning(journal, wanted: identity, restarts: false) else {
      journal = CopyJournal.header(identity)
      part = [UInt8](repeating: 0, count: bytes.count)
      return CopyPlan(layout, requests, finished: RangeSet(), journal: CopyJournal.Cursor(identity))
    }
    var finished = RangeSet<Int>()
    for (piece, sum) in sums where self.sum(piece) == sum { finished.insert(contentsOf: piece..<piece + 1) }
    let cursor = CopyJournal.Cursor(found, length: journal.count)
    return CopyPlan(found.layout, requests, finished: finished, journal: cursor)
  }

  /// Up to 100,000 bytes of a request arrive.
  private mutating func arrive(
    _ sums: inout PieceSums, _ plan: inout CopyPlan, _ random: inout SeededRandom
  ) -> CopyPlan.JournalWrite? {
    let count = min(sums.missing.count, 1 + random.below(100_000))
    let range = sums.missing.lowerBound..<sums.missing.lowerBound + count
    part.replaceSubrange(range, with: bytes[range])
    moved += count
    var writes: [CopyPlan.JournalWrite] = []
    for record in sums.take(Bytes(bytes[range])) {
      if let write = plan.finish(record.piece, sum: record.sum) { writes.append(write) }
    }
    if plan.isComplete, let write = plan.note() { writes.append(write) }
    guard let first = writes.first else { return nil }
    return CopyPlan.JournalWrite(offset: first.offset, bytes: writes.flatMap(\.bytes))
  }

  private mutating func note(_ write: CopyPlan.JournalWrite) -> Range<Int> {
    let end = write.offset + write.bytes.count
    if journal.count < end { journal += [UInt8](repeating: 0, count: end - journal.count) }
    journal.replaceSubrange(write.offset..<end, with: write.bytes)
    return write.offset..<end
  }

  private func sum(_ piece: Int) -> UInt32 {
    let range = layout.range(of: piece..<piece + 1)
    return part.withUnsafeBytes { CRC32C.of(UnsafeRawBufferPointer(rebasing: $0[range])) }
  }

  /// A fault of the disk: a byte of the file is another one.
  mutating func flip(_ offset: Int) { part[offset] ^= 0x40 }
}
#endif
