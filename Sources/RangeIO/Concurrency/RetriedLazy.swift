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
