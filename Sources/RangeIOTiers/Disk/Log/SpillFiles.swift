import CRangeIOSystem
import RangeIO
import SystemPackage

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
