#if SharedCache
  internal import NIOConcurrencyHelpers

  /// Memory for one value. What is released is used again: memory of this size is new pages each time, and first touching
  /// them takes as long as copying the bytes.
  final class ValueMemory: @unchecked Sendable {
    // Unchecked: written by the one parser that has it, and shown as `Bytes` only when it is complete.
    let bytes: UnsafeMutableRawBufferPointer
    private let capacity: Int

    // Unchecked: a pointer in the list has no other owner.
    private struct Free: @unchecked Sendable {
      var blocks: [(memory: UnsafeMutableRawPointer, capacity: Int)] = []
      var byteCount = 0
    }

    private static let free = NIOLockedValueBox(Free())
    /// The most bytes that are kept for later.
    static let maxFree = 4 << 20
    private static let granule = 256

    init(count: Int) {
      // Rounded, so that the values of one block size fit each other, and cached ones waste little.
      let capacity = max(1, (count + Self.granule - 1) / Self.granule) * Self.granule
      self.capacity = capacity
      let known = Self.free.withLockedValue { free -> UnsafeMutableRawPointer? in
        guard let place = free.blocks.lastIndex(where: { $0.capacity == capacity }) else { return nil }
        free.byteCount -= capacity
        return free.blocks.remove(at: place).memory
      }
      let memory = known ?? .allocate(byteCount: capacity, alignment: 16)
      bytes = UnsafeMutableRawBufferPointer(start: memory, count: count)
    }

    deinit {
      guard let memory = bytes.baseAddress else { return }
      var released = [memory]
      Self.free.withLockedValue { free in
        guard capacity <= Self.maxFree else { return }
        released = []
        // The oldest ones go: they may be of a size that is not needed any more.
        while free.byteCount + capacity > Self.maxFree {
          let first = free.blocks.removeFirst()
          free.byteCount -= first.capacity
          released.append(first.memory)
        }
        free.blocks.append((memory, capacity))
        free.byteCount += capacity
      }
      for one in released { one.deallocate() }
    }

    /// The bytes that are kept for later now.
    static var freeByteCount: Int { free.withLockedValue { $0.byteCount } }
  }
#endif
