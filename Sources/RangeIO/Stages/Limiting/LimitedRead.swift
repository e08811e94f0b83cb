import Synchronization

/// Marks a read that a ``Limiting`` has admitted, for the reads made within it. A source may read through another
/// reader with the same limits, and that inner read must not wait for a permit that the outer one holds.
final class LimitedRead: Sendable {
  /// The innermost one that the current task reads within. It may already be over.
  @TaskLocal static var current: LimitedRead?

  private let limiting: ObjectIdentifier
  private let outer: LimitedRead?
  private let isOver = Atomic<Bool>(false)

  /// Begins within the current one.
  init(_ limiting: LimitingStage) {
    self.limiting = ObjectIdentifier(limiting)
    outer = Self.underWay
  }

  func end() { isOver.store(true, ordering: .releasing) }

  /// Whether the current task reads within a read that `limiting` has admitted.
  static func isUnderWay(for limiting: LimitingStage) -> Bool {
    var read = underWay
    while let one = read {
      if one.limiting == ObjectIdentifier(limiting), !one.isOver.load(ordering: .acquiring) { return true }
      read = one.outer
    }
    return false
  }

  private static var underWay: LimitedRead? {
    var read = current
    // Work that outlives the read that started it inherits its value.
    while let one = read, one.isOver.load(ordering: .acquiring) { read = one.outer }
    return read
  }
}
