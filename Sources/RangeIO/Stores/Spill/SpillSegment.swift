import Synchronization
import SystemPackage

/// One file of a spill directory. A read keeps it alive, and its space counts until the last reader releases it. Its
/// file is open only while it is used, see ``SpillFiles``.
final class SpillSegment: Sendable {
  let number: UInt64
  /// The check that every record repeats.
  let check: UInt32
  private let files: SpillFiles
  private let ledger: SpillLedger
  /// Whether its file was removed.
  private let isUnlinked = Atomic<Bool>(false)
  /// The number of bytes charged for it.
  private let charge: Atomic<Int>
  private let hasEnded = Atomic<Bool>(false)

  /// Creates a segment for which `charge` bytes of `ledger` were taken.
  init(number: UInt64, check: UInt32, charge: Int, ledger: SpillLedger, files: SpillFiles) {
    self.number = number
    self.check = check
    self.charge = Atomic(charge)
    self.ledger = ledger
    self.files = files
  }

  /// Its file. Opens it if necessary, so it may wait for the disk.
  func file() throws(Errno) -> any SpillFile { try files.file(number) }

  /// Its file, if it is open. Never waits.
  var openFile: (any SpillFile)? { files.openFile(number) }

  /// Notes that its file was removed.
  func isGone() { isUnlinked.store(true, ordering: .relaxed) }

  /// Notes that its file could not be removed. Its space continues to count.
  func stays() { charge.store(0, ordering: .relaxed) }

  /// The bytes that count for it.
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
    let charge = charge.load(ordering: .relaxed)
    guard let file = files.take(number) else {
      ledger.give(charge)
      ledger.tell()
      return
    }
    // A reader may have the last reference, and must not wait for a disk that hangs.
    files.closing.start { [isUnlinked = isUnlinked.load(ordering: .relaxed), ledger] in
      Self.end(file, isUnlinked, charge, ledger)
    }
  }

  private static func end(_ file: (any SpillFile)?, _ isUnlinked: Bool, _ charge: Int, _ ledger: SpillLedger) {
    // The disk frees a removed file when it is closed everywhere, including in a process that was forked at this
    // moment. Cutting the file frees its space at once. `try?`: a file that cannot be cut is freed a little later.
    if isUnlinked { try? file?.truncate(0) }
    ledger.give(charge)
    ledger.tell()
  }
}

/// The accounts of a spill directory: the disk space of its files.
final class SpillLedger: Sendable {
  private let own: Ledger
  private let awaited = Atomic<Bool>(false)
  private let waiter = Locked<(@Sendable () -> Void)?>(nil)

  init(limit: Int) { own = Ledger(limit: limit) }

  /// Whether the writer waits for a reader to release a segment.
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

  /// The disk space of a file.
  static func charge(of status: DiskStatus) -> Int {
    // No segment is larger. If another process has stretched the file, only the allocated space counts.
    guard (0...SpillFormat.largestSegment).contains(status.size) else { return status.allocatedSize }
    return max(rounded(status.size), status.allocatedSize)
  }

  /// The disk space of this many bytes, in whole pages.
  static func rounded(_ bytes: Int) -> Int { (bytes + 4095) & ~4095 }
}
