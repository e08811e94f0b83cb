import CRangeIOSystem

/// Takes early what waiting needs from the system.
///
/// On Linux the first timed wait of the process, in any `Task.sleep`, opens a few descriptors. If none is left by then,
/// libdispatch ends the process. A process that opens hundreds of files may run out of descriptors, and should get an
/// error instead.
enum Timers {
  private static let first = Locked<Task<Void, Never>?>(nil)

  /// Whether the first wait of the process was started here.
  static var isPrepared: Bool { first.withLock { $0 != nil } }

  /// Starts the first wait of the process now, if enough descriptors are free. Does not wait itself.
  ///
  /// - Returns: that wait; `nil` where waits take no descriptors, and if too few are free: then the next call tries
  ///   again.
  @discardableResult static func prepare() -> Task<Void, Never>? {
    let descriptors = Platform.descriptorsOfFirstWait
    guard descriptors > 0 else { return nil }
    if let made = first.withLock({ $0 }) { return made }
    guard rio_descriptors_are_left(descriptors) else { return nil }
    return first.withLock { first in
      // Each clock has its own descriptor, opened only by a wait that is not already over: so wait a millisecond.
      // `try?`: this task is never cancelled.
      first =
        first
        ?? BackgroundWork().startElsewhere {
          try? await ContinuousClock().sleep(for: .milliseconds(1))
          try? await SuspendingClock().sleep(for: .milliseconds(1))
        }
      return first
    }
  }
}
