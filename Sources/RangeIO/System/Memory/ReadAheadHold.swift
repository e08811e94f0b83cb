/// A piece that is read ahead: its store does not evict it until the hold ends. Its bytes count against the store's budget from
/// when they are asked for.
///
/// The read-ahead stage ends the hold when the reader has passed the piece, or will not read it.
package final class ReadAheadHold: Sendable {
  private struct State {
    var isCharged = true
    var isOver = false
    var endings: [@Sendable () -> Void] = []
  }
  private let state = Locked(State())
  private let budget: ReadAheadBudget
  private let holder: ObjectIdentifier
  private let count: Int

  /// - Parameter count: bytes of `budget` that were taken for `holder`.
  init(_ count: Int, of budget: ReadAheadBudget, for holder: any ReadAheadHolder) {
    (self.count, self.budget, self.holder) = (count, budget, ObjectIdentifier(holder))
  }

  deinit { end() }

  /// `true` once it has ended. A store asks under the lock of the place where the bytes go, after ``onEnd(_:)``.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Calls `ending` when it ends, unless it has.
  func onEnd(_ ending: @escaping @Sendable () -> Void) {
    state.withLock { if !$0.isOver { $0.endings.append(ending) } }
  }

  /// The reader asks for the last bytes of the piece. It may still look them up, but others may be read ahead.
  func pass() {
    let isCharged = state.withLock { state in
      defer { state.isCharged = false }
      return state.isCharged
    }
    if isCharged { budget.give(count, by: holder) }
  }

  /// From now on the piece may be evicted.
  func end() {
    let endings = state.withLock { state in
      defer { (state.isOver, state.endings) = (true, []) }
      return state.endings
    }
    for ending in endings { ending() }
    pass()
  }
}
