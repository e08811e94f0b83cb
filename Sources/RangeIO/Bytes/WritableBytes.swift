/// A buffer that is being filled, and then becomes ``Bytes`` without a copy.
///
/// Its holder may write to it until `bytes` is called, and not after. The caller's thread hands it to an I/O thread and
/// gets it back; only one of them uses it at a time.
package struct WritableBytes: @unchecked Sendable {
  // Unchecked: a raw pointer into memory that `owner` keeps alive, written by one thread at a time (see above).
  package let owner: any ByteBacking
  package let base: UnsafeMutableRawPointer
  package let capacity: Int

  package init(owner: any ByteBacking, base: UnsafeMutableRawPointer, capacity: Int) {
    self.owner = owner
    self.base = base
    self.capacity = capacity
  }

  /// Creates a small buffer: one allocation, contents undefined.
  package init(inline capacity: Int) {
    let (owner, base) = InlineBacking.allocate(capacity)
    self.init(owner: owner, base: base, capacity: capacity)
  }

  /// The whole buffer, for writing.
  package var memory: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: base, count: capacity) }

  /// The first `count` bytes, for reading.
  package func filled(_ count: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// The first `count` bytes, immutable from now on.
  package func bytes(_ count: Int) -> Bytes {
    precondition(count <= capacity, "more bytes than the buffer holds")
    return count == 0 ? Bytes() : Bytes(owner: owner, base: UnsafeRawPointer(base), start: 0, count: count)
  }
}
