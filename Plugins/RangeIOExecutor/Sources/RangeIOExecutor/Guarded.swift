internal import CRangeIOExecutor

/// A value that is only accessible under a lock, at which threads can sleep.
///
/// Not a `Mutex`: no thread can sleep at one, and on Linux the thread sanitizer does not see it.
// Unchecked: `value` is only used between lock and unlock.
final class Guarded<Value>: @unchecked Sendable {
  private var value: Value
  let lock = rie_lock_create()

  init(_ value: sending Value) { self.value = value }

  deinit { rie_lock_destroy(lock) }

  /// Runs `body` while no other thread can access the value. Do not nest calls, and do not wait in `body`.
  func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    rie_lock_lock(lock)
    defer { rie_lock_unlock(lock) }
    return try body(&value)
  }

  /// The same for one who has locked it: between two calls it may sleep.
  func locked<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result { try body(&value) }
}
