import Synchronization

/// The accounts of a memory store: what is held, what is reserved, and the limits. All shards share it, so that there
/// is one limit.
///
/// Every byte is taken before it is used and given back after it is released. So the sum never exceeds the limit,
/// except for the moment after the limit was lowered.
final class MemoryLedger: Sendable {
  private let ownLimitValue: Atomic<Int>
  private let blockLimitValue: Atomic<Int>
  private let bytesTaken = Atomic<Int>(0)
  private let blocksTaken = Atomic<Int>(0)
  private let largestBytes = Atomic<Int>(0)
  private let metadataTaken = Atomic<Int>(0)

  /// A budget that the bytes also count towards.
  private let budget: MemoryBudget?

  init(ownLimit: Int, blockLimit: Int, budget: MemoryBudget?) {
    ownLimitValue = Atomic(ownLimit)
    blockLimitValue = Atomic(blockLimit)
    self.budget = budget
  }

  /// The bytes that the store may always take.
  var ownLimit: Int {
    get { ownLimitValue.load(ordering: .relaxed) }
    set { ownLimitValue.store(newValue, ordering: .relaxed) }
  }

  /// The bytes that the store may take if no other tier needs them.
  private var byteLimit: Int { budget == nil ? ownLimit : .max }
  var blockLimit: Int {
    get { blockLimitValue.load(ordering: .relaxed) }
    set { blockLimitValue.store(newValue, ordering: .relaxed) }
  }
  /// The bytes held and reserved.
  var bytes: Int { bytesTaken.load(ordering: .relaxed) }
  var blocks: Int { blocksTaken.load(ordering: .relaxed) }
  /// The part of them that is charged for metadata.
  var metadataBytes: Int { metadataTaken.load(ordering: .relaxed) }
  /// The most bytes ever taken.
  var peakBytes: Int { largestBytes.load(ordering: .relaxed) }

  /// Takes both, or nothing.
  ///
  /// - Returns: whether there was room.
  func take(bytes: Int, blocks: Int) -> Bool {
    guard blocksTaken.take(blocks, upTo: blockLimit) else { return false }
    guard bytesTaken.take(bytes, upTo: byteLimit) else {
      blocksTaken.wrappingSubtract(blocks, ordering: .relaxed)
      return false
    }
    if let budget, !budget.take(bytes) {
      bytesTaken.wrappingSubtract(bytes, ordering: .relaxed)
      blocksTaken.wrappingSubtract(blocks, ordering: .relaxed)
      return false
    }
    largestBytes.max(self.bytes, ordering: .relaxed)
    return true
  }

  /// Notes that this many of the taken bytes are for metadata; fewer if negative.
  func noteMetadata(_ bytes: Int) { metadataTaken.wrappingAdd(bytes, ordering: .relaxed) }

  func give(bytes: Int, blocks: Int) {
    bytesTaken.wrappingSubtract(bytes, ordering: .relaxed)
    blocksTaken.wrappingSubtract(blocks, ordering: .relaxed)
    budget?.give(bytes)
  }

  /// What must be freed before this much fits; zero or less if it fits now.
  func missing(bytes: Int, blocks: Int) -> (bytes: Int, blocks: Int) {
    // Does not overflow when the store has no limit of its own.
    let own = self.bytes - byteLimit + bytes
    return (max(own, budget?.missing(bytes) ?? .min), self.blocks - blockLimit + blocks)
  }

  /// What this store may hold at present: with a budget, what the others leave of it.
  var present: Int {
    guard let budget else { return ownLimit }
    // The two counters are updated one after the other, so with an unlimited budget their difference may overflow.
    let (present, overflow) = (budget.limit.bytes - budget.bytes).addingReportingOverflow(bytes)
    return overflow ? .max : max(1, present)
  }

  /// Whether this many bytes can stay if everything else is evicted.
  func canHold(_ bytes: Int) -> Bool {
    guard let budget else { return bytes <= ownLimit }
    return bytes + budget.bytes - self.bytes <= budget.limit.bytes
  }
}
