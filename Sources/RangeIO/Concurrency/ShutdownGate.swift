import Synchronization

/// Counts the uses of something that can be closed: no use begins after it is closed, and the one that closes can wait
/// until the last one has left.
///
/// Entering and leaving are one atomic addition each, to a counter that other threads seldom share.
package final class ShutdownGate: Sendable {
  private enum Count {
    static let entered = 0
    static let left = 1
  }
  /// Uses begun and uses ended, which only grow. A use may be begun on one thread and ended on another: only the sums
  /// mean something.
  private let counts = Stripes()
  private let closed = Atomic<Bool>(false)
  private let waiters = Locked<[Promise<Void>]>([])

  package init() {}

  /// Whether the gate has been closed.
  package var isClosed: Bool { closed.load(ordering: .sequentiallyConsistent) }

  /// Those who wait for the gate to drain.
  package var waiterCount: Int { waiters.withLock { $0.count } }

  /// The uses under way.
  package var uses: Int {
    // Those who left are counted first. Stripes are read one after the other, while uses come and go: with one count up
    // and down, an end might be seen of which the beginning was not, and stand for another's that is still inside.
    // This way all who left by then are seen to have entered, and what is more is at most too much.
    let left = counts.sum(Count.left)
    return counts.sum(Count.entered) &- left
  }

  /// Begins a use; each must be ended by ``leave()``.
  ///
  /// - Returns: false when the gate is closed: nothing was begun.
  package func enter() -> Bool {
    // Counted first and looked at then, where closing writes first and counts then: one of the two sees the other.
    counts.addInOrder(1, to: Count.entered)
    guard !isClosed else {
      leave()
      return false
    }
    return true
  }

  /// Begins one more use from within one that is under way, even if the gate has been closed since.
  package func enterAgain() { counts.addInOrder(1, to: Count.entered) }

  /// Ends a use.
  package func leave() {
    counts.addInOrder(1, to: Count.left)
    if isClosed { wakeWaitersIfDrained() }
  }

  /// Closes the gate.
  ///
  /// - Returns: whether this call did; false if it was closed before.
  package func close() -> Bool {
    guard !closed.exchange(true, ordering: .sequentiallyConsistent) else { return false }
    // If nobody is inside, no last one will wake those who wait.
    wakeWaitersIfDrained()
    return true
  }

  /// Waits until the gate is closed and no use is left. Throws `CancellationError` when the waiting task is cancelled.
  package func drained() async throws {
    let answer = Promise<Void>()
    waiters.withLock { $0.append(answer) }
    // The last one may have left before the line above.
    if isClosed { wakeWaitersIfDrained() }
    do {
      try await answer.value()
    } catch {
      waiters.withLock { list in list.removeAll { $0 === answer } }
      throw error
    }
  }

  /// Of those who leave after the gate was closed, the last to count itself out finds no use left. One that was
  /// turned away counts for a moment; it looks again itself when it leaves.
  private func wakeWaitersIfDrained() {
    guard uses == 0 else { return }
    let woken = waiters.withLock { list in
      defer { list = [] }
      return list
    }
    for waiter in woken { waiter.resolve(.success(())) }
  }
}
