#if NIO
  public import NIOCore
  public import RangeIO

  /// Bytes from a buffer.
  extension Bytes {
    /// Shows the readable bytes of `buffer`, without a copy if they use most of its memory.
    ///
    /// The buffer may change afterwards: `ByteBuffer` then makes a copy for itself, as for every second owner of its
    /// memory. If less than four fifths of that memory are shown, the bytes are copied, so that a few of them do not keep
    /// a large buffer alive.
    ///
    /// - Complexity: O(1) and one or two small allocations; O(n) and one allocation where it copies.
    public init(_ buffer: ByteBuffer) {
      let count = buffer.readableBytes
      guard count * 5 >= buffer.storageCapacity * 4 else {
        // The closure borrows the memory for the copy.
        self = buffer.withUnsafeReadableBytes { memory in
          Bytes(count: count) { $0.copyMemory(from: memory) }
        }
        return
      }
      // The pointer outlives the closure because `BufferMemory` keeps the storage.
      self = buffer.withUnsafeReadableBytesWithStorageManagement { memory, storage in
        Bytes(unsafeNoCopy: memory, owner: BufferMemory(storage.takeUnretainedValue()))
      }
    }
  }

  /// Keeps the memory of a `ByteBuffer`.
  ///
  /// While this exists, the storage has a second owner, and no `ByteBuffer` writes to it: each makes a copy before it
  /// changes anything.
  // Unchecked: it only keeps the object, and releasing an object is safe on every thread.
  private final class BufferMemory: @unchecked Sendable {
    private let storage: AnyObject

    init(_ storage: AnyObject) { self.storage = storage }
  }
#endif
