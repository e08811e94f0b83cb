/// Has a store sweep for what has expired, for as long as it has limits by time.
final class ExpiryTimer: Sendable {
  /// Of the present limits.
  private let sweeper = Locked<Task<Void, Never>?>(nil)

  deinit { sweeper.withLock { $0 }?.cancel() }

  /// Begins to sweep as the new limits ask for.
  ///
  /// - Parameter sweep: answers false if the store is gone.
  func restart(
    age: Duration?, idle: Duration?, _ time: TimeSource, _ background: BackgroundWork,
    _ sweep: @escaping @Sendable () -> Bool
  ) {
    let shortest = [age, idle].compactMap { $0 }.min()
    let task = shortest.map { start($0, time, background, sweep) }
    // Cancelled rather than left to its last sleep: limits may change often.
    let before = sweeper.withLock { sweeper in
      defer { sweeper = task }
      return sweeper
    }
    before?.cancel()
  }

  private func start(
    _ shortest: Duration, _ time: TimeSource, _ background: BackgroundWork, _ sweep: @escaping @Sendable () -> Bool
  ) -> Task<Void, Never> {
    // Often enough that little is kept for much longer than it should, and not for nothing all the time.
    let interval = min(max(shortest / 4, .milliseconds(10)), .seconds(60))
    return background.startElsewhere {
      while (try? await time.sleep(for: interval)) != nil {
        guard !Task.isCancelled, sweep() else { return }
      }
    }
  }
}
