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
  /// Decrypts its records, if they are encrypted.
  let cipher: SpillCipher?
  private let files: SpillFiles
  private let ledger: SpillLedger
  private let isUnlinked = Atomic<Bool>(false)
  private let charge: Atomic<Int>
  private let hasEnded = Atomic<Bool>(false)

  /// Creates a segment for which `charge` bytes of `ledger` were taken.
  init(
    number: UInt64, check: UInt32, codec: UInt64 = 0, _ cipher: SpillCipher? = nil, charge: Int, ledger: SpillLedger,
    files: SpillFiles
  ) {
    self.number = number
    self.check = check
    self.codec = codec
    self.cipher = cipher
    self.charge = Atomic(charge)
    self.ledger = ledger
    self.files = files
  }

  /// The bytes by which the payload of a record is longer than what is in it.
  var overhead: Int { cipher == nil ? 0 : SpillCipher.tagCount }

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
    // moment. Cutting the file frees its space at once, unless it has another name, as in a copy by hard links. `try?`: a file
    // whose status cannot be read, or that cannot be cut, is freed a little later.
    if isUnlinked, let file, (try? file.status())?.linkCount == 0 { try? file.truncate(0) }
    ledger.give(charge)
    ledger.tell()
  }
}
