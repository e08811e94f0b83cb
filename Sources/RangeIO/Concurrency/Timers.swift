import CRangeIOSystem

/// What waiting takes of the system, taken early.
///
/// On Linux the first wait for a time, anybody's `Task.sleep`, opens a few descriptors, and where none is left by then
/// libdispatch ends the process. Those who open files by the hundred run out of them, and should get an error.
enum Timers {
  private static let first = Locked<Task<Void, Never>?>(nil)

  /// The descriptors that the first wait takes, and those that it also has open for a moment.
  private static let descriptors: CInt = 8

  /// Whether the first wait of the process has been begun here.
  static var isPrepared: Bool { first.withLock { $0 != nil } }

  /// Has the first wait of the process made now, if there are descriptors enough for it. Waits for nothing itself.
  ///
  /// - Returns: that wait; `nil` if there are too few: the next one who asks tries again.
  @discardableResult static func prepare() -> Task<Void, Never>? {
    #if os(Linux)
      if let made = first.withLock({ $0 }) { return made }
      guard rio_descriptors_are_left(descriptors) else { return nil }
      return first.withLock { first in
        // Each clock has a descriptor of its own, which is opened when a wait is not over before it begins: so a millisecond.
        // `try?`: nobody cancels it.
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
