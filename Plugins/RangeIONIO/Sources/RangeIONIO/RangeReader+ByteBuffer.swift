#if NIO
  public import NIOCore
  public import RangeIO

  /// Reads into buffers.
  extension RangeReader {
    /// Reads the bytes of `range` into a new buffer.
    ///
    /// ```swift
    /// let head = try await reader.readBuffer(0..<512, allocator: channel.allocator)
    /// ```
    ///
    /// - Parameters:
    ///   - range: the bytes to read.
    ///   - allocator: makes the memory. Default: the usual one.
    /// - Throws: as `read(_:)`; `ReadError.Code.limitExceeded` for 4 GiB and more, before anything is read.
    /// - Complexity: that of `read(_:)`, and one allocation and copy.
    public nonisolated(nonsending) func readBuffer(
      _ range: ByteRange, allocator: ByteBufferAllocator = ByteBufferAllocator()
    ) async throws -> ByteBuffer {
      try check(range)
      return ByteBuffer(try await read(range), allocator: allocator)
    }

    /// Reads the bytes of `range` and appends them to `buffer`, which is as it was if this throws.
    ///
    /// - Returns: the number of bytes.
    /// - Throws: as ``readBuffer(_:allocator:)``; `ReadError.Code.limitExceeded` also if the buffer would have 4 GiB.
    /// - Complexity: that of `read(_:)`, and one copy; an allocation if there is not enough room.
    @discardableResult public nonisolated(nonsending) func read(
      _ range: ByteRange, into buffer: inout ByteBuffer
    ) async throws -> Int {
      try check(range, after: buffer.writerIndex)
      return buffer.writeBytes(try await read(range))
    }

    /// - Parameter written: the bytes before it in the buffer.
    private nonisolated func check(_ range: ByteRange, after written: Int = 0) throws(ReadError) {
      // A range that is too long for an `Int`, or does not lie within the source, is refused by the read itself.
      let (count, isTooLong) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
      guard !isTooLong, range.lowerBound >= 0, range.upperBound <= byteCount else { return }
      // No object is so long that both counts cannot be added, but a server may say so.
      let (sum, isMore) = written.addingReportingOverflow(count)
      try ByteBuffer.checkCount(isMore ? .max : sum, source: source.name)
    }
  }
#endif
