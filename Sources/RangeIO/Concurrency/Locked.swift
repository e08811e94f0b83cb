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

/// A reference that is set once and read often, at the cost of an atomic load.
///
/// `AtomicLazyReference` does the same, but its `load` is not specialized in Swift 6.3: each call looks up generic
/// metadata, which shows in the profile of every read.
package struct PublishedOnce<Value: AnyObject & Sendable>: ~Copyable, Sendable {
  /// Unmanaged: `deinit` releases the one retain of publishing, so the reference lives as long as this value.
  private let reference = Atomic<Unmanaged<Value>?>(nil)

  package init() {}

  deinit { reference.load(ordering: .acquiring)?.release() }

  /// The published object, or `nil`.
  package var value: Value? { reference.load(ordering: .acquiring)?.takeUnretainedValue() }

  /// Publishes `value` unless another was published before. Returns the published object.
  package func publish(_ value: Value) -> Value {
    let mine = Unmanaged.passRetained(value)
    let (exchanged, earlier) = reference.compareExchange(
      expected: nil, desired: mine, ordering: .acquiringAndReleasing)
    guard !exchanged, let earlier else { return value }
    mine.release()
    return earlier.takeUnretainedValue()
  }
}

/// One shared object, created at the first use. If that fails, the next call tries again: the process may have enough
/// resources then.
final class RetriedLazy<Value: AnyObject & Sendable>: Sendable {
  private let made = Locked<Value?>(nil)

  /// The object; `nil` if it cannot be created now.
  ///
  /// - Parameter make: creates the object. Never called concurrently.
  func get(_ make: () -> Value?) -> Value? {
    made.withLock { made in
      if made == nil { made = make() }
      return made
    }
  }
}
