/// How short of memory the system is, in order of need.
public enum MemoryPressure: Hashable, Comparable, Sendable {
  /// Not any more.
  case normal
  /// Somewhat: half of what a store holds goes.
  case warning
  /// Very: all that is not pinned goes.
  case critical
}
