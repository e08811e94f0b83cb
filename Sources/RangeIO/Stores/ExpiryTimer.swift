/// Makes a store sweep expired chunks, for as long as the store has time limits.
package final class ExpiryTimer: Sendable {
  /// Sweeps by the current limits.
  private let sweeper = Locked<Task<Void, Never>?>(nil)

  package init() {}

  deinit { sweeper.withLock { $0 }?.cancel() }

  /// Starts sweeping by the new limits. `sweep`: returns false if the store is gone.
  package func restart(
    age: Duration?, idle: Duration?, _ time: ReadClock, _ background: BackgroundWork,
    _ sweep: @escaping @Sendable () -> Bool
  ) {
    let task = [age, idle].compactMap { $0 }.min().map { shortest in
      // Often enough that little is kept much longer than it should be, but not so often that it wakes for nothing.
      let interval = min(max(shortest / 4, .milliseconds(10)), .seconds(60))
      return background.startElsewhere {
        // `try?`: cancelling ends the sleep, and with it the task.
        while (try? await time.sleep(for: interval)) != nil {
          guard !Task.isCancelled, sweep() else { return }
        }
      }
    }
    // Cancelled, so that it does not sleep to the end of its interval: limits may change often.
    let before = sweeper.withLock { sweeper in
      defer { sweeper = task }
      return sweeper
    }
    before?.cancel()
  }
}
