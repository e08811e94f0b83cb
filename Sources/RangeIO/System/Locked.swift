import CRangeIOSystem
import Synchronization

/// A value that is reached under a lock only: `Mutex`, made visible to the thread sanitizer.
///
/// On Linux the sanitizer does not see Swift's `Mutex`, whose code is not instrumented, and reports every value behind
/// a contended one as raced for. Told of each locking and unlocking it checks them, and all that they order, for real.
/// Outside sanitizer runs the telling is two empty calls.
package struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  // Unchecked: as `Mutex`, whose own conformance asks nothing of its value either.
  private let mutex: Mutex<Value>

  /// `value`, unlocked.
  package init(_ value: consuming sending Value) { mutex = Mutex(value) }

  /// Runs `body` while nobody else can reach the value. Not to be nested, and not for anything that waits.
  package borrowing func withLock<Result: ~Copyable, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending Result
  ) throws(E) -> sending Result {
    try mutex.withLock { (value: inout sending Value) throws(E) -> sending Result in
      // The address of the value names the lock: it lies within this struct, which does not move.
      let address = withUnsafeMutablePointer(to: &value) { UnsafeMutableRawPointer($0) }
      rio_sanitizer_locked(address)
      defer { rio_sanitizer_unlocking(address) }
      return try body(&value)
    }
  }
}
