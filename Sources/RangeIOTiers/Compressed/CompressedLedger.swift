import RangeIO
import Synchronization

/// The accounts of a compressed store: segments as allocated, and records.
final class CompressedLedger: Sendable {
  private let own: Ledger
  private let budget: MemoryBudget?
  /// Segments that are in no shard any more, and that reads keep; and records that are being stored.
  private let leaving = Atomic<Int>(0)
  private let hasLeft = Notifier()

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
  /// - Parameters:
  ///   - headroom: the number of bytes of the limit that must stay free.
  ///   - asksRoom: as of ``MemoryBudget/take(_:asksRoom:)``.
  /// - Returns: whether there was room.
  func take(_ bytes: Int, headroom: Int = 0, asksRoom: Bool = true) -> Bool {
    guard own.take(bytes, upTo: limit - headroom) else { return false }
    if let budget, !budget.takeBack(bytes, asksRoom: asksRoom) {
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

  // MARK: what is held for a moment, and cannot be evicted

  func holdsForNow() { leaving.wrappingAdd(1, ordering: .sequentiallyConsistent) }

  func holdsNoMore() {
    leaving.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    hasLeft.notify()
  }

  /// Evicts by `evict` while `isTooMuch` and something of it is held for a moment, by reads or by what is being stored.
  ///
  /// - Throws: what `evict` throws; `CancellationError`.
  func wait(while isTooMuch: () -> Bool, evict: () async throws -> Void) async throws {
    while true {
      let answer = hasLeft.listen()
      defer { hasLeft.leave(answer) }
      try await evict()
      guard isTooMuch(), leaving.load(ordering: .sequentiallyConsistent) > 0 else { return }
      try await answer.value()
    }
  }
}
