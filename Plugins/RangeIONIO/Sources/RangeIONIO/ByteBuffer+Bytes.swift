#if NIO
  public import NIOCore
  public import RangeIO

  /// Buffers with a copy of bytes.
  extension ByteBuffer {
    /// The most bytes that a `ByteBuffer` holds: one less than 4 GiB.
    static let maxBytes = Int(UInt32.max)

    /// Throws `ReadError.Code.limitExceeded` for more bytes than a `ByteBuffer` holds.
    static func checkCount(_ count: Int, source: String?) throws(ReadError) {
      guard count > maxBytes else { return }
      throw ReadError(
        .limitExceeded, "\(count) bytes are more than a ByteBuffer holds, \(maxBytes): read less at once, or stream",
        source: source)
    }

    /// Creates a buffer with a copy of `bytes`, all of them readable.
    ///
    /// ```swift
    /// let buffer = ByteBuffer(try await reader.read(0..<4096))
    /// ```
    ///
    /// - Parameters:
    ///   - bytes: less than 4 GiB, as for every `ByteBuffer`.
    ///   - allocator: makes the memory, such as that of a channel. Default: the usual one.
    /// - Complexity: O(n), one allocation and one copy, however many pieces the bytes consist of.
    public init(_ bytes: Bytes, allocator: ByteBufferAllocator = ByteBufferAllocator()) {
      self = allocator.buffer(capacity: bytes.count)
      writeBytes(bytes)
    }

    /// Appends a copy of `bytes`.
    ///
    /// SwiftNIO has the same for every sequence of bytes; this one copies `Bytes` of several pieces without a detour.
    ///
    /// - Returns: the number of bytes.
    /// - Complexity: O(n), one copy; an allocation if there is not enough room.
    @discardableResult public mutating func writeBytes(_ bytes: Bytes) -> Int {
      guard bytes.count > 0 else { return 0 }
      return writeWithUnsafeMutableBytes(minimumWritableBytes: bytes.count) { memory in
        bytes.copyBytes(to: memory)
        return bytes.count
      }
    }
  }
#endif
