/// When memory begins and stops to count as short, for ``MemoryPressureSignals`` where it polls.
///
/// ```swift
/// var thresholds = MemoryPressureThresholds()
/// thresholds.usedForWarning = .init(from: 0.7, until: 0.6)  // this program grows fast
/// ```
///
/// All values are fractions: 0.25 is a quarter of a limit, or of the time.
public struct MemoryPressureThresholds: Hashable, Sendable {
  /// Where a level begins and, lower, where it ends. In between the level does not change, so that it does not flap.
  public struct Mark: Hashable, Sendable {
    /// A level begins when this value is reached. `.infinity`: never.
    public var from: Double
    /// A level lasts as long as this value is reached. A value above ``from`` has no effect.
    public var until: Double

    /// Creates a mark for a level that begins at `from` and lasts down to `until`.
    public init(from: Double, until: Double) {
      self.from = from
      self.until = until
    }
  }

  /// Warning: the used part of a control group's limit, in the group where it is largest. Default: 0.85 to 0.75.
  public var usedForWarning = Mark(from: 0.85, until: 0.75)

  /// Critical: the used part of a control group's limit. Beyond it the process ends. Default: 0.95 to 0.9.
  public var usedForCritical = Mark(from: 0.95, until: 0.9)

  /// Warning: the part of the last ten seconds in which some task waited for memory. Default: 0.1 to 0.05.
  public var someStalledForWarning = Mark(from: 0.1, until: 0.05)

  /// Critical: the part of the last ten seconds in which all tasks waited for memory. Default: 0.1 to 0.05.
  public var allStalledForCritical = Mark(from: 0.1, until: 0.05)

  /// Creates the default thresholds.
  public init() {}
}
