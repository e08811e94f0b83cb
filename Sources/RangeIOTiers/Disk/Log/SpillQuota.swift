import CRangeIOSystem
import RangeIO
import Synchronization
import SystemPackage

/// The one limit of a directory that several processes share, each with its own files. A process that creates a file
/// counts the files of all processes, and no other process creates one at the same time.
struct SpillQuota: Sendable {
  let shared: SpillFolder
  /// The name of this process's private directory; `nil` for the process that has the shared directory itself.
  let privateName: String?
  let limit: Int
  /// The tries for the lock, one millisecond apart, before the other processes count as busy.
  var tries = 2_000

  enum Answer {
    /// No other process creates a file until this one is released.
    case locked(any SpillFile)
    /// This many more bytes would exceed the limit.
    case full
    /// Another process has the lock and does not release it: it is stopped, or its disk hangs. Says nothing about room.
    case busy
  }

  private func isShared() throws(Errno) -> Bool {
    guard privateName == nil else { return true }
    return try shared.directory.names().contains { SpillFormat.isPrivateName($0) }
  }

  /// Waits for the lock, to take this many bytes. Needed even by a process that is alone, since another may come at this
  /// moment.
  func enter(_ bytes: Int) throws(Errno) -> Answer {
    // Other processes hold the lock only while they preallocate a file.
    for number in 0..<max(1, tries) {
      if number > 0 { rio_pause_ns(1_000_000) }
      // Another process may have removed this file in between: then it would keep no process out.
      guard let file = try file(), try file.lock(exclusively: true), try file.status().linkCount > 0 else { continue }
      if try isShared(), try isOver(limit - bytes) { return .full }
      return .locked(file)
    }
    return .busy
  }

  /// `nil` if another process was faster: to be tried again.
  private func file() throws(Errno) -> (any SpillFile)? {
    let (directory, name) = (shared.directory, SpillFolder.quotaName)
    do throws(Errno) {
      return try directory.create(name)
    } catch .fileExists {}
    do throws(Errno) {
      do throws(Errno) {
        return try directory.open(name, writing: true)
      } catch .permissionDenied {
        // Another user has made it while the directory was open to others. It is replaced, as such a `store` is, unless
        // another process has just done that.
        let status = try directory.status(of: name)
        if !shared.disk.owns(status) || status.mode & 0o600 != 0o600 { try directory.remove(name) }
      }
    } catch .noSuchFileOrDirectory {}
    return nil
  }

  /// Checks whether all processes together take more than this, without what is not ours: no process could make room by
  /// freeing it. That is left out only if it matters, since it is seldom there and must be opened to be known.
  private func isOver(_ limit: Int) throws(Errno) -> Bool {
    guard try total(countsForeign: true) > limit else { return false }
    return try total(countsForeign: false) > limit
  }

  private func total(countsForeign: Bool) throws(Errno) -> Int {
    var sum = try total(of: shared, countsForeign)
    for name in try shared.directory.names() where SpillFormat.isPrivateName(name) {
      // `try?`: removed in between, since its process has ended.
      guard let below = try? shared.directory.openDirectory(name) else { continue }
      sum += try total(of: SpillFolder(below, on: shared.disk, shared.context), countsForeign)
    }
    return sum
  }

  private func total(of folder: SpillFolder, _ countsForeign: Bool) throws(Errno) -> Int {
    var sum = SpillFormat.fixedBytes
    for name in try folder.directory.names() where SpillFormat.segmentNumber(name) != nil {
      // `try?`: removed in between.
      guard let status = try? folder.directory.status(of: name), countsForeign || !folder.isForeign(name, status)
      else { continue }
      sum += SpillLedger.charge(of: status)
    }
    return sum
  }

  /// Removes a private directory with everything of ours in it.
  func leave(_ directory: any SpillDirectory) {
    guard let privateName else { return }
    // `try?`: what cannot be listed, too.
    SpillFolder(directory, on: shared.disk, shared.context).removeFiles((try? directory.names()) ?? [])
    // `try?`: what cannot be removed is found by the next process that opens the directory.
    try? shared.directory.removeDirectory(privateName)
  }
}

/// The accounts of a spill directory: the disk space of its files.
final class SpillLedger: Sendable {
  private let own: Ledger
  private let awaited = Atomic<Bool>(false)
  private let waiter = Locked<(@Sendable () -> Void)?>(nil)

  init(limit: Int) { own = Ledger(limit: limit) }

  /// The writer waits for a reader to release a segment.
  var isAwaited: Bool { awaited.load(ordering: .sequentiallyConsistent) }

  /// From now on the writer waits, once.
  func awaitRoom() { awaited.store(true, ordering: .sequentiallyConsistent) }

  /// Sets what to call when there is room. Called on any thread.
  func onRoom(_ body: @escaping @Sendable () -> Void) { waiter.withLock { $0 = body } }

  /// Notes that a reader released a segment, or that its space was freed.
  func tell() {
    guard isAwaited, awaited.exchange(false, ordering: .sequentiallyConsistent) else { return }
    waiter.withLock { $0 }?()
  }

  var limit: Int {
    get { own.limit }
    set { own.limit = newValue }
  }
  var bytes: Int { own.taken }
  var peakBytes: Int { own.peak }

  /// Takes this many bytes, or nothing.
  func take(_ bytes: Int) -> Bool { own.take(bytes) }

  /// Counts what is already on the disk, even beyond the limit.
  func charge(_ bytes: Int) { own.charge(bytes) }

  func give(_ bytes: Int) { own.give(bytes) }

  static func charge(of status: DiskStatus) -> Int {
    // No segment is larger. If another process has stretched the file, only the allocated space counts.
    guard (0...SpillFormat.maxSegmentSize).contains(status.size) else { return status.allocatedSize }
    return max(rounded(status.size), status.allocatedSize)
  }

  /// The disk space of this many bytes, in whole pages.
  static func rounded(_ bytes: Int) -> Int { (bytes + 4095) & ~4095 }
}
