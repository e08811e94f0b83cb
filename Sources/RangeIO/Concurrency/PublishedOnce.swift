import Synchronization

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

  /// Calls `body` with the published object, without counting a reference that all threads would share: the object
  /// lives as long as this value.
  @inline(__always) func borrow<Result>(_ body: (Value) -> Result) -> Result? {
    reference.load(ordering: .acquiring)?._withUnsafeGuaranteedRef(body)
  }

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
