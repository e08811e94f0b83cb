extension RangeReader {
  /// Explains where the bytes of `range` would come from if you read them now, and why not from a nearer place.
  ///
  /// The result is a snapshot and may be out of date by the time you look at it. This reads nothing and changes no
  /// counters. It does not say what the system's page cache holds of a local file; only the source deals with that.
  ///
  /// - Throws: `ReadError` with `rangeNotSatisfiable` if the opened version does not have the range, `limitExceeded`
  ///   for more than 128 TiB, or `closed`.
  /// - Complexity: O(blocks), one cache lock for each.
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
