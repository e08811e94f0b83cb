import CRangeIOSystem
import Synchronization

/// A value that is reached under a lock only: `Mutex`, made visible to the thread sanitizer.
///
/// On Linux the sanitizer does not see Swift's `Mutex`, whose code is not instrumented, and reports every value behind
/// a contended one as raced for. Told of each locking and unlocking it checks them, and all that they order, for real.
/// Outside sanitizer runs the telling is two empty calls.
package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  // Unchecked: as `Mutex`, whose own conformance asks nothing of its value either; the name is an address, no more.
  private let mutex: Mutex<Value>
  /// What the sanitizer knows this lock by; nil outside its runs.
  private let name: OpaquePointer?

  /// `value`, unlocked.
  package init(_ value: consuming sending Value) {
    mutex = Mutex(value)
    name = rio_sanitizer_lock_create()
  }

  deinit { rio_sanitizer_lock_destroy(name) }

  /// Runs `body` while no other thread can reach the value. Not to be nested, and not for anything that waits.
  package borrowing func withLock<Result: ~Copyable, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending Result
  ) throws(E) -> sending Result {
    try mutex.withLock { (value: inout sending Value) throws(E) -> sending Result in
      rio_sanitizer_locked(name)
      defer { rio_sanitizer_unlocking(name) }
      return try body(&value)
    }
  }
}
