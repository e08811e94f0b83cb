#if HTTP

  import Foundation

  /// A value and the lock that guards it. In place of `Mutex`, whose lock the thread sanitizer does not see on Linux.
  // Unchecked: `value` is only used between lock and unlock.
  final class Guarded<Value>: @unchecked Sendable {
    private var value: Value
    private let lock = NSLock()

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
      lock.lock()
      defer { lock.unlock() }
      return try body(&value)
    }
  }

#endif
