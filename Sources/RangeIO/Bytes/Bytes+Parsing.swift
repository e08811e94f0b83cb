extension Bytes {
  /// Parses bytes from the front to the back: integers, strings and arrays, each checked against the end.
  ///
  /// ```swift
  /// var cursor = Bytes.Cursor(try await reader.read(suffix: 22))       // a ZIP file's end of central directory
  /// guard try cursor.integer(UInt32.self, .littleEndian) == 0x0605_4B50 else { throw NotAZIPFile() }
  /// try cursor.skip(6)
  /// let entries = try cursor.integer(UInt16.self, .littleEndian)
  /// let size = try cursor.integer(UInt32.self, .littleEndian)
  /// let offset = try cursor.integer(UInt32.self, .littleEndian)
  /// ```
  ///
  /// It is a value: use a copy to look ahead without moving the original. Reading beyond the end means bad data, not a
  /// programming error: it throws, and the cursor does not move.
  public struct Cursor: Sendable {
    /// All the bytes, from the first.
    @usableFromInline let bytes: Bytes
    /// The number of bytes parsed so far.
    public private(set) var position = 0

    /// Creates a cursor before the first byte.
    public init(_ bytes: Bytes) { self.bytes = bytes }

    /// The number of bytes left.
    public var remaining: Int { bytes.count - position }

    /// Parses the next byte.
    ///
    /// - Throws: `ReadError.Code.corrupted` if none is left.
    /// - Complexity: O(1) for one piece of memory.
    @inlinable public mutating func byte() throws(ReadError) -> UInt8 { try integer(UInt8.self, .littleEndian) }

    /// Parses the next integer.
    ///
    /// - Throws: `ReadError.Code.corrupted` if too few bytes are left.
    /// - Complexity: O(1) for one piece of memory.
    @inlinable public mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(
      _ type: T.Type = T.self, _ order: Bytes.ByteOrder
    ) throws(ReadError) -> T {
      let size = MemoryLayout<T>.size
      guard let value = bytes.integer(at: position, as: type, order) else { throw missing(size) }
      try skip(size)
      return value
    }

    /// Parses the next `count` integers.
    ///
    /// - Throws: `ReadError.Code.corrupted` if too few bytes are left, or `count` is negative. It throws before it
    ///   allocates anything for a count that comes from data.
    /// - Complexity: O(count), one allocation.
    @inlinable public mutating func integers<T: FixedWidthInteger & BitwiseCopyable>(
      _ count: Int, of type: T.Type = T.self, _ order: Bytes.ByteOrder
    ) throws(ReadError) -> [T] {
      let size = MemoryLayout<T>.size
      guard count >= 0, count <= remaining / size else { throw missing(count, of: size) }
      // One piece, so that each integer is one load.
      let part = bytes.slice(position..<position + count * size).contiguous()
      var values: [T] = []
      values.reserveCapacity(count)
      for index in 0..<count {
        // Always within: checked above.
        if let value = part.integer(at: index * size, as: type, order) { values.append(value) }
      }
      try skip(count * size)
      return values
    }

    /// Takes the next `count` bytes, sharing their memory.
    ///
    /// - Throws: `ReadError.Code.corrupted` if fewer are left, or `count` is negative.
    /// - Complexity: O(1).
    public mutating func bytes(_ count: Int) throws(ReadError) -> Bytes {
      let start = position
      try skip(count)
      return bytes.slice(start..<position)
    }

    /// Parses the next `count` bytes as text. Bytes that are not UTF-8 become the replacement character U+FFFD.
    ///
    /// - Throws: `ReadError.Code.corrupted` if fewer are left, or `count` is negative.
    public mutating func string(_ count: Int) throws(ReadError) -> String {
      String(decoding: try bytes(count).contiguous(), as: UTF8.self)
    }

    /// Parses the bytes before the next `end` as text, and also skips that `end`. For zero-terminated names, and for
    /// lines.
    ///
    /// - Throws: `ReadError.Code.corrupted` if there is no `end`.
    public mutating func string(endingWith end: UInt8) throws(ReadError) -> String {
      let rest = bytes.slice(position..<bytes.count)
      guard let length = rest.firstIndex(of: end) else {
        throw ReadError(
          .corrupted,
          "no byte \(end) follows position \(position): these \(bytes.count) bytes are cut off, or not what they should "
            + "be"
        )
      }
      position += length + 1
      return String(decoding: rest.slice(0..<length).contiguous(), as: UTF8.self)
    }

    /// Skips `count` bytes.
    ///
    /// - Throws: `ReadError.Code.corrupted` if fewer are left, or `count` is negative.
    public mutating func skip(_ count: Int) throws(ReadError) {
      guard count >= 0, count <= remaining else { throw missing(count) }
      position += count
    }

    /// Moves to a position counted from the first byte, forwards or backwards.
    ///
    /// - Throws: `ReadError.Code.corrupted` if it lies outside of `0...bytes.count`.
    public mutating func seek(to position: Int) throws(ReadError) {
      guard (0...bytes.count).contains(position) else {
        throw ReadError(.corrupted, "position \(position) does not lie within these \(bytes.count) bytes")
      }
      self.position = position
    }

    /// The error for `count` missing values of `size` bytes.
    @usableFromInline func missing(_ count: Int, of size: Int = 1) -> ReadError {
      let unit = size == 1 ? "byte" : "value of \(size) bytes"
      let units = size == 1 ? "bytes" : "values of \(size) bytes"
      let wanted = count == 1 ? "1 \(unit) is" : "\(count) \(units) are"
      let left = remaining == 1 ? "1 byte is" : "\(remaining) bytes are"
      return ReadError(
        .corrupted,
        "\(wanted) expected at position \(position), where \(left) left: the data is cut off, or not what it should be")
    }
  }
}

extension Bytes {
  /// The order in which the bytes of an integer are stored. No case will be added.
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
  /// - Complexity: O(1) for one piece; O(log pieces) for several. No allocation.
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
