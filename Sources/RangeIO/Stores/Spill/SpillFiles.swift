import CRangeIOSystem
import SystemPackage

/// The open files of a directory's segments: the most recently used ones, as many as the process can spare.
///
/// A segment's file is opened when it is read, and stays open until its descriptor is needed for another. A caller that
/// has a file keeps it open, whatever happens here.
final class SpillFiles: Sendable {
  private struct Entry {
    let file: any SpillFile
    /// Whether it was used since the hand passed it.
    var isUsed = true
    /// Its place in the ring.
    var place: Int
  }
  /// Open files in a ring. A hand goes round to find one that was not used since it last passed (CLOCK: Corbató, 1968).
  private struct State {
    private(set) var open: [UInt64: Entry] = [:]
    private var ring: [UInt64] = []
    private var hand = 0
    /// The number of times a file was opened.
    var openings = 0
    /// How many files may stay open now.
    var most: Int

    init(most: Int) { self.most = most }

    mutating func use(_ number: UInt64) -> (any SpillFile)? {
      open[number]?.isUsed = true
      return open[number]?.file
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
  /// How many files may stay open if the process has enough descriptors.
  private let limit: Int
  /// Where a file is closed if a reader is the last to release it.
  let closing: DiskWork

  /// - Parameters:
  ///   - most: how many files stay open.
  ///   - closing: where a file is closed if a reader is the last to release it.
  init(
    _ directory: any SpillDirectory, on disk: any SpillDisk, isReadOnly: Bool, most: Int, closing: DiskWork
  ) {
    self.directory = directory
    self.disk = disk
    self.isReadOnly = isReadOnly
    self.closing = closing
    limit = most
    state = Locked(State(most: most))
  }

  /// A quarter of what the process may open: it has other files too, and perhaps other directories.
  static var usualMost: Int { min(max(Int(rio_disk_descriptor_limit()) / 4, 4), 1024) }

  /// The number of open files.
  var count: Int { state.withLock { $0.open.count } }

  /// The file of a segment, if it is open. Never waits.
  func openFile(_ number: UInt64) -> (any SpillFile)? { state.withLock { $0.use(number) } }

  /// The file of a segment. Opens it if necessary, so it may wait for the disk.
  func file(_ number: UInt64) throws(Errno) -> any SpillFile {
    if let known = openFile(number) { return known }
    let name = SpillFormat.segmentName(number)
    let file = try withDescriptors { () throws(Errno) in try directory.open(name, writing: !isReadOnly) }
    guard disk.owns(try file.status()) else { throw .noSuchFileOrDirectory }
    return enter(file, number)
  }

  /// Adds the file of a segment that was just opened.
  ///
  /// - Returns: this file, or the one that another thread opened in between.
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

  /// Removes the file of a segment.
  ///
  /// - Returns: the file, if it is open.
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

  /// - Returns: whether there were any.
  private func closeHalf() -> Bool {
    let cold = state.withLock { state in
      state.most = max(1, state.open.count / 2)
      return state.shrink(to: state.open.count / 2)
    }
    return !cold.isEmpty
  }
}

extension Errno {
  /// Whether the process or the system has too many open files. This says nothing about the disk.
  var isShortageOfDescriptors: Bool { self == .tooManyOpenFiles || self == .tooManyOpenFilesInSystem }
}
