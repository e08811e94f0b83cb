import RangeIO

/// A cache over a source, which the reads of a trace go through one after the other.
protocol ReplayTarget {
  /// Reads `range`, which is not empty and lies within the source.
  ///
  /// - Parameter fetched: what the source was asked for meanwhile is appended: whole blocks, the last one of the source
  ///   cut at its end.
  mutating func read(_ range: ByteRange, fetched: inout [ByteRange]) async throws
}
