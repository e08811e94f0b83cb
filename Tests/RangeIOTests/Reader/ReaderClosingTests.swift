import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Cancelling and closing, over sources that hang and ignore cancellation.
@Suite(.simulated) struct ReaderClosingTests {
  private let source = GatedSource(SyntheticSource(byteCount: 10_000_000))

  private func isClosed(_ error: any Error) -> Bool { (error as? ReadError)?.code == .closed }

  @Test func `a cancelled read is answered while the source hangs, and takes nothing from the others`() async throws {
    let reader = try await RangeReader(source, [.observing()])
    let cancelled = start { try await reader.read(0..<10) }
    await source.arrivals(1)
    let patient = start { try await reader.read(10..<20) }
    await source.arrivals(2)
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    source.open()
    #expect(try await patient.value == SyntheticSource.bytes(10..<20))
    #expect(reader.statistics().cancellations == 1)
    #expect(reader.statistics().reads == 1)
    await reader.close()
  }

  /// Waits for a hundred seconds before each read.
  private struct Waiting: ReadStage {
    func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
      try await next.sleep(until: next.time.now.advanced(by: .seconds(100)))
      return try await next(request)
    }
  }

  @Test func `what a stage of one's own waits for ends with the reader`() async throws {
    let simulation = Simulation.current!
    let reader = try await RangeReader(
      SyntheticSource(byteCount: 1000), [.stage(Waiting())], configuration: simulation.configuration)
    let read = start { try await reader.read(0..<10) }
    await quiet()
    await reader.close()
    let error = await #expect(throws: ReadError.self) { try await read.value }
    #expect(error?.code == .closed)
    #expect(simulation.clock.now.offset == .zero)
    let slow = try await RangeReader(
      SyntheticSource(byteCount: 1000), [.stage(Waiting())], configuration: simulation.configuration)
    #expect(try await slow.isRight(0..<10))
    #expect(simulation.clock.now.offset == .seconds(100))
    await slow.close()
  }

  @Test func `an empty source that has become another version is not read as empty still`() async throws {
    let source = SyntheticSource(byteCount: 0)
    let reader = try await RangeReader(source)
    #expect(try await reader.read(0...).isEmpty)
    source.rewrite()
    let error = await #expect(throws: ReadError.self) { try await reader.read(0...) }
    #expect(error?.code == .sourceChanged)
    await reader.close()
  }

  @Test func `a read begun in a cancelled task never reaches the source`() async throws {
    let reader = try await RangeReader(source)
    let begun = start {
      try? await Promise<Void>().value()
      return try await reader.read(0..<10)
    }
    begun.cancel()
    await #expect(throws: CancellationError.self) { try await begun.value }
    #expect(source.waitingRanges.isEmpty)
    await reader.close()
  }

  @Test func `closing answers everyone at once and closes the source when it has let go`() async throws {
    let reader = try await RangeReader(source)
    let reads = (0..<10).map { number in start { try await reader.read(number..<number + 1) } }
    let streaming = start { for try await _ in reader.stream() {} }
    await source.arrivals(11)
    let closing = start { await reader.close() }
    for read in reads { await #expect { try await read.value } throws: { isClosed($0) } }
    await #expect { try await streaming.value } throws: { isClosed($0) }
    await #expect { try await reader.read(0..<1) } throws: { isClosed($0) }
    await #expect { try await reader.read(0..<0) } throws: { isClosed($0) }
    await #expect { try await reader.refresh() } throws: { isClosed($0) }
    #expect(!source.isClosed, "reads of the source are still under way")
    source.open()
    await closing.value
    #expect(source.isClosed)
    await reader.close()
  }

  @Test func `the wait for a source that hangs can be cancelled`() async throws {
    let reader = try await RangeReader(source)
    let read = start { try await reader.read(0..<1) }
    await source.arrivals(1)
    let closing = start { await reader.close() }
    closing.cancel()
    await closing.value
    await #expect { try await read.value } throws: { isClosed($0) }
    #expect(!source.isClosed)
    source.open()
    await reader.close()
    #expect(source.isClosed)
  }

  @Test func `a look at the source that hangs can be cancelled`() async throws {
    source.gateDescribe(true)
    let opening = start { try await RangeReader(source) }
    await source.arrivals(1)
    opening.cancel()
    await #expect(throws: CancellationError.self) { try await opening.value }
    source.open()
    await quiet()
    #expect(source.isClosed)
  }

  @Test func `a reader that cannot be made closes its source`() async throws {
    struct Failing: Error {}
    struct Broken: RangeSource {
      let closed: GatedSource<SyntheticSource>
      func describe() async throws -> SourceDescription { throw Failing() }
      func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes { Bytes() }
      func close() async { await closed.close() }
    }
    await #expect(throws: Failing.self) { try await RangeReader(Broken(closed: source)) }
    await quiet()
    #expect(source.isClosed)
  }

  @Test func `a cancelled stream throws and never looks like an end`() async throws {
    let reader = try await RangeReader(source)
    let streaming = start {
      var count = 0
      for try await piece in reader.stream() { count += piece.count }
      return count
    }
    await source.arrivals(5)
    #expect(source.waitingRanges.count == 5, "one window that is waited for, four ahead")
    streaming.cancel()
    await #expect(throws: CancellationError.self) { try await streaming.value }
    source.open()
    await reader.close()
  }

  @Test func `a stream left early stops asking`() async throws {
    let synthetic = SyntheticSource(byteCount: 100_000_000)
    let gated = GatedSource(synthetic)
    let reader = try await RangeReader(gated)
    let streaming = start {
      for try await _ in reader.stream() { break }
    }
    await gated.arrivals(5)
    gated.open()
    try await streaming.value
    await reader.close()
    #expect(synthetic.readCount == 5)
  }

  @Test func `a stream of bytes at hand looks ahead from the second window on, no further than others`() async throws {
    let synthetic = SyntheticSource(byteCount: 100_000_000)
    let reader = try await RangeReader(synthetic)
    var iterator = reader.stream().makeAsyncIterator()
    // Four pieces of 256 KiB to a window.
    for _ in 0..<4 { _ = try await iterator.next() }
    #expect(synthetic.readCount == 1)
    for _ in 0..<4 { _ = try await iterator.next() }
    await quiet()
    #expect(synthetic.readCount == 6)
    await reader.close()
  }

  @Test func `a stream waits for its consumer with a bounded number of bytes in hand`() async throws {
    let clock = ManualClock()
    let slow = SyntheticSource(byteCount: 100_000_000, latency: .milliseconds(1), time: ReadClock(clock))
    let reader = try await RangeReader(slow)
    let first = start {
      var iterator = reader.stream().makeAsyncIterator()
      _ = try await iterator.next()
    }
    await quiet()
    #expect(clock.sleeperCount == 5)
    clock.advance(by: .milliseconds(1))
    try await first.value
    #expect(slow.readCount == 5)
    await reader.close()
  }

  @Test func `a cancelled stream hands out nothing more, not even what is at hand`() async throws {
    let reader = try await RangeReader(SyntheticSource(byteCount: 10_000_000))
    let begun = Promise<Void>()
    let streaming = start {
      var iterator = reader.stream(chunkSize: .kibibytes(1)).makeAsyncIterator()
      _ = try await iterator.next()
      begun.resolve(.success(()))
      try? await Promise<Void>().value()
      return try await iterator.next()
    }
    try await begun.value()
    streaming.cancel()
    await #expect(throws: CancellationError.self) { try await streaming.value }
    await reader.close()
  }

  @Test func `a read that is no longer waited for is told so`() async throws {
    let clock = ManualClock()
    let slow = SyntheticSource(byteCount: 100_000_000, latency: .seconds(1), time: ReadClock(clock))
    let reader = try await RangeReader(slow)
    let read = start { try await reader.read(0..<1) }
    await quiet()
    #expect(clock.sleeperCount == 1)
    read.cancel()
    await #expect(throws: CancellationError.self) { try await read.value }
    await quiet()
    #expect(clock.sleeperCount == 0)

    await reader.close()
  }

  @Test func `a stream that is dropped withdraws what it asked for ahead`() async throws {
    let gated = GatedSource(SyntheticSource(byteCount: 100_000_000))
    let noted = Noted<Bool>()
    struct Noting: ReadStage {
      let noted: Noted<Bool>
      func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
        do { return try await next(request) } catch {
          noted.add(error is CancellationError)
          throw error
        }
      }
    }
    let reader = try await RangeReader(gated, [.stage(Noting(noted: noted))])
    let streaming = start { for try await _ in reader.stream() { break } }
    await gated.arrivals(5)
    // Only the window that is waited for; the four ahead still hang when the loop is left.
    gated.releaseNext()
    try await streaming.value
    await quiet()
    #expect(noted.all == [true, true, true, true])
    gated.open()
    await reader.close()
  }

  @Test func `a stream outlives the reader's name`() async throws {
    let synthetic = SyntheticSource(byteCount: 3_000_000)
    func stream() async throws -> ByteStream { try await RangeReader(synthetic).stream() }
    var count = 0
    for try await piece in try await stream() { count += piece.count }
    #expect(count == 3_000_000)
  }

  @Test func `what a reader is handed wrongly is refused with the size`() async throws {
    let reader = try await RangeReader(SyntheticSource(byteCount: 100))
    let refused: [(String, () async throws -> Bytes)] = [
      ("past the end", { try await reader.read(0..<101) }),
      ("beyond the end", { try await reader.read(100..<101) }),
      ("negative", { try await reader.read(-1..<5) }),
      ("negative and empty", { try await reader.read(-1 ..< -1) }),
      ("huge", { try await reader.read(0..<Int.max) }),
      ("from beyond", { try await reader.read(101...) }),
      ("from before", { try await reader.read((-1)...) }),
      ("up to beyond", { try await reader.read(..<101) }),
      ("up to before", { try await reader.read(..<(-1)) }),
      ("overflow", { try await reader.read(offset: Int.max, count: 2) }),
      ("negative count", { try await reader.read(offset: 5, count: -1) }),
      ("negative suffix", { try await reader.read(suffix: -1) }),
    ]
    for (name, read) in refused {
      await #expect("\(name)") { try await read() } throws: {
        ($0 as? ReadError)?.code == .rangeNotSatisfiable && "\($0)".contains("100 bytes")
      }
    }
    #expect(try await reader.read(100...) == Bytes())
    #expect(try await reader.read(..<100) == SyntheticSource.bytes(0..<100))
    #expect(try await reader.read(90...) == SyntheticSource.bytes(90..<100))
    #expect(try await reader.read(suffix: 1000) == SyntheticSource.bytes(0..<100))
    #expect(try await reader.read(offset: 5, count: 10) == SyntheticSource.bytes(5..<15))
    for stream in [
      reader.stream(50..<200), reader.stream(..<101), reader.stream(..<(-1)), reader.stream(101...),
      reader.stream((-1)...), reader.stream(suffix: -1), reader.stream(-5..<5),
    ] {
      await #expect { for try await _ in stream {} } throws: {
        ($0 as? ReadError)?.code == .rangeNotSatisfiable
      }
    }
    for (stream, range) in [
      (reader.stream(..<10), 0..<10), (reader.stream(90...), 90..<100), (reader.stream(suffix: 5), 95..<100),
      (reader.stream(suffix: 500), 0..<100), (reader.stream(), 0..<100), (reader.stream(7..<7), 7..<7),
    ] {
      var pieces: [Bytes] = []
      for try await piece in stream { pieces.append(piece) }
      #expect(Bytes(concatenating: pieces) == SyntheticSource.bytes(range))
    }
    await reader.close()
  }

  @Test func `a source that lies about its bytes is found out`() async throws {
    for fault in [FaultySource<SyntheticSource>.Fault.short(by: 1), .long(by: 1), .short(by: 100)] {
      let reader = try await RangeReader(FaultySource(SyntheticSource(byteCount: 1000)) { _, _ in fault })
      await #expect { try await reader.read(0..<100) } throws: { ($0 as? ReadError)?.code == .invalidResponse }
      await #expect { for try await _ in reader.stream() {} } throws: {
        ($0 as? ReadError)?.code == .invalidResponse
      }
      await reader.close()
    }
  }

  @Test func `a source's own error arrives unchanged, and the next read asks again`() async throws {
    struct Mine: Error {}
    let faulty = FaultySource(SyntheticSource(byteCount: 1000)) { number, _ in number == 0 ? .fail(Mine()) : nil }
    let reader = try await RangeReader(faulty)
    await #expect(throws: Mine.self) { try await reader.read(0..<10) }
    #expect(try await reader.read(0..<10) == SyntheticSource.bytes(0..<10))
    #expect(reader.statistics().failures == 1)
    await reader.close()
  }
}
