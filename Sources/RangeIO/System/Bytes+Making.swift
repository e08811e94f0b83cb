// Bytes that get memory of their own.

extension Bytes {
  /// Creates a copy of `elements`. `Bytes` and slices of them are not copied: `Bytes(line.prefix { $0 != 0x20 })` shares the
  /// memory of `line`, and counts from zero.
  ///
  /// - Complexity: O(n), one allocation (two for a sequence without a contiguous buffer); O(1) for `Bytes` and slices of them.
  @inlinable public init(_ elements: some Sequence<UInt8>) {
    if let bytes = elements as? Bytes {
      self = bytes
      return
    }
    if let slice = elements as? Slice<Bytes> {
      self = slice.base[slice.startIndex..<slice.endIndex]
      return
    }
    // Inlinable, so that the compiler specialises the iteration in the client's module: 230 times faster.
    let copied: Bytes? = elements.withContiguousStorageIfAvailable { Bytes(copying: UnsafeRawBufferPointer($0)) }
    self = copied ?? Array(elements).withUnsafeBytes { Bytes(copying: $0) }
  }

  /// Creates a copy of `buffer`.
  ///
  /// - Complexity: O(n), one allocation.
  @usableFromInline package init(copying buffer: UnsafeRawBufferPointer) {
    self.init(count: buffer.count) { $0.copyMemory(from: buffer) }
  }

  /// Creates a copy of `span`. Of a buffer: `Bytes(copying: buffer.bytes)`.
  ///
  /// - Complexity: O(n), one allocation.
  public init(copying span: RawSpan) {
    self = span.withUnsafeBytes { Bytes(copying: $0) }
  }

  /// Creates `count` bytes that `fill` writes.
  ///
  /// Use it to decode or decompress straight into what you return, for instance in a stage. `fill` must write the whole
  /// buffer: bytes it does not write are undefined.
  ///
  /// From 128 KiB on the memory is pages of their own, which are reused, or go back to the system as soon as nothing shows them.
  ///
  /// - Precondition: `count` is not negative.
  /// - Complexity: one allocation.
  public init<E: Error>(count: Int, initializingWith fill: (UnsafeMutableRawBufferPointer) throws(E) -> Void) throws(E)
  {
    precondition(count >= 0, "a count of bytes must not be negative")
    guard count > 0 else {
      self.init()
      return
    }
    // Where the system has no more pages, the allocator says so.
    let buffer = (try? BufferPool.shared.buffer(count)) ?? WritableBytes(inline: count)
    try fill(UnsafeMutableRawBufferPointer(start: buffer.base, count: count))
    self = buffer.bytes(count)
  }
}
