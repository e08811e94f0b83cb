extension RangeReader {
  /// Where the bytes of `range` would come from if it were read now, and why not from nearer.
  ///
  /// A snapshot: nothing is read and nothing counted, and by the time it is looked at it may be otherwise. What the
  /// system's page cache holds of a local file is the source's affair.
  ///
  /// - Throws: `ReadError` with `rangeNotSatisfiable` for what the version opened does not have, `limitExceeded` for
  ///   more than 128 TiB, or `closed`.
  /// - Complexity: O(blocks), a lock of the cache for each.
  public nonisolated func explain(_ range: ByteRange) throws(ReadError) -> ReadExplanation {
    try core.explain(range)
  }
}

extension ReaderCore {
  func explain(_ range: ByteRange) throws(ReadError) -> ReadExplanation {
    guard gate.enter() else { throw .closed }
    defer { gate.leave() }
    let source = source
    try Self.check(range, of: source)
    try Self.checkCount(range, of: source)
    guard !range.isEmpty else { return ReadExplanation([]) }
    return ReadExplanation(head.explain(range, of: source))
  }
}
