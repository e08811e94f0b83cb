import Synchronization

/// One file of a spill directory. Whoever reads from it keeps it alive: the file is open until the last reader is gone,
/// and its space counts until then.
final class SpillSegment: Sendable {
  let number: UInt64
  /// `nil` only when nobody has the segment any more.
  private nonisolated(unsafe) var openFile: (any SpillFile)?
  var file: any SpillFile { openFile! }
  /// What every record repeats.
  let check: UInt32
  private let ledger: SpillLedger
  /// Whether it has no name any more.
  private let isUnlinked = Atomic<Bool>(false)
  /// What is charged for it.
  private let charge: Atomic<Int>

  /// A segment for which `charge` bytes of `ledger` were taken.
  init(number: UInt64, file: any SpillFile, check: UInt32, charge: Int, ledger: SpillLedger) {
    self.number = number
    openFile = file
    self.check = check
    self.charge = Atomic(charge)
    self.ledger = ledger
  }

  /// Its file was removed.
  func isGone() { isUnlinked.store(true, ordering: .relaxed) }

  /// Its file could not be removed: its space goes on counting.
  func stays() { charge.store(0, ordering: .relaxed) }

  deinit {
    // The disk gives the space of a removed file back when it is closed everywhere: in a process, too, that was forked at
    // this moment. Cutting it gives it back at once; what cannot be cut comes back a little later.
    if isUnlinked.load(ordering: .relaxed) { try? openFile?.truncate(0) }
    openFile = nil
    ledger.give(charge.load(ordering: .relaxed))
  }

  /// It takes so much now. Never more than before.
  func recharge(_ bytes: Int) {
    let before = charge.exchange(bytes, ordering: .relaxed)
    ledger.give(before - bytes)
  }
}

/// The account of a spill directory: what its files take of the disk.
final class SpillLedger: Sendable {
  private let limitValue: Atomic<Int>
  private let taken = Atomic<Int>(0)
  private let mostTaken = Atomic<Int>(0)

  init(limit: Int) { limitValue = Atomic(limit) }

  var limit: Int {
    get { limitValue.load(ordering: .relaxed) }
    set { limitValue.store(newValue, ordering: .relaxed) }
  }
  var bytes: Int { taken.load(ordering: .relaxed) }
  var peakBytes: Int { mostTaken.load(ordering: .relaxed) }

  /// Takes so much, or nothing.
  func take(_ bytes: Int) -> Bool {
    guard MemoryLedger.take(bytes, of: taken, upTo: limit) else { return false }
    mostTaken.max(self.bytes, ordering: .relaxed)
    return true
  }

  /// Takes what is on the disk already, whether or not it is within the limit.
  func charge(_ bytes: Int) {
    taken.wrappingAdd(bytes, ordering: .relaxed)
    mostTaken.max(self.bytes, ordering: .relaxed)
  }

  func give(_ bytes: Int) { taken.wrappingSubtract(bytes, ordering: .relaxed) }

  /// What so many bytes in a file take, in whole pages.
  static func rounded(_ bytes: Int) -> Int { (bytes + 4095) & ~4095 }
}
