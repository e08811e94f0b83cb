import Synchronization
import SystemPackage

/// One file of a spill directory. Whoever reads from it keeps it alive, and its space counts until the last reader is
/// gone. Open only as long as it is used, see ``SpillFiles``.
final class SpillSegment: Sendable {
  let number: UInt64
  /// What every record repeats.
  let check: UInt32
  private let files: SpillFiles
  private let ledger: SpillLedger
  /// Whether it has no name any more.
  private let isUnlinked = Atomic<Bool>(false)
  /// What is charged for it.
  private let charge: Atomic<Int>
  private let hasEnded = Atomic<Bool>(false)

  /// A segment for which `charge` bytes of `ledger` were taken.
  init(number: UInt64, check: UInt32, charge: Int, ledger: SpillLedger, files: SpillFiles) {
    self.number = number
    self.check = check
    self.charge = Atomic(charge)
    self.ledger = ledger
    self.files = files
  }

  /// Its file, which is opened if need be. May wait for the disk.
  func file() throws(Errno) -> any SpillFile { try files.file(number) }

  /// Its file, if it is open. Never waits.
  var openFile: (any SpillFile)? { files.openFile(number) }

  /// Its file was removed.
  func isGone() { isUnlinked.store(true, ordering: .relaxed) }

  /// Its file could not be removed: its space goes on counting.
  func stays() { charge.store(0, ordering: .relaxed) }

  /// What counts for it.
  var chargedBytes: Int { charge.load(ordering: .relaxed) }

  /// It takes so much now. Never more than before.
  func recharge(_ bytes: Int) {
    let before = charge.exchange(bytes, ordering: .relaxed)
    ledger.give(before - bytes)
  }

  // MARK: the end

  /// Closes the file and gives its space back now, for a caller who may wait for the disk, and is the last who has it.
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
    // The last may be a reader, who must not wait for a disk that hangs.
    files.closing.start { [isUnlinked = isUnlinked.load(ordering: .relaxed), ledger] in
      Self.end(file, isUnlinked, charge, ledger)
    }
  }

  private static func end(_ file: (any SpillFile)?, _ isUnlinked: Bool, _ charge: Int, _ ledger: SpillLedger) {
    // The disk gives the space of a removed file back when it is closed everywhere: in a process, too, that was forked at
    // this moment. Cutting it gives it back at once; what cannot be cut comes back a little later.
    if isUnlinked { try? file?.truncate(0) }
    ledger.give(charge)
    ledger.tell()
  }
}

/// The account of a spill directory: what its files take of the disk.
final class SpillLedger: Sendable {
  private let limitValue: Atomic<Int>
  private let taken = Atomic<Int>(0)
  private let mostTaken = Atomic<Int>(0)

  private let awaited = Atomic<Bool>(false)
  private let waiter = Locked<(@Sendable () -> Void)?>(nil)

  init(limit: Int) { limitValue = Atomic(limit) }

  /// Whether the writer waits until a reader releases a segment.
  var isAwaited: Bool { awaited.load(ordering: .sequentiallyConsistent) }

  /// From now on it is, once.
  func awaitRoom() { awaited.store(true, ordering: .sequentiallyConsistent) }

  /// Who is told. Called on any thread.
  func onRoom(_ body: @escaping @Sendable () -> Void) { waiter.withLock { $0 = body } }

  /// A reader has let go of a segment, or its space came back.
  func tell() {
    guard isAwaited, awaited.exchange(false, ordering: .sequentiallyConsistent) else { return }
    waiter.withLock { $0 }?()
  }

  var limit: Int {
    get { limitValue.load(ordering: .relaxed) }
    set { limitValue.store(newValue, ordering: .relaxed) }
  }
  var bytes: Int { taken.load(ordering: .relaxed) }
  var peakBytes: Int { mostTaken.load(ordering: .relaxed) }

  /// Takes so much, or nothing.
  func take(_ bytes: Int) -> Bool {
    guard taken.take(bytes, upTo: limit) else { return false }
    mostTaken.max(self.bytes, ordering: .relaxed)
    return true
  }

  /// Takes what is on the disk already, whether or not it is within the limit.
  func charge(_ bytes: Int) {
    taken.wrappingAdd(bytes, ordering: .relaxed)
    mostTaken.max(self.bytes, ordering: .relaxed)
  }

  func give(_ bytes: Int) { taken.wrappingSubtract(bytes, ordering: .relaxed) }

  /// What a file takes of the disk.
  static func charge(of status: DiskStatus) -> Int {
    // No segment is larger: what somebody has stretched takes what is allocated.
    guard (0...SpillFormat.largestSegment).contains(status.size) else { return status.allocatedSize }
    return max(rounded(status.size), status.allocatedSize)
  }

  /// What so many bytes in a file take, in whole pages.
  static func rounded(_ bytes: Int) -> Int { (bytes + 4095) & ~4095 }
}
