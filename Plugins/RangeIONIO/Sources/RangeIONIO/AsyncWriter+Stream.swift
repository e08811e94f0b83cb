#if NIO
  public import NIOCore
  public import RangeIO

  /// Writes streams to an asynchronous channel.
  extension NIOAsyncChannelOutboundWriter {
    /// Writes a stream to the channel, piece by piece, each in what `part` makes of it:
    ///
    /// ```swift
    /// try await outbound.writeStream(reader.stream(range)) { .body(.byteBuffer($0)) }
    /// ```
    ///
    /// While the channel is not writable, nothing more is taken from the stream, and the stream reads nothing more than
    /// what it has begun to read ahead.
    ///
    /// Cancelling the task ends it. Pieces that the channel has by then are sent. After each piece other tasks have their turn,
    /// also if the bytes are in memory and the channel takes all of them. That is no turn of the connections if your task has
    /// the event loop itself as its executor.
    ///
    /// - Returns: the number of bytes.
    /// - Throws: what the stream throws; what the channel throws when it is closed; `CancellationError`.
    @discardableResult public nonisolated(nonsending) func writeStream(
      _ stream: ByteStream, as part: (ByteBuffer) -> OutboundOut
    ) async throws -> Int {
      var count = 0
      for try await buffer in stream.byteBuffers {
        count += buffer.readableBytes
        try await write(part(buffer))
        // Neither the stream nor the channel need have suspended. The stream looks whether the task is cancelled.
        await Task.yield()
      }
      return count
    }
  }

  extension NIOAsyncChannelOutboundWriter where OutboundOut == ByteBuffer {
    /// Writes a stream to the channel, piece by piece. Otherwise like ``writeStream(_:as:)``.
    @discardableResult public nonisolated(nonsending) func writeStream(_ stream: ByteStream) async throws -> Int {
      try await writeStream(stream) { $0 }
    }
  }
#endif
