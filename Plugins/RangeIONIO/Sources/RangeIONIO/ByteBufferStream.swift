#if NIO
  public import NIOCore
  public import RangeIO

  /// A stream as a sequence of buffers.
  extension ByteStream {
    /// The pieces of this stream as buffers, such as for the body of a response:
    ///
    /// ```swift
    /// Response(status: .ok, body: ResponseBody(asyncSequence: reader.stream(range).byteBuffers))
    /// ```
    ///
    /// Each piece is copied once. Your loop over the buffers sets the pace, since the stream reads no further ahead
    /// than ``ByteStream`` does. A client that does not read stops the reading, with a few windows in memory.
    public var byteBuffers: ByteBufferStream { ByteBufferStream(stream: self) }
  }

  /// The pieces of a `ByteStream` as buffers, in order. See `ByteStream.byteBuffers`.
  ///
  /// It throws what the stream throws, and `ReadError.Code.limitExceeded` if the stream's `chunkSize` is 4 GiB or more.
  public struct ByteBufferStream: AsyncSequence, Sendable {
    let stream: ByteStream

    /// Starts at the beginning of the range.
    public func makeAsyncIterator() -> Iterator { Iterator(pieces: stream.makeAsyncIterator()) }

    /// The buffers, in order. Use an iterator from one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
      var pieces: ByteStream.Iterator

      /// The next buffer, or `nil` at the end of the range.
      public mutating func next() async throws -> ByteBuffer? {
        guard let piece = try await pieces.next() else { return nil }
        return try Self.buffer(piece)
      }

      /// The next buffer, or `nil` at the end of the range. Runs on the caller's actor.
      public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws -> ByteBuffer? {
        guard let piece = try await pieces.next(isolation: actor) else { return nil }
        return try Self.buffer(piece)
      }

      private static func buffer(_ piece: Bytes) throws(ReadError) -> ByteBuffer {
        try ByteBuffer.checkCount(piece.count, source: nil)
        return ByteBuffer(piece)
      }
    }
  }
#endif
