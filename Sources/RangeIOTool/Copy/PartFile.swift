#if Tool
import Dispatch
import RangeIO
import RangeIOSupport
import SystemPackage

/// The file that a copy fills, and its journal. Both lie beside the target until the copy is complete.
///
/// Writes what it is told and decides nothing. Holds a lock on the journal, so that two copies never fill one file. Any
/// thread may write.
final class PartFile: Sendable {
  let target: CopyTarget
  private let part: OwnFile
  private let journal: OwnFile
  /// At most one range for each request is queued.
  private let writing = DispatchQueue(label: "rangeio.copy.writing")
  /// All that has not been written since it was opened is a hole.
  private let isFresh: Bool
  /// The most times that the journal is opened, since another copy may remove it meanwhile.
  private static let maxOpenings = 100

  private init(_ target: CopyTarget, part: OwnFile, journal: OwnFile, isFresh: Bool) {
    self.target = target
    self.part = part
    self.journal = journal
    self.isFresh = isFresh
  }

  /// The files at the start of a copy, and what is in them.
  struct Opened {
    let file: PartFile
    let layout: CopyLayout
    /// The pieces that are there.
    let finished: RangeSet<Int>
    /// Where the next record goes; `nil` if the version cannot be recognized later, and nothing is noted.
    let journal: CopyJournal.Cursor?
    let beginning: CopyBeginning
  }

  /// Opens the files beside `target`, or creates them, and compares all that is there with its checksums.
  ///
  /// - Parameters:
  ///   - wanted: what is copied; `nil` if its version cannot be recognized later.
  ///   - layout: of a copy that begins from the start.
  ///   - restarts: whether the user wants to start over.
  ///   - check: called with the number of bytes after each piece that was compared. It may throw.
  static func open(
    _ target: CopyTarget, _ wanted: CopyJournal.Identity?, _ layout: CopyLayout, restarts: Bool,
    check: (Int) throws -> Void
  ) throws -> Opened {
    let journal = try lockedJournal(target)
    let noted = try journal.contents(upTo: CopyJournal.largest(layout))
    // The user may have files of these names: what is in them tells.
    guard noted.isEmpty || noted.starts(with: CopyJournal.magic) else { throw ToolFailure.foreign(journal.path) }
    let part = try OwnFile(target.part, permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
    if noted.isEmpty, try part.byteCount > 0 {
      // Just created.
      unlink(journal.path)
      throw ToolFailure.foreign(part.path)
    }
    let beginning = CopyBeginning(noted, wanted: wanted, restarts: restarts)
    if case .goOn(let found, let sums) = beginning {
      try part.resize(to: found.layout.byteCount)
      let file = PartFile(target, part: part, journal: journal, isFresh: false)
      return Opened(
        file: file, layout: found.layout, finished: try file.finished(sums, found.layout, check: check),
        journal: CopyJournal.Cursor(found, length: noted.count), beginning: beginning)
    }
    let file = PartFile(target, part: part, journal: journal, isFresh: true)
    do throws(ToolFailure) {
      try file.empty(wanted, layout)
    } catch {
      file.discard()
      throw error
    }
    return Opened(
      file: file, layout: layout, finished: RangeSet(), journal: wanted.map { CopyJournal.Cursor($0) },
      beginning: beginning)
  }

  /// Makes both files those of a copy that begins.
  private func empty(_ wanted: CopyJournal.Identity?, _ layout: CopyLayout) throws(ToolFailure) {
    // The journal first: it must never say of a new file what was in the old one. It is never without its first bytes,
    // by which the next run knows that both files are ours.
    try journal.write(CopyJournal.magic, at: 0)
    try journal.resize(to: CopyJournal.magic.count)
    try part.resize(to: 0)
    try part.resize(to: layout.byteCount)
    if let wanted { try journal.write(CopyJournal.header(wanted), at: 0) }
  }

  /// Writes `bytes` at `offset`, except blocks of zeros where the file has zeros.
  func write(_ bytes: Bytes, at offset: Int) throws(ToolFailure) {
    var offset = offset
    try bytes.forEachSpan { (span) throws(ToolFailure) in
      // In two steps, because `RawSpan.withUnsafeBytes` passes on a typed error only if its closure is spelled out.
      try span.withUnsafeBytes { (buffer) throws(ToolFailure) in
        try ZeroBlocks.forEachRun(buffer, at: offset) { (run, place, isZero) throws(ToolFailure) in
          if isZero, try isHole(place..<place + run.count) { return }
          try OutputWait.during { () throws(ToolFailure) in try part.write(run, at: place) }
        }
      }
      offset += span.byteCount
    }
  }

  /// Makes all of `range` zeros.
  func clear(_ range: ByteRange) throws(ToolFailure) {
    guard !isFresh, part.mayHaveData(in: range) else { return }
    let zeros = [UInt8](repeating: 0, count: min(range.count, CopyLayout.maxPieceSize))
    var position = range.lowerBound
    while position < range.upperBound {
      let count = min(zeros.count, range.upperBound - position)
      try part.write(Array(zeros[..<count]), at: position)
      position += count
    }
  }

  /// Has the system begin to write `range` to the disk, so that less is left to wait for at the end.
  ///
  /// Returns at once. The system's call waits for a busy disk: 70 to 100 ms for 64 MiB, and all first requests end at about
  /// the same time. On threads of tasks that kept the next requests waiting, and the link idle for a third of a second.
  func beginWriting(_ range: ByteRange) { writing.async { [part] in part.beginWriting(range) } }

  /// Notes finished pieces.
  func note(_ write: CopyPlan.JournalWrite) throws(ToolFailure) { try journal.write(write.bytes, at: write.offset) }

  /// The SHA-256 of the first `byteCount` bytes, as they are in the file.
  ///
  /// - Parameter check: called with the number of bytes after each portion. It may throw.
  func digest(_ byteCount: Int, check: (Int) throws -> Void) throws -> [UInt8] {
    var hash = SHA256()
    var position = 0
    while position < byteCount {
      let range = position..<min(position + 4 << 20, byteCount)
      try part.forEachPortion(of: range) { hash.update($0) }
      position = range.upperBound
      try check(range.count)
    }
    return hash.finish()
  }

  /// Makes the file durable, and then gives it its name.
  func finish(_ byteCount: Int) throws(ToolFailure) {
    guard try part.byteCount == byteCount else {
      throw ToolFailure("\(part.path) is not what was written: if another program uses it, end that, and copy again")
    }
    if let permissions = target.permissions { part.setPermissions(permissions) }
    do throws(ToolFailure) {
      try part.sync()
    } catch {
      // The system reports this once. It may have dropped bytes that it could not write, and still show them to the next
      // copy, which would compare them, find them right and say so.
      discard()
      throw error
    }
    try Interrupts.shared.releaseTemporary { () throws(ToolFailure) in
      let result =
        target.replaces
        ? rename(part.path, target.path) : OutputFile.renameWithoutReplacing(part.path, target.path)
      guard result == 0 else {
        let error = Errno(rawValue: errno)
        throw error == .fileExists ? .exists(target.path) : .writing(to: target.path, error)
      }
      try OwnFile.syncDirectory(target.directory)
      unlink(journal.path)
    }
  }

  /// Removes both files: they are of no use to another copy.
  func discard() {
    unlink(part.path)
    unlink(journal.path)
  }

  private func isHole(_ range: ByteRange) throws(ToolFailure) -> Bool {
    guard !isFresh, part.mayHaveData(in: range) else { return true }
    var isZero = true
    try part.forEachPortion(of: range) { isZero = isZero && ZeroBlocks.isZero($0) }
    return isZero
  }

  /// The pieces whose bytes have the checksums that the journal says.
  private func finished(
    _ sums: [Int: UInt32], _ layout: CopyLayout, check: (Int) throws -> Void
  ) throws -> RangeSet<Int> {
    var finished = RangeSet<Int>()
    let zeros = ZeroSums(layout)
    for piece in sums.keys.sorted() {
      let range = layout.range(of: piece..<piece + 1)
      var sum: UInt32 = 0
      if part.mayHaveData(in: range) {
        try part.forEachPortion(of: range) { sum = CRC32C.of($0, continuing: sum) }
      } else {
        sum = zeros[piece]
      }
      if sum == sums[piece] { finished.insert(contentsOf: piece..<piece + 1) }
      try check(range.count)
    }
    return finished
  }

  /// The journal of `target`, locked by this process.
  private static func lockedJournal(_ target: CopyTarget) throws(ToolFailure) -> OwnFile {
    for _ in 0..<maxOpenings {
      let journal = try OwnFile(target.journal, permissions: .ownerReadWrite)
      guard journal.lock() else {
        throw ToolFailure("another rangeio is copying to \(target.path): wait until it ends")
      }
      // A copy that has just ended may have removed it before it gave up its lock.
      if try !journal.isRemoved { return journal }
    }
    throw ToolFailure(
      "\(target.journal) has no name as soon as it is opened: if other copies to \(target.path) begin and end all the "
        + "time, wait; if not, its file system cannot be copied to, so choose another")
  }
}
#endif
