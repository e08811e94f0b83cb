import CRangeIOSystem
import Synchronization

/// Finds out for the caches of one store, whether to keep what is read a second time: remembers what was read once, follows
/// a sample of the blocks, and decides for each version of a source.
final class AdmissionMeter: Sendable {
  let touches: RecentTouches
  private let shadow = Locked(AdmissionShadow())
  let sample: BlockSample
  private let now: @Sendable () -> Int64
  private let readCount = Atomic<Int>(0)

  /// Of caches that keep everything.
  static let none = AdmissionMeter(RecentTouches(), capacity: 0)

  /// - Parameters:
  ///   - capacity: the bytes that the store may hold.
  ///   - now: a clock in nanoseconds.
  init(
    _ touches: RecentTouches, capacity: Int, now: @escaping @Sendable () -> Int64 = { rio_monotonic_ns() }
  ) {
    self.touches = touches
    self.now = now
    sample = BlockSample(capacity: capacity)
  }

  /// The time in nanoseconds.
  var time: Int64 { now() }

  /// Measures the time that the source takes for one read.
  final class Timing: @unchecked Sendable {
    // Unchecked: one read has it, which writes and reads it on one thread after the other.
    private let meter: AdmissionMeter
    private var start: Int64 = 0
    private(set) var nanoseconds: Int64?

    init(_ meter: AdmissionMeter) { self.meter = meter }

    func begin() { start = meter.time }
    func end() { nanoseconds = meter.time - start }
  }

  /// Counts a read. Returns `true` for every 64th: the store keeps it, though most reads bypass the store.
  func isKeptThisTime() -> Bool {
    readCount.wrappingAdd(1, ordering: .relaxed).newValue % AdmissionGain.bypassShare == 0
  }

  /// The same for a read that can bypass the store at once. If it is a 64th, returns `false` without counting it: the
  /// read calls ``isKeptThisTime()`` later.
  func bypassesThisTime() -> Bool {
    var now = readCount.load(ordering: .relaxed)
    while (now &+ 1) % AdmissionGain.bypassShare != 0 {
      let exchange = readCount.weakCompareExchange(expected: now, desired: now &+ 1, ordering: .relaxed)
      if exchange.exchanged { return true }
      now = exchange.original
    }
    return false
  }

  /// Notes a read of the sample.
  ///
  /// - Parameters:
  ///   - key: the hash of the block under its token.
  ///   - capacity: the bytes that the store may hold now.
  func read(_ key: UInt64, weight: Int, capacity: Int) -> AdmissionShadow.Outcomes {
    let room = AdmissionShadow.Room(bytes: capacity >> sample.bits, touches: RecentTouches.capacity >> sample.bits)
    return shadow.withLock { $0.read(key, weight: weight, room: room) }
  }
}

/// The decision for one token, and its reasons.
final class TokenAdmission: Sendable {
  private let gain = Locked(AdmissionGain())
  private let bypassing = Atomic<Bool>(false)

  /// Reads of this token bypass the store.
  var isBypassing: Bool { bypassing.load(ordering: .relaxed) }

  var current: AdmissionGain { gain.withLock { $0 } }

  /// Notes the times and the outcome of a read of the sample.
  func note(_ change: (inout AdmissionGain) -> Bool) {
    let isBypassing = gain.withLock { gain -> Bool? in change(&gain) ? gain.isBypassing : nil }
    if let isBypassing { bypassing.store(isBypassing, ordering: .relaxed) }
  }
}

/// A sample of the blocks: those with small hashes.
struct BlockSample: Equatable, Sendable {
  /// One block in 2^`bits` is in the sample.
  let bits: Int
  /// The hashes below this are in the sample.
  private let bound: UInt64

  /// The most: one block in thirty-two.
  static let maxBits = 5
  /// The sample has room for so many blocks, if the store has.
  static let minBlocks = 64
  /// No block.
  static let none = BlockSample(bits: 64)

  private init(bits: Int) {
    self.bits = bits
    bound = bits >= 64 ? 0 : UInt64.max >> UInt64(bits)
  }

  /// - Parameter capacity: the bytes that the store may hold.
  init(capacity: Int) {
    let share = max(1, (capacity >> 12) / Self.minBlocks)
    self.init(bits: min(Self.maxBits, Int.bitWidth - 1 - share.leadingZeroBitCount))
  }

  /// True if the sample contains the block. Every hit asks this: it takes a few instructions.
  @inline(__always) func contains(_ block: Int) -> Bool {
    UInt64(truncatingIfNeeded: block &+ 1) &* 0x9E37_79B9_7F4A_7C15 < bound
  }
}
