import Synchronization

/// The accounts of a memory store: how much is held and reserved, and how much may be. One for all shards, so that the
/// limit is one.
///
/// Every byte is taken before it is used and given back after it was let go: the sum never exceeds the limit, but for
/// the moment after the limit was lowered.
final class MemoryLedger: Sendable {
  private let ownLimitValue: Atomic<Int>
  private let blockLimitValue: Atomic<Int>
  private let bytesTaken = Atomic<Int>(0)
  private let blocksTaken = Atomic<Int>(0)
  private let largestBytes = Atomic<Int>(0)
  private let metadataTaken = Atomic<Int>(0)

  /// What the bytes count towards besides the limit of this store.
  private let budget: MemoryBudget?

  init(ownLimit: Int, blockLimit: Int, budget: MemoryBudget?) {
    ownLimitValue = Atomic(ownLimit)
    blockLimitValue = Atomic(blockLimit)
    self.budget = budget
  }

  /// The bytes that the store may take in any case.
  var ownLimit: Int {
    get { ownLimitValue.load(ordering: .relaxed) }
    set { ownLimitValue.store(newValue, ordering: .relaxed) }
  }

  /// The bytes that the store may take if no other tier wants them.
  private var byteLimit: Int { budget == nil ? ownLimit : .max }
  var blockLimit: Int {
    get { blockLimitValue.load(ordering: .relaxed) }
    set { blockLimitValue.store(newValue, ordering: .relaxed) }
  }
  /// Held and reserved.
  var bytes: Int { bytesTaken.load(ordering: .relaxed) }
  var blocks: Int { blocksTaken.load(ordering: .relaxed) }
  /// What metadata is charged of that.
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

  /// Of what was taken so much is for metadata, or less if negative.
  func noteMetadata(_ bytes: Int) { metadataTaken.wrappingAdd(bytes, ordering: .relaxed) }

  func give(bytes: Int, blocks: Int) {
    bytesTaken.wrappingSubtract(bytes, ordering: .relaxed)
    blocksTaken.wrappingSubtract(blocks, ordering: .relaxed)
    budget?.give(bytes)
  }

  /// What must go before so much fits: zero or less if it does now.
  func missing(bytes: Int, blocks: Int) -> (bytes: Int, blocks: Int) {
    // Without overflow where there is no limit of its own.
    let own = self.bytes - byteLimit + bytes
    return (max(own, budget?.missing(bytes) ?? .min), self.blocks - blockLimit + blocks)
  }

  /// What this store may hold as things are: with a budget, what the others leave of it.
  var present: Int {
    guard let budget else { return ownLimit }
    // One is counted a moment after the other: their difference may be more than a limit without end leaves room for.
    let (present, overflow) = (budget.limit.bytes - budget.bytes).addingReportingOverflow(bytes)
    return overflow ? .max : max(1, present)
  }

  /// Whether so much can stay, whatever else goes.
  func canHold(_ bytes: Int) -> Bool {
    guard let budget else { return bytes <= ownLimit }
    return bytes + budget.bytes - self.bytes <= budget.limit.bytes
  }
}
