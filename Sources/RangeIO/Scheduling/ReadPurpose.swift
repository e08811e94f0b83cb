extension ReadUrgency {
  /// Why bytes are read.
  public enum Purpose: Hashable, Sendable {
    /// A read waits for them.
    case demand
    /// They may be needed soon. Demand has priority everywhere.
    case prefetch
  }
}
