import CRangeIOSystem

extension Bytes: RandomAccessCollection {
  /// The slices of `prefix(while:)`, `split` and generic code for collections: a slice keeps the positions of these bytes, as
  /// the rules of `Collection` demand. `Bytes(slice)` makes `Bytes` of it without copying.
  public typealias SubSequence = Slice<Bytes>

  /// Positions count from zero.
  @inlinable public var startIndex: Int { 0 }
  /// One past the last position: `count`.
  @inlinable public var endIndex: Int { count }

  /// The byte at `position`.
  ///
  /// - Precondition: `position` lies within `0..<count`.
  /// - Complexity: O(1) for one piece; O(log pieces) for several. Iterate, or use `forEachSpan(_:)`, to visit many.
  @inlinable public subscript(position: Int) -> UInt8 {
    precondition(position >= 0 && position < count, "position out of bounds")
    defer { _fixLifetime(self) }
    if let base { return base.load(fromByteOffset: position, as: UInt8.self) }
    return run(at: position)[0]
  }

  /// The bytes at `positions`, sharing this value's memory. **The result counts from zero again**: the first byte of
  /// `bytes[16..<32]` is at position 0.
  ///
  /// So it is not a slice in the sense of `Collection`, which keeps the positions of its base. Generic code for
  /// collections, and code that asks for a `Slice<Bytes>`, gets such a slice.
  ///
  /// - Precondition: `positions` lies within `0..<count`. Check positions that come from data first.
  /// - Complexity: O(1), no allocation.
  @inlinable public subscript(positions: Range<Int>) -> Bytes { slice(positions) }

  /// The bytes at `positions`, written as `0...3`, `16...` or `..<16`. Otherwise like ``subscript(_:)-(Range<Int>)``.
  @inlinable public subscript(positions: some RangeExpression<Int>) -> Bytes {
    self[positions.relative(to: 0..<count)]
  }

  /// The first `maxLength` bytes, or all if there are fewer. Shares this value's memory.
  ///
  /// - Precondition: `maxLength` is not negative.
  /// - Complexity: O(1), no allocation.
  @inlinable public func prefix(_ maxLength: Int) -> Bytes {
    precondition(maxLength >= 0, "negative count of bytes")
    return slice(0..<Swift.min(maxLength, count))
  }

  /// The last `maxLength` bytes, or all if there are fewer. Shares this value's memory; the result counts from zero.
  ///
  /// - Precondition: `maxLength` is not negative.
  /// - Complexity: O(1), no allocation.
  @inlinable public func suffix(_ maxLength: Int) -> Bytes {
    precondition(maxLength >= 0, "negative count of bytes")
    return slice(count - Swift.min(maxLength, count)..<count)
  }

  /// All but the first `dropped` bytes. Shares this value's memory; the result counts from zero.
  ///
  /// - Precondition: `dropped` is not negative.
  /// - Complexity: O(1), no allocation.
  @inlinable public func dropFirst(_ dropped: Int = 1) -> Bytes {
    precondition(dropped >= 0, "negative count of bytes")
    return slice(Swift.min(dropped, count)..<count)
  }

  /// All but the last `dropped` bytes. Shares this value's memory.
  ///
  /// - Precondition: `dropped` is not negative.
  /// - Complexity: O(1), no allocation.
  @inlinable public func dropLast(_ dropped: Int = 1) -> Bytes {
    precondition(dropped >= 0, "negative count of bytes")
    return slice(0..<count - Swift.min(dropped, count))
  }

  /// Iterates over the bytes in order, a piece at a time. Each byte costs a pointer comparison and a load.
  @inlinable public func makeIterator() -> Iterator { Iterator(self) }

  /// Calls `body` with the memory if it is one piece; returns `nil` for several.
  public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result? {
    guard isContiguous else { return nil }
    return try withUnsafeBytes { try $0.withMemoryRebound(to: UInt8.self, body) }
  }

  /// The iterator of ``Bytes``.
  public struct Iterator: IteratorProtocol {
    @usableFromInline let bytes: Bytes
    @usableFromInline var position: Int
    @usableFromInline var cursor: UnsafeRawPointer?
    @usableFromInline var end: UnsafeRawPointer?

    @inlinable init(_ bytes: Bytes) {
      self.bytes = bytes
      position = 0
      cursor = nil
      end = nil
    }

    /// The next byte, or `nil` after the last.
    @inlinable public mutating func next() -> UInt8? {
      if cursor == end {
        let run = bytes.run(at: position)
        guard let first = run.baseAddress else { return nil }
        position += run.count
        cursor = first
        end = first + run.count
      }
      let byte = cursor!.load(as: UInt8.self)
      cursor = cursor! + 1
      return byte
    }
  }
}

extension Bytes: Hashable {
  /// Returns `true` if both contain the same bytes, in however many pieces.
  ///
  /// - Complexity: O(n).
  public static func == (a: Bytes, b: Bytes) -> Bool {
    guard a.count == b.count else { return false }
    var position = 0
    while position < a.count {
      let left = a.run(at: position)
      let right = b.run(at: position)
      let both = Swift.min(left.count, right.count)
      guard memcmp(left.baseAddress!, right.baseAddress!, both) == 0 else { return false }
      position += both
    }
    _fixLifetime(a)
    _fixLifetime(b)
    return true
  }

  /// Hashes all the bytes, so that equal contents hash equally in however many pieces.
  ///
  /// - Complexity: O(n).
  public func hash(into hasher: inout Hasher) {
    // Hasher does not promise that two calls equal one call with both parts. So a rope is hashed in the same strides as
    // one piece would be; a stride that crosses a seam is joined first.
    let stride = 1024
    hasher.combine(count)
    withUnsafeTemporaryAllocation(byteCount: stride, alignment: 1) { scratch in
      var position = 0
      while position < count {
        let length = Swift.min(stride, count - position)
        let run = run(at: position)
        if run.count >= length {
          hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: run.prefix(length)))
        } else {
          slice(position..<position + length).copyBytes(to: scratch)
          hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: scratch.prefix(length)))
        }
        position += length
      }
    }
    _fixLifetime(self)
  }
}

extension Bytes: CustomStringConvertible {
  /// The count and the first bytes in hexadecimal: `Bytes(4096: 50 4b 03 04 …)`.
  public var description: String {
    let shown = prefix(16).map { Bytes([$0]).hex }.joined(separator: " ")
    return "Bytes(\(count): \(shown)\(count > 16 ? " …" : ""))"
  }

  /// All the bytes in hexadecimal, two lower-case digits for each: `504b0304`. For digests and short keys.
  ///
  /// - Complexity: O(n), a string of twice as many bytes.
  public var hex: String {
    String(unsafeUninitializedCapacity: 2 * count) { digits in
      var end = 0
      for byte in self {
        for digit in [byte >> 4, byte & 15] {
          digits.initializeElement(at: end, to: digit + (digit < 10 ? 0x30 : 0x57))
          end += 1
        }
      }
      return end
    }
  }
}
