import Synchronization

/// A read that a ``Limiting`` has let pass, as those see it that read within it: a source may read through another reader
/// with the same limits, and that read must not wait for a permit that the outer one holds.
final class LimitedRead: Sendable {
  /// The innermost one that the present task reads within; it may be over.
  @TaskLocal static var current: LimitedRead?

  private let limiting: ObjectIdentifier
  private let outer: LimitedRead?
  private let isOver = Atomic<Bool>(false)

  /// Begins within the one that is current.
  init(_ limiting: Limiting) {
    self.limiting = ObjectIdentifier(limiting)
    outer = Self.underWay
  }

  func end() { isOver.store(true, ordering: .releasing) }

  /// Whether the present task reads within a read that `limiting` has let pass.
  static func isUnderWay(for limiting: Limiting) -> Bool {
    var read = underWay
    while let one = read {
      if one.limiting == ObjectIdentifier(limiting), !one.isOver.load(ordering: .acquiring) { return true }
      read = one.outer
    }
    return false
  }

  private static var underWay: LimitedRead? {
    var read = current
    // Work that a read has begun and left behind inherits it.
    while let one = read, one.isOver.load(ordering: .acquiring) { read = one.outer }
    return read
  }
}
