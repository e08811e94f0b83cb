internal import CRangeIOMapped

/// A value that is only accessible under a lock.
///
/// Not a `Mutex`: on Linux the thread sanitizer does not see it, and reports data races on what it protects.
// Unchecked: `value` is only used between lock and unlock.
final class Guarded<Value>: @unchecked Sendable {
  private var value: Value
  private let lock = rim_lock_create()

  init(_ value: sending Value) { self.value = value }

  deinit { rim_lock_destroy(lock) }

  /// Runs `body` while no other thread can access the value. Do not nest calls, and do not wait in `body`.
  func withLock<Result, E: Error>(_ body: (inout Value) throws(E) -> Result) throws(E) -> Result {
    rim_lock_lock(lock)
    defer { rim_lock_unlock(lock) }
    return try body(&value)
  }
}
