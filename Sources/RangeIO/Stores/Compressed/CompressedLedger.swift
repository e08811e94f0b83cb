import Synchronization

/// The accounts of a compressed store: segments as allocated, and records.
final class CompressedLedger: Sendable {
  private let limitValue: Atomic<Int>
  private let taken = Atomic<Int>(0)
  private let mostTaken = Atomic<Int>(0)
  private let budget: MemoryBudget?

  init(limit: Int, budget: MemoryBudget?) {
    limitValue = Atomic(limit)
    self.budget = budget
  }

  var limit: Int {
    get { limitValue.load(ordering: .relaxed) }
    set { limitValue.store(newValue, ordering: .relaxed) }
  }
  var bytes: Int { taken.load(ordering: .relaxed) }
  var peakBytes: Int { mostTaken.load(ordering: .relaxed) }

  /// Takes this much, or nothing. Do not call under a lock: other tiers of the budget may have to give it up.
  ///
  /// - Parameter headroom: the number of bytes of the limit that must stay free.
  /// - Returns: whether there was room.
  func take(_ bytes: Int, headroom: Int = 0) -> Bool {
    guard taken.take(bytes, upTo: limit - headroom) else { return false }
    if let budget, !budget.takeBack(bytes) {
      taken.wrappingSubtract(bytes, ordering: .relaxed)
      return false
    }
    mostTaken.max(self.bytes, ordering: .relaxed)
    return true
  }

  func give(_ bytes: Int) {
    taken.wrappingSubtract(bytes, ordering: .relaxed)
    budget?.give(bytes)
  }
}
