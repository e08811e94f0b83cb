#if NIO
  import NIOCore
  import RangeIO
  import RangeIOTesting
  import Testing

  @testable import RangeIONIO

  struct ByteBufferTests {
    private let bytes = SyntheticSource.bytes(0..<10_000)

    @Test func `bytes become a buffer with the same bytes`() {
      let buffer = ByteBuffer(bytes)
      #expect(buffer.readableBytes == 10_000 && buffer.readerIndex == 0)
      #expect(Array(buffer.readableBytesView) == Array(bytes))
      #expect(ByteBuffer(Bytes()).readableBytes == 0)
    }

    @Test func `bytes of several pieces become one buffer`() {
      let pieces = stride(from: 0, to: 10_000, by: 999).map { bytes[$0..<min($0 + 999, 10_000)] }
      let rope = Bytes(concatenating: pieces)
      var spans = 0
      rope.forEachSpan { _ in spans += 1 }
      #expect(spans == 11)
      #expect(Array(ByteBuffer(rope).readableBytesView) == Array(bytes))
      #expect(Array(ByteBuffer(rope[500..<9_500]).readableBytesView) == Array(bytes[500..<9_500]))
    }

    @Test func `bytes are appended`() {
      var buffer = ByteBuffer(string: "head")
      #expect(buffer.writeBytes(bytes) == 10_000)
      #expect(buffer.writeBytes(Bytes()) == 0)
      #expect(buffer.readString(length: 4) == "head")
      #expect(Array(buffer.readableBytesView) == Array(bytes))
    }

    @Test func `the allocator makes the memory`() {
      let buffer = ByteBuffer(bytes, allocator: ByteBufferAllocator())
      #expect(buffer.storageCapacity >= 10_000)
    }

    @Test func `a buffer becomes bytes without a copy`() {
      var buffer = ByteBuffer(bytes)
      buffer.reserveCapacity(10_000)
      let memory = buffer.withUnsafeReadableBytes { $0.baseAddress }
      var shown = Bytes()
      if buffer.readableBytes * 5 >= buffer.storageCapacity * 4 {
        shown = Bytes(buffer)
        #expect(shown.withUnsafeBytes { $0.baseAddress } == memory)
      } else {
        // The allocator has rounded up: less of the memory is used.
        shown = Bytes(buffer)
        #expect(shown.withUnsafeBytes { $0.baseAddress } != memory)
      }
      #expect(shown == bytes)
    }

    @Test func `what is written to the buffer later does not show in the bytes`() {
      var buffer = ByteBuffer(SyntheticSource.bytes(0..<16_384))
      let shown = Bytes(buffer)
      #expect(shown.backingByteCount == 16_384)
      buffer.setInteger(UInt64.max, at: 0)
      buffer.clear()
      buffer.writeRepeatingByte(0xFF, count: 16_384)
      #expect(shown == SyntheticSource.bytes(0..<16_384))
    }

    @Test func `bytes outlive their buffer`() {
      var shown = Bytes()
      for round in 0..<100 {
        let start = round * 16_384
        shown = Bytes(ByteBuffer(SyntheticSource.bytes(start..<start + 16_384)))
        #expect(shown == SyntheticSource.bytes(start..<start + 16_384))
      }
      #expect(shown == SyntheticSource.bytes(99 * 16_384..<100 * 16_384))
    }

    @Test func `a few bytes do not keep a large buffer alive`() {
      var buffer = ByteBuffer(bytes)
      buffer.moveReaderIndex(forwardBy: 100)
      let few = buffer.readSlice(length: 50)!
      let shown = Bytes(few)
      #expect(shown == bytes[100..<150] && shown.backingByteCount < 1000)
    }

    @Test func `only the readable bytes are shown`() {
      var buffer = ByteBuffer(SyntheticSource.bytes(0..<16_384))
      buffer.moveReaderIndex(forwardBy: 10)
      buffer.moveWriterIndex(to: 16_000)
      #expect(Bytes(buffer) == SyntheticSource.bytes(10..<16_000))
      #expect(Bytes(ByteBuffer()).isEmpty)
    }

    @Test func `there and back again`() {
      var buffer = ByteBuffer()
      for count in [0, 1, 7, 4096, 65_536, 1_000_000] {
        let bytes = SyntheticSource.bytes(count..<2 * count)
        buffer.clear()
        buffer.writeBytes(bytes)
        #expect(Bytes(buffer) == bytes)
      }
    }

    @Test func `more bytes than a buffer holds are refused`() throws {
      try ByteBuffer.checkCount(ByteBuffer.maxBytes, source: nil)
      for count in [ByteBuffer.maxBytes + 1, .max] {
        #expect { try ByteBuffer.checkCount(count, source: "big") } throws: { error in
          let error = error as? ReadError
          return error?.code == .limitExceeded && error?.source == "big"
        }
      }
    }
  }

  @Suite(.timeLimit(.minutes(5))) struct ReadingBuffersTests {
    @Test func `a range is read into a buffer`() async throws {
      let reader = try await RangeReader(SyntheticSource(byteCount: 1 << 20))
      let buffer = try await reader.readBuffer(100..<5000)
      #expect(Array(buffer.readableBytesView) == Array(SyntheticSource.bytes(100..<5000)))
      #expect(try await reader.readBuffer(7..<7).readableBytes == 0)
      await reader.close()
    }

    @Test func `ranges are appended to a buffer`() async throws {
      let reader = try await RangeReader(SyntheticSource(byteCount: 1 << 20))
      var buffer = ByteBuffer()
      #expect(try await reader.read(100..<200, into: &buffer) == 100)
      #expect(try await reader.read(0..<50, into: &buffer) == 50)
      let expected = Array(SyntheticSource.bytes(100..<200)) + Array(SyntheticSource.bytes(0..<50))
      #expect(Array(buffer.readableBytesView) == expected)
      await reader.close()
    }

    @Test func `a buffer is as it was when reading fails`() async throws {
      let source = FaultySource(SyntheticSource(byteCount: 1000)) { _, _ in .fail(ReadError(.inputOutput, "broken")) }
      let reader = try await RangeReader(source)
      var buffer = ByteBuffer(string: "head")
      await #expect(throws: ReadError.self) { try await reader.read(0..<10, into: &buffer) }
      #expect(buffer == ByteBuffer(string: "head"))
      await reader.close()
    }

    @Test func `the largest object there can be is refused as well`() async throws {
      let reader = try await RangeReader(SyntheticSource(byteCount: .max))
      var buffer = ByteBuffer(string: "head")
      await #expect { try await reader.read(0..<(.max), into: &buffer) } throws: {
        ($0 as? ReadError)?.code == .limitExceeded
      }
      await reader.close()
    }

    @Test func `too much is refused before anything is read`() async throws {
      let source = SyntheticSource(byteCount: 1 << 40)
      let reader = try await RangeReader(source)
      var buffer = ByteBuffer(string: "head")
      for range in [0..<1 << 32, 5..<1 << 40] {
        await #expect { _ = try await reader.readBuffer(range) } throws: { ($0 as? ReadError)?.code == .limitExceeded }
      }
      await #expect { try await reader.read(0..<(1 << 32) - 3, into: &buffer) } throws: {
        ($0 as? ReadError)?.code == .limitExceeded
      }
      #expect(source.readCount == 0)
      await reader.close()
    }

    @Test func `hostile ranges are refused by the read itself`() async throws {
      let reader = try await RangeReader(SyntheticSource(byteCount: 1000))
      for range in [-1..<5, 0..<1001, Int.min..<Int.max, Int.min..<0, Int.max - 1..<Int.max] {
        await #expect { _ = try await reader.readBuffer(range) } throws: {
          ($0 as? ReadError)?.code == .rangeNotSatisfiable
        }
      }
      await reader.close()
    }
  }
#endif
