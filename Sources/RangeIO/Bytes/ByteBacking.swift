/// Owns the memory that ``Bytes`` show. While it lives, the memory stays and does not change.
///
/// Not `Sendable`, because `ManagedBuffer` forbids that; `Bytes` and `WritableBytes` guarantee it instead.
package protocol ByteBacking: AnyObject {
  /// The number of bytes that this object keeps alive, whatever part of them is shown.
  var backingByteCount: Int { get }
}

/// Memory in the same allocation as its owner: one `malloc` for small pieces.
final class InlineBacking: ManagedBuffer<Int, UInt8>, ByteBacking {
  static func allocate(_ capacity: Int) -> (owner: InlineBacking, base: UnsafeMutableRawPointer) {
    let created = InlineBacking.create(minimumCapacity: capacity) { _ in capacity }
    // The downcast is exact: `create` allocates an instance of the class it is called on.
    let owner = unsafeDowncast(created, to: InlineBacking.self)
    return (owner, owner.withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) })
  }

  var backingByteCount: Int { header }
}

/// Memory with another owner: a `Data`, a mapped file, a C buffer.
final class ForeignBacking: ByteBacking {
  let owner: any AnyObject & Sendable
  let backingByteCount: Int

  init(owner: any AnyObject & Sendable, byteCount: Int) {
    self.owner = owner
    backingByteCount = byteCount
  }
}

/// Several pieces shown as one. A read over several chunks or windows returns it without copying.
@usableFromInline final class Rope: ByteBacking {
  /// Each piece is contiguous and not empty.
  let pieces: [Bytes]
  /// Where each piece ends, counted from the start of the rope.
  let ends: [Int]

  init(pieces: [Bytes]) {
    self.pieces = pieces
    var end = 0
    ends = pieces.map {
      end += $0.count
      return end
    }
  }

  /// Pieces that share a backing count it once.
  var backingByteCount: Int {
    var seen: Set<ObjectIdentifier> = []
    return pieces.reduce(0) { sum, piece in
      guard let owner = piece.owner, seen.insert(ObjectIdentifier(owner)).inserted else { return sum }
      return sum + piece.backingByteCount
    }
  }

  /// The bytes from `offset` to the end of the piece that holds it.
  ///
  /// - Complexity: O(log pieces).
  @usableFromInline func run(at offset: Int) -> UnsafeRawBufferPointer {
    let index = piece(at: offset)
    let piece = pieces[index]
    let start = offset - (ends[index] - piece.count)
    return UnsafeRawBufferPointer(start: piece.base! + start, count: piece.count - start)
  }

  /// The index of the piece that holds the byte at `offset`.
  func piece(at offset: Int) -> Int {
    var low = 0
    var high = ends.count - 1
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] > offset { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// A buffer that is being filled, and then becomes ``Bytes`` without a copy.
///
/// Its holder may write to it until `bytes` is called, and not after. The caller's thread hands it to an I/O thread and
/// gets it back; only one of them uses it at a time.
package struct WritableBytes: @unchecked Sendable {
  // Unchecked: a raw pointer into memory that `owner` keeps alive, written by one thread at a time (see above).
  package let owner: any ByteBacking
  package let base: UnsafeMutableRawPointer
  package let capacity: Int

  init(owner: any ByteBacking, base: UnsafeMutableRawPointer, capacity: Int) {
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
