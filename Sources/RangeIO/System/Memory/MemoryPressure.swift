/// How short of memory the system is, in ascending order.
public enum MemoryPressure: Hashable, Comparable, Sendable {
  /// Memory is not short any more.
  case normal
  /// Memory is somewhat short: a store drops half of what it holds.
  case warning
  /// Memory is very short: a store drops everything that is not pinned.
  case critical
}
