import CRangeIOSystem
import SystemPackage

/// The open files of a directory's segments: as many as the process can spare, those that were used last.
///
/// A segment's file is opened when something of it is read, and stays open until others need its descriptor. Who has got
/// a file keeps it open, whatever is decided here.
final class SpillFiles: Sendable {
  private struct Entry {
    let file: any SpillFile
    /// Whether it was used since the hand passed it.
    var isUsed = true
    /// In the ring.
    var place: Int
  }
  /// Open files in a ring, which a hand goes round for one that was not used since it passed (CLOCK: Corbató, 1968).
  private struct State {
    private(set) var open: [UInt64: Entry] = [:]
    private var ring: [UInt64] = []
    private var hand = 0
    /// Files that were opened.
    var openings = 0
    /// The most that are kept open now.
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

    /// Takes out what was not used for long, until there are so many.
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
  /// The most that are kept open if the process has enough.
  private let limit: Int
  /// Where files are closed that a reader is the last to have.
  let closing: DiskWork

  /// - Parameters:
  ///   - most: the files that are kept open.
  ///   - closing: where files are closed that a reader is the last to have.
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

  /// A quarter of what the process may open: it has other files, too, and perhaps other directories.
  static var usualMost: Int { min(max(Int(rio_disk_descriptor_limit()) / 4, 4), 1024) }

  /// The files that are open.
  var count: Int { state.withLock { $0.open.count } }

  /// A segment's file, if it is open. Never waits.
  func openFile(_ number: UInt64) -> (any SpillFile)? { state.withLock { $0.use(number) } }

  /// A segment's file, which is opened if need be. May wait for the disk.
  func file(_ number: UInt64) throws(Errno) -> any SpillFile {
    if let known = openFile(number) { return known }
    let name = SpillFormat.segmentName(number)
    let file = try withDescriptors { () throws(Errno) in try directory.open(name, writing: !isReadOnly) }
    guard SpillFolder.isOurs(try file.status(), on: disk) else { throw .noSuchFileOrDirectory }
    return enter(file, number)
  }

  /// A segment's file was opened.
  ///
  /// - Returns: it, or the one that another thread opened meanwhile.
  @discardableResult func enter(_ file: any SpillFile, _ number: UInt64) -> any SpillFile {
    let (kept, cold) = state.withLock { state -> (any SpillFile, [any SpillFile]) in
      if let known = state.use(number) { return (known, []) }
      state.openings += 1
      // After a shortage one more, now and then: others may have closed theirs.
      if state.openings % 64 == 0 { state.most = min(limit, state.most + 1) }
      let cold = state.shrink(to: max(0, state.most - 1))
      state.add(file, number)
      return (file, cold)
    }
    withExtendedLifetime(cold) {}
    return kept
  }

  /// Lets go of a segment's file.
  ///
  /// - Returns: it, if it is open.
  func take(_ number: UInt64) -> (any SpillFile)? { state.withLock { $0.remove(number) } }

  /// Runs `body`, and once more with half of the files closed if the process has no descriptor left. Fewer are kept open
  /// for a while then: others need them.
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
  /// Whether the process or the system has too many files open, which says nothing about a disk.
  var isShortageOfDescriptors: Bool { self == .tooManyOpenFiles || self == .tooManyOpenFilesInSystem }
}
