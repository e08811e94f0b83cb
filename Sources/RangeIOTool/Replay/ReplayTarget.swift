import RangeIO

/// A cache above a source, through which the reads of a trace go one after the other.
protocol ReplayTarget {
  /// Reads `range`, which must not be empty and must be within the source.
  ///
  /// - Parameter fetched: the ranges fetched from the source during this are appended: whole blocks; the last block is
  ///   cut at the end of the source.
  mutating func read(_ range: ByteRange, fetched: inout [ByteRange]) async throws
}
