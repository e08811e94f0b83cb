extension Bytes {
  /// The order in which the bytes of an integer are stored.
  public enum ByteOrder: Hashable, Sendable {
    /// The least significant byte first: Parquet, ZIP, SQLite WAL indexes.
    case littleEndian
    /// The most significant byte first: network order, MP4, PNG.
    case bigEndian
  }
}

extension Bytes {
  /// The integer stored at `offset`, at any alignment, or `nil` if it does not lie within the bytes.
  ///
  /// Offsets found in a file are data. So a wrong one returns `nil` and does not trap.
  ///
  /// ```swift
  /// let footerLength = tail.integer(at: tail.count - 8, as: UInt32.self, .littleEndian)
  /// ```
  ///
  /// - Complexity: O(1) for one piece; O(log pieces) for a rope. No allocation.
  @inlinable public func integer<T: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: T.Type = T.self, _ order: Bytes.ByteOrder
  ) -> T? {
    let size = MemoryLayout<T>.size
    guard offset >= 0, size <= count, offset <= count - size else { return nil }
    defer { _fixLifetime(self) }
    var stored = T.zero
    let run = run(at: offset)
    if run.count >= size {
      stored = run.loadUnaligned(as: T.self)
    } else {
      withUnsafeMutableBytes(of: &stored) { slice(offset..<offset + size).copyBytes(to: $0) }
    }
    return order == .littleEndian ? T(littleEndian: stored) : T(bigEndian: stored)
  }
}
