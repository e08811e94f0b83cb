import CRangeIOSystem

extension Bytes: RandomAccessCollection {
  /// The slices of `prefix(_:)`, `dropFirst(_:)` and generic code for collections: a slice keeps the positions of these bytes, as
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
    let shown = prefix(16).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }
    let tail = count > shown.count ? " …" : ""
    return "Bytes(\(count): \(shown.joined(separator: " "))\(tail))"
  }
}

extension Bytes {
  /// The position of the first byte that equals `byte`, or `nil`.
  ///
  /// - Complexity: O(n), many bytes at a time (`memchr`).
  public func firstIndex(of byte: UInt8) -> Int? {
    defer { _fixLifetime(self) }
    var position = 0
    while position < count {
      let run = run(at: position)
      // Not empty, so it has an address.
      let start = run.baseAddress!
      if let found = memchr(start, CInt(byte), run.count) { return position + (UnsafeRawPointer(found) - start) }
      position += run.count
    }
    return nil
  }

  /// The number of bytes that equal `byte`: lines in a log, rows of a table.
  ///
  /// - Complexity: O(n), 16 bytes at a time.
  public func count(of byte: UInt8) -> Int {
    var total = 0
    forEachRun { _, run in total += Self.count(of: byte, in: run) }
    return total
  }

  private static func count(of byte: UInt8, in run: UnsafeRawBufferPointer) -> Int {
    // Larger vectors are no faster, and `replace` of the largest becomes a loop over single bytes.
    typealias Lanes = SIMD16<UInt8>
    let width = MemoryLayout<Lanes>.size
    let (wanted, one) = (Lanes(repeating: byte), Lanes(repeating: 1))
    var (total, position) = (0, 0)
    while run.count - position >= width {
      // A lane counts to 255 at most.
      let end = position + Swift.min((run.count - position) / width, 255) * width
      var sums = Lanes.zero
      while position < end {
        sums.replace(with: sums &+ one, where: run.loadUnaligned(fromByteOffset: position, as: Lanes.self) .== wanted)
        position += width
      }
      for lane in 0..<Lanes.scalarCount { total += Int(sums[lane]) }
    }
    while position < run.count {
      if run[position] == byte { total += 1 }
      position += 1
    }
    return total
  }
}
