import CRangeIOSystem

/// Big buffers for reuse, since fresh pages cost more than reading bytes into them: reading 1 MiB into newly mapped
/// memory runs at 2 GB/s, into a recycled buffer at 20.
///
/// A buffer comes back when the last slice of its bytes is released. Idle buffers are bounded; buffers in use belong to
/// the users. Small buffers are not pooled: `malloc` serves them better.
package final class BufferPool: Sendable {
  /// A smaller buffer is one `malloc`. glibc maps new pages for larger ones.
  package static let minPooledBytes = 128 * 1024
  /// A larger buffer is unmapped, not kept.
  static let maxPooledBytes = 8 * 1024 * 1024

  private struct Idle {
    /// By size; no list is empty.
    var buffers: [Int: [Address]] = [:]
    var byteCount = 0

    mutating func take(_ capacity: Int) -> Address? {
      guard let address = buffers[capacity]?.popLast() else { return nil }
      if buffers[capacity]?.isEmpty == true { buffers[capacity] = nil }
      byteCount -= capacity
      return address
    }

    mutating func keep(_ address: Address, _ capacity: Int) {
      buffers[capacity, default: []].append(address)
      byteCount += capacity
    }
  }
  /// A pointer that may cross threads: an idle buffer is not used.
  private struct Address: @unchecked Sendable { let pointer: UnsafeMutableRawPointer }

  private let idle = Locked(Idle())
  private let limit: Int

  /// Creates a pool that keeps at most `limit` of idle buffers.
  init(keeping limit: ByteCount) { self.limit = limit.bytes }

  /// Bytes in idle buffers.
  var idleByteCount: Int { idle.withLock { $0.byteCount } }

  /// Allocates a buffer of at least `count` bytes with undefined contents.
  package func buffer(_ count: Int) throws(ReadError) -> WritableBytes {
    guard count >= Self.minPooledBytes else { return WritableBytes(inline: count) }
    guard let base = takePages(for: count) else {
      throw ReadError(
        .resourcesExhausted, "no memory for \(count) bytes: read less at once, or stream the range", isTransient: true)
    }
    return WritableBytes(owner: PooledBacking(base, Self.capacity(for: count), self), base: base, capacity: count)
  }

  /// Allocates pages for `count` bytes, which you return with ``takeBackPages(_:for:)``; `nil` if the system has none.
  package func takePages(for count: Int) -> UnsafeMutableRawPointer? {
    let capacity = Self.capacity(for: count)
    return idle.withLock { $0.take(capacity) }?.pointer ?? rio_map_pages(capacity)
  }

  package func takeBackPages(_ base: UnsafeMutableRawPointer, for count: Int) {
    takeBack(base, Self.capacity(for: count))
  }

  /// Rounding up a size that no machine has would overflow.
  private static func capacity(for count: Int) -> Int { count <= Int.max / 2 ? roundedUp(count) : count }

  /// Rounds up in steps of a quarter between powers of two, so that at most a fifth of a buffer is unused.
  package static func roundedUp(_ count: Int) -> Int {
    let step = Swift.max(4096, 1 << (Int.bitWidth - 1 - (count - 1).leadingZeroBitCount - 2))
    return (count + step - 1) & ~(step - 1)
  }

  fileprivate func takeBack(_ base: UnsafeMutableRawPointer, _ capacity: Int) {
    let address = Address(pointer: base)
    let dropped = idle.withLock { idle -> [(address: Address, capacity: Int)] in
      guard capacity <= Self.maxPooledBytes, capacity <= limit else { return [(address, capacity)] }
      var dropped: [(Address, Int)] = []
      // Keep the size in use now; other sizes make room for it. Otherwise a pool full of other sizes would never serve
      // it.
      while idle.byteCount + capacity > limit {
        guard let other = idle.buffers.keys.first(where: { $0 != capacity }), let old = idle.take(other) else {
          return dropped + [(address, capacity)]
        }
        dropped.append((old, other))
      }
      idle.keep(address, capacity)
      return dropped
    }
    for (address, capacity) in dropped { rio_unmap_pages(address.pointer, capacity) }
  }

  deinit {
    idle.withLock { idle in
      for (capacity, buffers) in idle.buffers {
        for buffer in buffers { rio_unmap_pages(buffer.pointer, capacity) }
      }
    }
  }
}

/// Pages that return to their pool with the last reference.
private final class PooledBacking: ByteBacking, @unchecked Sendable {
  // Unchecked: a raw pointer, passed on unchanged.
  let base: UnsafeMutableRawPointer
  let backingByteCount: Int
  let pool: BufferPool

  init(_ base: UnsafeMutableRawPointer, _ capacity: Int, _ pool: BufferPool) {
    self.base = base
    backingByteCount = capacity
    self.pool = pool
  }

  deinit { pool.takeBack(base, backingByteCount) }
}
