#if S3
  internal import Foundation

  /// A value that is only accessible under a lock.
  ///
  /// Not a `Mutex`: on Linux the thread sanitizer does not see it, and reports data races on what it protects.
  // Unchecked: `value` is only used between lock and unlock.
  final class Guarded<Value>: @unchecked Sendable {
    private var value: Value
    private let lock = NSLock()

    init(_ value: sending Value) { self.value = value }

    /// Runs `body` while no other thread can access the value. Do not nest calls, and do not wait in `body`.
    func withLock<Result, E: Error>(_ body: (inout Value) throws(E) -> Result) throws(E) -> Result {
      lock.lock()
      defer { lock.unlock() }
      return try body(&value)
    }
  }

#endif
