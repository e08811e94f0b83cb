extension MemoryPressure {
  /// When memory begins and stops to count as short, for ``MemoryPressure/signals(every:thresholds:time:)`` where it
  /// polls.
  ///
  /// ```swift
  /// var thresholds = MemoryPressure.Thresholds()
  /// thresholds.usedForWarning = 0.6...0.7  // this program grows fast
  /// ```
  ///
  /// All values are fractions: 0.25 is a quarter of a limit, or of the time. A level begins when the upper bound is
  /// reached (`.infinity`: never), and lasts down to the lower bound. In between the level does not change, so that it
  /// does not flap.
  public struct Thresholds: Hashable, Sendable {
    /// Warning: the used part of a control group's limit, in the group where it is largest. Default: 0.85 to 0.75.
    public var usedForWarning = 0.75...0.85

    /// Critical: the used part of a control group's limit. Beyond it the process ends. Default: 0.95 to 0.9.
    public var usedForCritical = 0.9...0.95

    /// Warning: the part of the last ten seconds in which some task waited for memory. Default: 0.1 to 0.05.
    public var someStalledForWarning = 0.05...0.1

    /// Critical: the part of the last ten seconds in which all tasks waited for memory. Default: 0.1 to 0.05.
    public var allStalledForCritical = 0.05...0.1

    /// Creates the default thresholds.
    public init() {}
  }
}
