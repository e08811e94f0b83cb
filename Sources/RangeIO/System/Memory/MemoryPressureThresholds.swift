/// From when on memory counts as short, and until when: for ``MemoryPressureSignals`` where it polls.
///
/// ```swift
/// var thresholds = MemoryPressureThresholds()
/// thresholds.usedForWarning = .init(from: 0.7, until: 0.6)  // this program grows fast
/// ```
///
/// All are parts of one: 0.25 is a quarter of a limit, or of the time.
public struct MemoryPressureThresholds: Hashable, Sendable {
  /// Where a level begins and, lower, where it ends. In between it stays as it is, so that it does not flap.
  public struct Mark: Hashable, Sendable {
    /// A level begins when this much is reached. `.infinity`: never.
    public var from: Double
    /// A level lasts as long as this much is reached. More than ``from`` has no effect.
    public var until: Double

    /// A level that begins at `from` and lasts down to `until`.
    public init(from: Double, until: Double) {
      self.from = from
      self.until = until
    }
  }

  /// The used part of a control group's limit that is a warning, in the group where it is largest. Default: 0.85 to 0.75.
  public var usedForWarning = Mark(from: 0.85, until: 0.75)

  /// The used part of a control group's limit that is critical: what follows is the end of the process. Default: 0.95
  /// to 0.9.
  public var usedForCritical = Mark(from: 0.95, until: 0.9)

  /// The part of the last ten seconds in which some task waited for memory that is a warning. Default: 0.1 to 0.05.
  public var someStalledForWarning = Mark(from: 0.1, until: 0.05)

  /// The part of the last ten seconds in which all tasks waited for memory that is critical. Default: 0.1 to 0.05.
  public var allStalledForCritical = Mark(from: 0.1, until: 0.05)

  /// The defaults.
  public init() {}
}
