#if NIO
  public import NIOCore
  public import RangeIO

  /// Writes streams to a channel.
  extension Channel {
    /// Writes and flushes a stream, piece by piece, each in what `part` makes of it. For a channel with handlers; for a
    /// `NIOAsyncChannel` use ``NIOAsyncChannelOutboundWriter/writeStream(_:as:)``.
    ///
    /// ```swift
    /// try await channel.writeStream(reader.stream(range)) { HTTPServerResponsePart.body(.byteBuffer($0)) }
    /// ```
    ///
    /// A piece is written only when the channel is writable. So at most its high watermark
    /// (`ChannelOptions.writeBufferWaterMark`) and one piece wait in it, and the stream reads nothing more than what it
    /// has begun to read ahead.
    ///
    /// Adds a handler to the front of the pipeline for as long as it runs, which sees when the channel is writable. One
    /// stream at a time: the pieces of two would mix.
    ///
    /// Cancelling the task ends it. Pieces that the channel has by then are sent.
    ///
    /// - Returns: the number of bytes, all of which the channel has written.
    /// - Throws: what the stream throws; what writing to the channel throws; `ChannelError.ioOnClosedChannel` when the
    ///   channel is closed; `CancellationError`.
    @discardableResult public nonisolated(nonsending) func writeStream<Part: Sendable>(
      _ stream: ByteStream, as part: (ByteBuffer) -> Part
    ) async throws -> Int {
      let gate = WritabilityGate(eventLoop)
      try await pipeline.addHandler(gate, position: .first).get()
      // Without a promise: when the channel is closed, its pipeline has removed the handler already.
      defer { pipeline.removeHandler(gate, promise: nil) }
      var count = 0
      var last: EventLoopFuture<Void>?
      for try await buffer in stream.byteBuffers {
        try await gate.untilWritable()
        count += buffer.readableBytes
        let written = eventLoop.makePromise(of: Void.self)
        written.futureResult.whenFailure { gate.failed($0) }
        writeAndFlush(part(buffer), promise: written)
        last = written.futureResult
      }
      // Pieces are written in order, and the first that fails closes the channel: the last one speaks for all.
      if let last { try await gate.end(of: last) }
      return count
    }

    /// Writes and flushes a stream, piece by piece, as buffers. Otherwise like ``writeStream(_:as:)``.
    @discardableResult public nonisolated(nonsending) func writeStream(_ stream: ByteStream) async throws -> Int {
      try await writeStream(stream) { $0 }
    }
  }
#endif
