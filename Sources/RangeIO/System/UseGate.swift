import Synchronization

/// Counts the uses of something that can be closed: nobody enters after it is closed, and the one who closes can wait
/// until the last one has left.
///
/// Entering and leaving are one atomic addition each.
package final class UseGate: Sendable {
  private static let closedBit = 1 << 62

  /// The number of uses, and the closed bit.
  private let state = Atomic<Int>(0)
  private let waiters = Locked<[OneAnswer<Void>]>([])

  package init() {}

  /// Whether the gate has been closed.
  package var isClosed: Bool { state.load(ordering: .acquiring) & Self.closedBit != 0 }

  /// Those who wait for the gate to drain.
  package var waiterCount: Int { waiters.withLock { $0.count } }

  /// The uses under way.
  package var uses: Int { state.load(ordering: .acquiring) & ~Self.closedBit }

  /// Begins a use; each must be ended by ``leave()``.
  ///
  /// - Returns: false when the gate is closed: nothing was begun.
  package func enter() -> Bool {
    let before = state.wrappingAdd(1, ordering: .acquiring).oldValue
    guard before & Self.closedBit == 0 else {
      leave()
      return false
    }
    return true
  }

  /// Begins one more use from within one that is under way, even if the gate has been closed since.
  package func enterAgain() { state.wrappingAdd(1, ordering: .relaxed) }

  /// Ends a use.
  package func leave() {
    let after = state.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    if after == Self.closedBit { wakeWaiters() }
  }

  /// Closes the gate.
  ///
  /// - Returns: whether this call did; false if it was closed before.
  package func close() -> Bool {
    let before = state.bitwiseOr(Self.closedBit, ordering: .acquiringAndReleasing).oldValue
    // Nobody is inside, so no last one will wake those who wait.
    if before == 0 { wakeWaiters() }
    return before & Self.closedBit == 0
  }

  /// Waits until the gate is closed and nobody is inside. Throws `CancellationError` when the waiting task is cancelled.
  package func drained() async throws {
    let answer = OneAnswer<Void>()
    waiters.withLock { $0.append(answer) }
    // The last one may have left before the line above.
    if state.load(ordering: .acquiring) == Self.closedBit { wakeWaiters() }
    do {
      try await answer.value()
    } catch {
      waiters.withLock { list in list.removeAll { $0 === answer } }
      throw error
    }
  }

  private func wakeWaiters() {
    let woken = waiters.withLock { list in
      defer { list = [] }
      return list
    }
    for waiter in woken { waiter.resolve(.success(())) }
  }
}
