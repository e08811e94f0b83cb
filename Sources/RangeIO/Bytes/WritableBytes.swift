/// A buffer that is being filled, and becomes ``Bytes`` without a copy once it is.
///
/// Whoever holds it may write; nobody may after `bytes`. It is handed from the caller's thread to an I/O thread and
/// back, which only one of them uses at a time.
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

  /// A small buffer: one allocation, its contents undefined.
  package init(inline capacity: Int) {
    let (owner, base) = InlineBacking.allocate(capacity)
    self.init(owner: owner, base: base, capacity: capacity)
  }

  /// All of it, to write to.
  package var memory: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: base, count: capacity) }

  /// The first `count` bytes, to look at.
  package func filled(_ count: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// The first `count` bytes, from now on immutable.
  package func bytes(_ count: Int) -> Bytes {
    precondition(count <= capacity, "more bytes than the buffer holds")
    return count == 0 ? Bytes() : Bytes(owner: owner, base: UnsafeRawPointer(base), start: 0, count: count)
  }
}
