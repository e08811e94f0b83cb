#if NIO
  import NIOCore
  import NIOEmbedded
  import RangeIO
  import RangeIOTesting
  import Synchronization
  import Testing

  @testable import RangeIONIO

  @Suite(.timeLimit(.minutes(5))) struct StreamTests {
    private let contents = SyntheticSource.bytes(0..<1_000_000)

    private func reader() async throws -> RangeReader { try await RangeReader(SyntheticSource(byteCount: 1_000_000)) }

    @Test func `a stream is a sequence of buffers`() async throws {
      let reader = try await reader()
      var (all, counts) = (ByteBuffer(), [Int]())
      for try await var buffer in reader.stream(chunkSize: .kibibytes(300)).byteBuffers {
        counts.append(buffer.readableBytes)
        all.writeBuffer(&buffer)
      }
      #expect(counts == [307_200, 307_200, 307_200, 78_400])
      #expect(Bytes(all) == contents)
      await reader.close()
    }

    @Test func `errors of the stream come through`() async throws {
      let reader = try await reader()
      let stream = reader.stream(5..<1_000_001).byteBuffers
      await #expect { for try await _ in stream {} } throws: { ($0 as? ReadError)?.code == .rangeNotSatisfiable }
      await reader.close()
    }

    @Test func `nothing is read that is not taken`() async throws {
      let source = SyntheticSource(byteCount: 1 << 30)
      let reader = try await RangeReader(source)
      var buffers = reader.stream().byteBuffers.makeAsyncIterator()
      _ = try await buffers.next()
      // A window of 1 MiB, and at most the next ones.
      #expect(source.bytesRead <= 9 << 20)
      await reader.close()
    }

    @Test func `a stream goes to a channel piece by piece`() async throws {
      let (reader, channel) = (try await reader(), NIOAsyncTestingChannel())
      try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
      let count = try await channel.writeStream(reader.stream(chunkSize: .kibibytes(300)))
      #expect(count == 1_000_000)
      var all = ByteBuffer()
      while var buffer = try await channel.readOutbound(as: ByteBuffer.self) { all.writeBuffer(&buffer) }
      #expect(Bytes(all) == contents)
      // The handler has gone.
      await #expect(throws: (any Error).self) {
        _ = try await channel.pipeline.handler(type: WritabilityGate.self).get()
      }
      _ = try await channel.finish()
      await reader.close()
    }

    /// Sets whether the channel is writable, and tells its handlers.
    private func make(_ channel: NIOAsyncTestingChannel, writable: Bool) async throws {
      try await channel.testingEventLoop.executeInContext {
        channel.isWritable = writable
        channel.pipeline.fireChannelWritabilityChanged()
      }
    }

    /// Closes the channel's valve when the first piece is written: what a full buffer does.
    private final class Valve: ChannelOutboundHandler, Sendable {
      typealias OutboundIn = ByteBuffer
      typealias OutboundOut = ByteBuffer
      let channel: NIOAsyncTestingChannel

      init(_ channel: NIOAsyncTestingChannel) { self.channel = channel }

      func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        channel.isWritable = false
        context.write(data, promise: promise)
        channel.pipeline.fireChannelWritabilityChanged()
      }
    }

    @Test func `nothing is written while the channel is not writable`() async throws {
      let (reader, channel) = (try await reader(), NIOAsyncTestingChannel())
      try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
      try await channel.pipeline.addHandler(Valve(channel)).get()
      let writing = Task { try await channel.writeStream(reader.stream(chunkSize: .kibibytes(300))) }
      for count in [307_200, 307_200, 307_200, 78_400] {
        let buffer = try await channel.waitForOutboundWrite(as: ByteBuffer.self)
        #expect(buffer.readableBytes == count)
        // The next piece would be there by now if it had not waited: all of the loop's work is done.
        await channel.testingEventLoop.run()
        #expect(try await channel.readOutbound(as: ByteBuffer.self) == nil)
        try await make(channel, writable: true)
      }
      #expect(try await writing.value == 1_000_000)
      _ = try await channel.finish()
      await reader.close()
    }

    @Test func `a cancelled writer stops waiting`() async throws {
      let (reader, channel) = (try await reader(), NIOAsyncTestingChannel())
      try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
      try await channel.pipeline.addHandler(Valve(channel)).get()
      let writing = Task { try await channel.writeStream(reader.stream(chunkSize: .kibibytes(300))) }
      _ = try await channel.waitForOutboundWrite(as: ByteBuffer.self)
      writing.cancel()
      await #expect(throws: CancellationError.self) { try await writing.value }
      _ = try await channel.finish()
      await reader.close()
    }

    /// Keeps what is written: what a peer does that receives nothing.
    private final class Hoard: ChannelOutboundHandler, Sendable {
      typealias OutboundIn = ByteBuffer
      let arrived: AsyncStream<Void>.Continuation
      let kept: Mutex<[EventLoopPromise<Void>]>

      init(_ arrived: AsyncStream<Void>.Continuation) {
        self.arrived = arrived
        kept = Mutex([])
      }

      func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if let promise { kept.withLock { $0.append(promise) } }
        arrived.yield()
      }

      /// All is written after all.
      func giveUp() { for promise in kept.withLock({ $0 }) { promise.succeed() } }
    }

    @Test func `a cancelled writer does not wait for its last piece`() async throws {
      let (reader, channel) = (try await reader(), NIOAsyncTestingChannel())
      try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
      let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
      let hoard = Hoard(arrived)
      try await channel.pipeline.addHandler(hoard).get()
      let writing = Task { try await channel.writeStream(reader.stream(chunkSize: .kibibytes(500))) }
      var pieces = arrivals.makeAsyncIterator()
      for _ in 0..<2 { _ = await pieces.next() }
      // By then it mostly waits for its last piece, and no longer for the end of the stream.
      for _ in 0..<1000 { await Task.yield() }
      writing.cancel()
      await #expect(throws: CancellationError.self) { try await writing.value }
      hoard.giveUp()
      _ = try await channel.finish()
      await reader.close()
    }

    @Test func `closing the channel ends a writer that waits`() async throws {
      let (reader, channel) = (try await reader(), NIOAsyncTestingChannel())
      try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
      try await channel.pipeline.addHandler(Valve(channel)).get()
      let writing = Task { try await channel.writeStream(reader.stream(chunkSize: .kibibytes(300))) }
      _ = try await channel.waitForOutboundWrite(as: ByteBuffer.self)
      try await channel.close().get()
      await #expect(throws: ChannelError.ioOnClosedChannel) { try await writing.value }
      _ = try? await channel.finish(acceptAlreadyClosed: true)  // `try?`: only to end the channel.
      await reader.close()
    }

    @Test func `a writer of a NIOAsyncChannel gets the pieces`() async throws {
      let reader = try await reader()
      let (writer, sink) = NIOAsyncChannelOutboundWriter<ByteBuffer>.makeTestingWriter()
      #expect(try await writer.writeStream(reader.stream(10..<500_000)) == 499_990)
      writer.finish()
      var all = ByteBuffer()
      for await var buffer in sink { all.writeBuffer(&buffer) }
      #expect(Bytes(all) == contents[10..<500_000])
      await reader.close()
    }

    /// The turns that another task has had by now, and those at each piece, once all are written.
    private final class Turns: Sendable {
      let count = Mutex(0)
      let atPieces = Mutex<[Int]?>(nil)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a stream from memory lets other tasks of its thread have their turn`(seed: UInt64) async throws {
      let reader = try await reader()
      let (writer, sink) = NIOAsyncChannelOutboundWriter<ByteBuffer>.makeTestingWriter()
      let (executor, turns) = (SeededExecutor(seed: seed), Turns())
      let writing = Task(executorPreference: executor) {
        var atPieces: [Int] = []
        try await writer.writeStream(reader.stream(chunkSize: .kibibytes(10))) { buffer in
          if atPieces.isEmpty { Task(executorPreference: executor) { turns.count.withLock { $0 += 1 } } }
          atPieces.append(turns.count.withLock { $0 })
          return buffer
        }
        turns.atPieces.withLock { [atPieces] in $0 = atPieces }
      }
      let isOver = executor.run(until: { turns.atPieces.withLock { $0 } != nil }, onIdle: { true })
      #expect(isOver)
      try await writing.value
      writer.finish()
      let atPieces = turns.atPieces.withLock { $0 } ?? []
      #expect(atPieces.count == 98 && atPieces.first == 0 && atPieces.last == 1, "seed \(seed)")
      for await _ in sink {}
      await reader.close()
    }

    @Test func `a writer that is cancelled in the middle writes no further piece`() async throws {
      let reader = try await reader()
      let (writer, sink) = NIOAsyncChannelOutboundWriter<ByteBuffer>.makeTestingWriter()
      let writing = Task {
        var pieces = 0
        await #expect(throws: CancellationError.self) {
          try await writer.writeStream(reader.stream(chunkSize: .kibibytes(10))) { buffer in
            pieces += 1
            if pieces == 5 { withUnsafeCurrentTask { $0?.cancel() } }
            return buffer
          }
        }
        #expect(pieces == 5)
      }
      await writing.value
      writer.finish()
      for await _ in sink {}
      await reader.close()
    }

    @Test func `each piece becomes the part that is asked for`() async throws {
      let reader = try await reader()
      let (writer, sink) = NIOAsyncChannelOutboundWriter<IOData>.makeTestingWriter()
      try await writer.writeStream(reader.stream(chunkSize: .kibibytes(500))) { .byteBuffer($0) }
      writer.finish()
      var counts: [Int] = []
      for await part in sink { counts.append(part.readableBytes) }
      #expect(counts == [512_000, 488_000])
      await reader.close()
    }
  }
#endif
