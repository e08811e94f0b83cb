/// The accounts of a compressed store: segments as allocated, and records.
final class CompressedLedger: Sendable {
  private let own: Ledger
  private let budget: MemoryBudget?

  init(limit: Int, budget: MemoryBudget?) {
    own = Ledger(limit: limit)
    self.budget = budget
  }

  var limit: Int {
    get { own.limit }
    set { own.limit = newValue }
  }
  var bytes: Int { own.taken }
  var peakBytes: Int { own.peak }

  /// Takes this much, or nothing. Do not call under a lock: other tiers of the budget may have to give it up.
  ///
  /// - Parameter headroom: the number of bytes of the limit that must stay free.
  /// - Returns: whether there was room.
  func take(_ bytes: Int, headroom: Int = 0) -> Bool {
    guard own.take(bytes, upTo: limit - headroom) else { return false }
    if let budget, !budget.takeBack(bytes) {
      own.give(bytes)
      return false
    }
    own.notePeak()
    return true
  }

  func give(_ bytes: Int) {
    own.give(bytes)
    budget?.give(bytes)
  }
}
