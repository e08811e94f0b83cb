/// One object for all, made at the first use. Where that fails, the next one who asks tries again: what the process had too
/// few of then it may have now.
final class RetriedLazy<Value: AnyObject & Sendable>: Sendable {
  private let made = Locked<Value?>(nil)

  /// The object; `nil` if it cannot be made now.
  ///
  /// - Parameter make: called by one at a time.
  func get(_ make: () -> Value?) -> Value? {
    made.withLock { made in
      if made == nil { made = make() }
      return made
    }
  }
}
