import Synchronization

/// Counts the uses of something that can be closed. No use begins after it is closed, and the closing task can wait
/// until the last use has ended.
///
/// Entering and leaving are one atomic addition each, to a counter that other threads seldom share.
package final class ShutdownGate: Sendable {
  private enum Count {
    static let entered = 0
    static let left = 1
  }
  /// Uses begun and uses ended; both only grow. A use may begin on one thread and end on another, so only the sums mean
  /// something.
  private let counts = Stripes()
  private let closed = Atomic<Bool>(false)
  private let waiters = Locked<[Promise<Void>]>([])

  package init() {}

  var isClosed: Bool { closed.load(ordering: .sequentiallyConsistent) }

  /// The tasks that wait for the gate to drain.
  var waiterCount: Int { waiters.withLock { $0.count } }

  /// The number of uses.
  var uses: Int {
    // Count the ended uses first. Stripes are read one after the other, while uses come and go. With a single count
    // that goes up and down, the sum might see an end without its beginning, which would hide another use still inside.
    // This way every use that has ended by then is also counted as begun, and the sum is at most too large.
    let left = counts.sum(Count.left)
    return counts.sum(Count.entered) &- left
  }

  /// Begins a use. End each with ``leave()``. Returns `false` if the gate is closed: nothing was begun.
  package func enter() -> Bool {
    // Counts first and then checks, while closing sets the flag first and then counts: one of the two sees the other.
    counts.addInOrder(1, to: Count.entered)
    guard !isClosed else {
      leave()
      return false
    }
    return true
  }

  /// Begins one more use from within an existing one, even if the gate has been closed since.
  func enterAgain() { counts.addInOrder(1, to: Count.entered) }

  /// Ends a use.
  package func leave() {
    counts.addInOrder(1, to: Count.left)
    if isClosed { wakeWaitersIfDrained() }
  }

  /// Closes the gate. Returns whether this call closed it; `false` if it was closed before.
  package func close() -> Bool {
    guard !closed.exchange(true, ordering: .sequentiallyConsistent) else { return false }
    // If no use is inside, no last one will wake the waiters.
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

  /// Of the uses that end after closing, the last to count itself out finds no use left. A refused use counts for a
  /// moment; it checks again itself when it leaves.
  private func wakeWaitersIfDrained() {
    guard uses == 0 else { return }
    let woken = waiters.withLock { list in
      defer { list = [] }
      return list
    }
    for waiter in woken { waiter.resolve(.success(())) }
  }
}
