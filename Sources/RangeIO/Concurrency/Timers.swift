import CRangeIOSystem

/// Takes early what waiting needs from the system.
///
/// On Linux the first timed wait of the process, in any `Task.sleep`, opens a few descriptors. If none is left by then,
/// libdispatch ends the process. A process that opens hundreds of files may run out of descriptors, and should get an
/// error instead.
enum Timers {
  private static let first = Locked<Task<Void, Never>?>(nil)

  /// The descriptors that the first wait takes, including those it needs only for a moment.
  private static let descriptors: CInt = 8

  /// Whether the first wait of the process was started here.
  static var isPrepared: Bool { first.withLock { $0 != nil } }

  /// Starts the first wait of the process now, if enough descriptors are free. Does not wait itself.
  ///
  /// - Returns: that wait; `nil` if too few descriptors are free: the next call tries again.
  @discardableResult static func prepare() -> Task<Void, Never>? {
    #if os(Linux)
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
    #else
      nil
    #endif
  }
}
