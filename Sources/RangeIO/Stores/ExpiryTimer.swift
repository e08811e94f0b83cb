import Synchronization

/// Has a store sweep for what has expired, for as long as it has limits by time.
final class ExpiryTimer: Sendable {
  /// Counted up with each change of limits: the sweeper of an older one ends.
  private let version = Atomic<Int>(0)

  /// Begins to sweep as the new limits ask for.
  ///
  /// - Parameter sweep: answers false if the store is gone.
  func restart(
    age: Duration?, idle: Duration?, _ time: TimeSource, _ background: BackgroundWork,
    _ sweep: @escaping @Sendable () -> Bool
  ) {
    let current = version.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
    guard let shortest = [age, idle].compactMap({ $0 }).min() else { return }
    // Often enough that little is kept for much longer than it should, and not for nothing all the time.
    let interval = min(max(shortest / 4, .milliseconds(10)), .seconds(60))
    background.startElsewhere { [weak self] in
      while (try? await time.sleep(for: interval)) != nil {
        guard let self, self.version.load(ordering: .sequentiallyConsistent) == current, sweep() else { return }
      }
    }
  }
}
