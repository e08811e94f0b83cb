import Synchronization

extension Atomic<Int> {
  /// Adds `amount`, unless the sum would exceed `limit`. An amount of 0 always fits.
  ///
  /// - Returns: whether it fit.
  borrowing func take(_ amount: Int, upTo limit: Int) -> Bool {
    var before = load(ordering: .relaxed)
    while true {
      let (after, overflow) = before.addingReportingOverflow(amount)
      guard !overflow, amount == 0 || after <= limit else { return false }
      let (done, now) = weakCompareExchange(expected: before, desired: after, ordering: .relaxed)
      if done { return true }
      before = now
    }
  }
}
