import RangeIO

/// Decides which blocks a full store writes. A value: it is told what comes and what leaves, and answers.
///
/// - A block that came clearly more often than those that leave are asked for is written: *often*.
/// - A block that a ghost remembers, since it was refused or evicted a short while ago, is written *on trial*, as long as
///   such blocks are read, while they are here, at least 0.55 times as much as others. If they are not, one of eight is
///   still written, to see whether that changes.
/// - All others are refused, and the ghost remembers them.
///
/// The first rule knows what is popular over a long time; the second what is read again soon. Together they write a
/// fifth less than the ghost alone, for more hits. The numbers are in `Docs/Decisions/0032-what-pays-on-a-disk.md`.
struct SpillAdmission: Sendable {
  enum Verdict: Equatable {
    case often
    case onTrial
    case refused
  }

  /// The sums of the blocks that left with one segment.
  struct Departure: Equatable {
    fileprivate var proven = Yield()
    fileprivate var onTrial = Yield()
    fileprivate var estimates = 0

    /// A block leaves.
    mutating func add(_ record: SpillTable.Record, estimate: Int) {
      if record.isOnTrial { onTrial.add(record.reads) } else { proven.add(record.reads) }
      estimates += estimate
    }
  }

  /// Blocks, and their reads between being written and leaving.
  fileprivate struct Yield: Equatable {
    var blocks = 0.0
    var reads = 0.0
    var mean: Double { reads / max(1, blocks) }

    mutating func add(_ reads: Int) {
      blocks += 1
      self.reads += Double(reads)
    }

    mutating func add(_ other: Yield) {
      blocks = blocks * SpillAdmission.memory + other.blocks
      reads = reads * SpillAdmission.memory + other.reads
    }
  }

  /// The share of older counts that remains when the next segment leaves.
  fileprivate static let memory = 0.95
  /// A block comes often if it came at least this many times as often as those that leave.
  private static let oftenFrom = 1.6
  /// Blocks on trial are worth it if they are read at least this share as much as the average.
  private static let worthItFrom = 0.55
  /// One of so many is tried even if they are not.
  private static let oneOf = 8
  /// Nothing is known of fewer blocks.
  private static let minBlocks = 5.0

  private var ghost = Ghost()
  private var sketch = SpillSketch()
  private var proven = Yield()
  private var onTrial = Yield()
  /// The average estimate of requests for a block that leaves; `nil` before the first leave.
  private var usual: Double?
  private var tries = 0

  /// The memory that it takes.
  var byteCount: Int { ghost.byteCount + sketch.byteCount }

  /// A block comes from the tier above, whether or not it is here. `blocks`: how many are here.
  mutating func saw(_ key: UInt64, among blocks: Int) { sketch.add(key, among: blocks) }

  /// Decides whether to write a block that is not here.
  mutating func judge(_ key: UInt64, among blocks: Int) -> Verdict {
    let fingerprint = Ghost.fingerprint(of: key)
    let isRemembered = ghost.remove(fingerprint)
    if Double(sketch.estimate(key)) >= max(2, Self.oftenFrom * (usual ?? 0)) { return .often }
    if isRemembered, trialsPay() { return .onTrial }
    ghost.insert(fingerprint, limit: max(16, blocks))
    return .refused
  }

  private mutating func trialsPay() -> Bool {
    guard onTrial.blocks > Self.minBlocks else { return true }
    let all = (proven.reads + onTrial.reads) / max(1, proven.blocks + onTrial.blocks)
    if onTrial.mean >= Self.worthItFrom * all { return true }
    tries += 1
    return tries % Self.oneOf == 0
  }

  func estimate(_ key: UInt64) -> Int { sketch.estimate(key) }

  /// A block that was read often is evicted all the same: it is remembered.
  mutating func evicted(_ key: UInt64, among blocks: Int) {
    ghost.insert(Ghost.fingerprint(of: key), limit: max(16, blocks))
  }

  /// A segment was freed to make room.
  mutating func note(_ departure: Departure) {
    proven.add(departure.proven)
    onTrial.add(departure.onTrial)
    let blocks = departure.proven.blocks + departure.onTrial.blocks
    guard blocks > 0 else { return }
    let mean = Double(departure.estimates) / blocks
    usual = usual.map { $0 * 0.98 + mean * 0.02 } ?? mean
  }
}
