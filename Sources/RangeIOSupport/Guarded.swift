internal import RangeIO

/// A value that is only accessible under a lock: the core's lock, for plugins.
///
/// Not a `Mutex`: on Linux the thread sanitizer does not see it, and reports data races on what it protects.
public final class Guarded<Value>: @unchecked Sendable {
  // Unchecked: `value` is only used between lock and unlock.
  private var value: Value
  private let word = LockWord()

  /// Creates an unlocked value.
  public init(_ value: sending Value) { self.value = value }

  /// Runs `body` while no other thread can access the value. Do not nest calls, and do not wait in `body`.
  public func withLock<Result, E: Error>(_ body: (inout Value) throws(E) -> Result) throws(E) -> Result {
    word.lock()
    defer { word.unlock() }
    return try body(&value)
  }
}
