import CRangeIOSystem

/// Takes early what waiting needs from the system.
///
/// On Linux the first timed wait of the process, in any `Task.sleep`, opens a few descriptors. If none is left by then,
/// libdispatch ends the process. A process that opens hundreds of files may run out of descriptors, and should get an
/// error instead.
enum Timers {
  private static let started = Locked(false)

  /// Whether the first wait of the process was started here.
  static var isPrepared: Bool { started.withLock { $0 } }

  /// Starts the first wait of the process now, if enough descriptors are free. Does not wait itself.
  ///
  /// - Returns: whether it is started, or need not be; if not, too few descriptors are free, and the next call tries
  ///   again.
  @discardableResult static func prepare() -> Bool {
    let descriptors = Platform.descriptorsOfFirstWait
    if isPrepared || descriptors == 0 { return true }
    guard rio_descriptors_are_left(descriptors) else { return false }
    let isFirst = started.withLock { started in
      defer { started = true }
      return !started
    }
    guard isFirst else { return true }
    // Each clock has its own descriptor. libdispatch opens it only if the wait is not over by the time it comes to see
    // to it, which may be late on a busy machine: so these waits are long. Nothing waits for them to end. They belong
    // to the process, not to the task that happens to be the first.
    let background = BackgroundWork.$standard.withValue(nil) { BackgroundWork() }
    // `try?`: these tasks are never cancelled.
    background.startElsewhere { try? await ContinuousClock().sleep(for: .seconds(60)) }
    // `try?`: as above.
    background.startElsewhere { try? await SuspendingClock().sleep(for: .seconds(60)) }
    return true
  }
}
