import CRangeIOSystem
import RangeIO
import Synchronization
import SystemPackage

/// One file of a spill directory. A read keeps it alive, and its space counts until the last reader releases it. Its
/// file is open only while it is used, see ``SpillFiles``.
final class SpillSegment: Sendable {
  let number: UInt64
  /// The check that every record repeats.
  let check: UInt32
  /// Which codec of the user's its chunks are encoded with, as its header says.
  let codec: UInt64
  private let files: SpillFiles
  private let ledger: SpillLedger
  private let isUnlinked = Atomic<Bool>(false)
  private let charge: Atomic<Int>
  private let hasEnded = Atomic<Bool>(false)

  /// Creates a segment for which `charge` bytes of `ledger` were taken.
  init(number: UInt64, check: UInt32, codec: UInt64 = 0, charge: Int, ledger: SpillLedger, files: SpillFiles) {
    self.number = number
    self.check = check
    self.codec = codec
    self.charge = Atomic(charge)
    self.ledger = ledger
    self.files = files
  }

  /// Its file. Opens it if necessary, so it may wait for the disk.
  func file() throws(Errno) -> any SpillFile { try files.file(number) }

  /// Its file, if it is open. Never waits.
  var openFile: (any SpillFile)? { files.openFile(number) }

  func isGone() { isUnlinked.store(true, ordering: .relaxed) }

  /// Notes that its file could not be removed. Its space continues to count.
  func stays() { charge.store(0, ordering: .relaxed) }

  var chargedBytes: Int { charge.load(ordering: .relaxed) }

  /// Changes the charge. Never to more than before.
  func recharge(_ bytes: Int) {
    let before = charge.exchange(bytes, ordering: .relaxed)
    ledger.give(before - bytes)
  }

  // MARK: the end

  /// Closes the file and gives its space back now. For a caller that may wait for the disk, and has the last reference.
  func end() {
    guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
    Self.end(files.take(number), isUnlinked.load(ordering: .relaxed), charge.load(ordering: .relaxed), ledger)
  }

  deinit {
    guard !hasEnded.load(ordering: .relaxed) else { return }
    let (charge, isUnlinked) = (charge.load(ordering: .relaxed), isUnlinked.load(ordering: .relaxed))
    guard let file = files.take(number) else {
      Self.end(nil, isUnlinked, charge, ledger)
      return
    }
    // A reader may have the last reference, and must not wait for a disk that hangs.
    files.closing.start { [ledger] in Self.end(file, isUnlinked, charge, ledger) }
  }

  private static func end(_ file: (any SpillFile)?, _ isUnlinked: Bool, _ charge: Int, _ ledger: SpillLedger) {
    // The disk frees a removed file when it is closed everywhere, including in a process that was forked at this
    // moment. Cutting the file frees its space at once. `try?`: a file that cannot be cut is freed a little later.
    if isUnlinked { try? file?.truncate(0) }
    ledger.give(charge)
    ledger.tell()
  }
}

/// The open files of a directory's segments: the most recently used ones, as many as the process can spare.
///
/// A segment's file is opened when it is read, and stays open until its descriptor is needed for another. A caller that
/// has a file keeps it open, whatever happens here.
final class SpillFiles: Sendable {
  /// An object, so that one look-up serves for using it. Guarded by the lock of what holds it.
  private final class Entry {
    let file: any SpillFile
    var isUsed = true
    var place: Int

    init(file: any SpillFile, place: Int) { (self.file, self.place) = (file, place) }
  }
  /// Open files in a ring. A hand goes round to find one that was not used since it last passed (CLOCK: Corbató, 1968).
  private struct State {
    private(set) var open: [UInt64: Entry] = [:]
    private var ring: [UInt64] = []
    private var hand = 0
    var openings = 0
    var most: Int

    init(most: Int) { self.most = most }

    mutating func use(_ number: UInt64) -> (any SpillFile)? {
      guard let entry = open[number] else { return nil }
      entry.isUsed = true
      return entry.file
    }

    mutating func add(_ file: any SpillFile, _ number: UInt64) {
      open[number] = Entry(file: file, place: ring.count)
      ring.append(number)
    }

    mutating func remove(_ number: UInt64) -> (any SpillFile)? {
      guard let entry = open.removeValue(forKey: number) else { return nil }
      let last = ring.removeLast()
      if last != number {
        ring[entry.place] = last
        open[last]!.place = entry.place
      }
      return entry.file
    }

    /// Removes files that were not used recently, until this many are left.
    mutating func shrink(to count: Int) -> [any SpillFile] {
      var cold: [any SpillFile] = []
      while ring.count > count {
        if hand >= ring.count { hand = 0 }
        let number = ring[hand]
        if open[number]!.isUsed {
          open[number]!.isUsed = false
          hand += 1
        } else if let file = remove(number) {
          cold.append(file)
        }
      }
      return cold
    }
  }

  private let state: Locked<State>
  private let directory: any SpillDirectory
  private let disk: any SpillDisk
  private let isReadOnly: Bool
  /// The number of files that may stay open if the process has enough descriptors.
  private let limit: Int
  /// Where a file is closed if a reader is the last to release it.
  let closing: DiskWork

  init(_ directory: any SpillDirectory, on disk: any SpillDisk, isReadOnly: Bool, most: Int, closing: DiskWork) {
    self.directory = directory
    self.disk = disk
    self.isReadOnly = isReadOnly
    self.closing = closing
    limit = most
    state = Locked(State(most: most))
  }

  /// A quarter of what the process may open, from 4 to 1,024: it has other files too, and perhaps other directories.
  static var usualMost: Int { min(max(Int(rio_disk_descriptor_limit()) / 4, 4), 1024) }

  var count: Int { state.withLock { $0.open.count } }

  /// The file of a segment, if it is open. Never waits.
  func openFile(_ number: UInt64) -> (any SpillFile)? { state.withLock { $0.use(number) } }

  /// The file of a segment. Opens it if necessary, so it may wait for the disk.
  func file(_ number: UInt64) throws(Errno) -> any SpillFile {
    if let known = openFile(number) { return known }
    let name = SpillFormat.segmentName(number)
    let file = try withDescriptors { () throws(Errno) in try directory.open(name, writing: !isReadOnly) }
    guard disk.trusts(try file.status()) else { throw .noSuchFileOrDirectory }
    return enter(file, number)
  }

  /// Adds the file of a segment that was just opened. Returns this file, or the one that another thread opened in
  /// between.
  @discardableResult func enter(_ file: any SpillFile, _ number: UInt64) -> any SpillFile {
    let (kept, cold) = state.withLock { state -> (any SpillFile, [any SpillFile]) in
      if let known = state.use(number) { return (known, []) }
      state.openings += 1
      // After a shortage, allow one more from time to time: other code may have closed its files.
      if state.openings % 64 == 0 { state.most = min(limit, state.most + 1) }
      let cold = state.shrink(to: max(0, state.most - 1))
      state.add(file, number)
      return (file, cold)
    }
    withExtendedLifetime(cold) {}
    return kept
  }

  /// Removes the file of a segment. Returns the file, if it is open.
  func take(_ number: UInt64) -> (any SpillFile)? { state.withLock { $0.remove(number) } }

  /// Runs `body`. If the process has no descriptor left, closes half of the files and runs `body` once more. After
  /// that, fewer files stay open for a while, since other code needs descriptors.
  func withDescriptors<Value>(_ body: () throws(Errno) -> Value) throws(Errno) -> Value {
    do throws(Errno) {
      return try body()
    } catch {
      guard error.isShortageOfDescriptors, closeHalf() else { throw error }
      return try body()
    }
  }

  private func closeHalf() -> Bool {
    let cold = state.withLock { state in
      state.most = max(1, state.open.count / 2)
      return state.shrink(to: state.open.count / 2)
    }
    return !cold.isEmpty
  }
}

extension Errno {
  /// The process or the system has too many open files. This says nothing about the disk.
  var isShortageOfDescriptors: Bool { self == .tooManyOpenFiles || self == .tooManyOpenFilesInSystem }
}
