import Synchronization

/// A reference that is set once and read often, for the price of an atomic load.
///
/// `AtomicLazyReference` does the same, but its `load` is not specialized in Swift 6.3: it looks up generic metadata at
/// each call, which shows in the profile of every read.
package struct PublishedOnce<Value: AnyObject & Sendable>: ~Copyable, Sendable {
  /// Unmanaged: the one retain that publishing takes is given back in `deinit`, so the reference lives as long as this.
  private let reference = Atomic<Unmanaged<Value>?>(nil)

  package init() {}

  deinit { reference.load(ordering: .acquiring)?.release() }

  /// What was published, or `nil`.
  package var value: Value? { reference.load(ordering: .acquiring)?.takeUnretainedValue() }

  /// Publishes `value` unless another was published before.
  ///
  /// - Returns: the one that counts.
  package func publish(_ value: Value) -> Value {
    let mine = Unmanaged.passRetained(value)
    let (exchanged, earlier) = reference.compareExchange(
      expected: nil, desired: mine, ordering: .acquiringAndReleasing)
    guard !exchanged, let earlier else { return value }
    mine.release()
    return earlier.takeUnretainedValue()
  }
}
