internal import CRangeIOMapped

/// A value that is reached under a lock only.
///
/// Not a `Mutex`, since on Linux the thread sanitizer does not see that one and reports what it guards as raced for.
// Unchecked: `value` is touched between lock and unlock only.
final class Guarded<Value>: @unchecked Sendable {
  private var value: Value
  private let lock = rim_lock_create()

  init(_ value: sending Value) { self.value = value }

  deinit { rim_lock_destroy(lock) }

  /// Runs `body` while no other thread can reach the value. Not to be nested, and not for anything that waits.
  func withLock<Result, E: Error>(_ body: (inout Value) throws(E) -> Result) throws(E) -> Result {
    rim_lock_lock(lock)
    defer { rim_lock_unlock(lock) }
    return try body(&value)
  }
}
