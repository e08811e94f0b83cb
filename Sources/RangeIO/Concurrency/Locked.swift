import CRangeIOSystem
import Synchronization

/// A value that can be accessed only under a lock: `Mutex`, made visible to the thread sanitizer.
///
/// On Linux the sanitizer does not see Swift's `Mutex`, whose code is not instrumented, and reports a race on every
/// value behind a contended one. This type reports each locking and unlocking, so that the sanitizer checks them, and
/// all that they order, for real. Outside sanitizer runs these reports are two empty calls.
package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  // Unchecked: like `Mutex`, whose own conformance requires nothing of its value either; the name is only an address.
  private let mutex: Mutex<Value>
  /// The sanitizer's name for this lock; `nil` outside its runs.
  private let name: OpaquePointer?

  /// Creates an unlocked `value`.
  package init(_ value: consuming sending Value) {
    mutex = Mutex(value)
    name = rio_sanitizer_lock_create()
  }

  deinit { rio_sanitizer_lock_destroy(name) }

  /// Runs `body` while no other thread can access the value. Do not nest calls, and do not wait inside.
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
