import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// `.merging` without a cache.
@Suite(.simulated) struct MergingTests {
  private let notes = Noted<NotingStage.Seen>()
  private var asked: [ByteRange] { notes.all.map(\.range).sorted { $0.lowerBound < $1.lowerBound } }

  private func reader(_ source: some RangeSource, _ merging: ReadPipeline) async throws -> RangeReader {
    try await RangeReader(source, [merging, .stage(NotingStage(name: "below", notes: notes))])
  }

  // MARK: what is read, and what comes back

  @Test func `near ranges are one read, and come back in the order asked`() async throws {
    let merging: ReadPipeline = .merging(maxGap: .bytes(100))
    let reader = try await reader(SyntheticSource(byteCount: 100_000), merging)
    let ranges = [5000..<5100, 0..<50, 140..<200, 30..<60, 0..<50, 7..<7, 5100..<5101]
    #expect(try await reader.read(ranges) == ranges.map { SyntheticSource.bytes($0) })
    #expect(asked == [0..<200, 5000..<5101])
    #expect(notes.all.allSatisfy { $0.moreRanges.isEmpty })
    let statistics = try #require(merging.statistics())
    #expect(statistics["requests"] == 1)
    #expect(statistics["ranges"] == 6)
    #expect(statistics["spans"] == 2)
    #expect(statistics["ranges merged"] == 6)
    #expect(statistics.wastedBytes == 80)
  }

  @Test func `any number of spans at once is as many as there are`() async throws {
    let reader = try await reader(
      SyntheticSource(byteCount: 100_000), ReadPipeline.merging(maxGap: .bytes(1), maxConcurrentSpans: .max))
    let ranges = [0..<10, 50_000..<50_010, 90_000..<90_010]
    #expect(try await reader.read(ranges) == ranges.map { SyntheticSource.bytes($0) })
    await reader.close()
  }

  @Test func `what lies between goes up beside the answer, to a cache that keeps blocks`() async throws {
    let responses = Noted<[RangedBytes]>()
    let reader = try await RangeReader(
      SyntheticSource(byteCount: 100_000),
      [.stage(Overlooking(responses: responses, grid: BlockGrid(blockSize: 4096))), .merging(maxGap: .bytes(100))])
    _ = try await reader.read([200..<300, 0..<150, 310..<320, 5000..<5001])
    let parts = responses.all[0].sorted { $0.range.lowerBound < $1.range.lowerBound }
    #expect(parts.map(\.range) == [150..<200, 300..<310])
    #expect(parts.allSatisfy { $0.bytes == SyntheticSource.bytes($0.range) })
    _ = try await reader.read(0..<1000)
    #expect(responses.all[1].isEmpty)
  }

  @Test func `a request is given no bytes that it would not keep`() async throws {
    let responses = Noted<[RangedBytes]>()
    let reader = try await RangeReader(
      SyntheticSource(byteCount: 100_000), [.stage(Overlooking(responses: responses)), .merging(maxGap: .bytes(100))])
    _ = try await reader.read([200..<300, 0..<150])
    #expect(responses.all.map(\.count) == [0])
  }

  @Test func `a stage that shows other bytes sees nothing of what lies between`() async throws {
    let responses = Noted<[RangedBytes]>()
    let reader = try await RangeReader(
      SyntheticSource(byteCount: 100_000),
      [
        .stage(Overlooking(responses: responses, grid: BlockGrid(blockSize: 4096))),
        .stage(NotingStage(name: "skips", notes: notes, header: 1000)), .merging(maxGap: .bytes(100)),
      ])
    let answers = try await reader.read([0..<10, 50..<60])
    #expect(answers == [SyntheticSource.bytes(1000..<1010), SyntheticSource.bytes(1050..<1060)])
    #expect(responses.all.map(\.count) == [0])
  }

  @Test func `one range goes straight through`() async throws {
    let merging: ReadPipeline = .merging()
    let source = SyntheticSource(byteCount: 100_000)
    let reader = try await reader(source, merging)
    #expect(try await reader.isRight(10..<90_000))
    #expect(asked == [10..<90_000])
    #expect(merging.statistics()?["requests"] == 0)
  }

  @Test func `with a gap of zero nothing is over-read`() async throws {
    let merging: ReadPipeline = .merging(maxGap: .bytes(0))
    let source = SyntheticSource(byteCount: 100_000)
    let reader = try await reader(source, merging)
    let ranges = [10..<20, 20..<30, 10..<20, 15..<25, 31..<40]
    #expect(try await reader.read(ranges) == ranges.map { SyntheticSource.bytes($0) })
    #expect(Set(asked) == [10..<30, 31..<40])
    #expect(source.bytesRead == 29)
    #expect(merging.statistics()?["spans"] == 2)
    #expect(merging.statistics()?["ranges merged"] == 4)
    #expect(merging.statistics()?.wastedBytes == 0)
  }

  @Test func `a span is bounded, but one range is not cut`() async throws {
    let reader = try await reader(
      SyntheticSource(byteCount: 100_000), ReadPipeline.merging(maxGap: .bytes(1000), maxSpan: .bytes(2000)))
    let ranges = [0..<900, 1000..<1900, 2000..<2100, 10_000..<20_000, 20_001..<20_002]
    #expect(try await reader.read(ranges) == ranges.map { SyntheticSource.bytes($0) })
    #expect(asked == [0..<900, 1000..<2100, 10_000..<20_000, 20_001..<20_002] || asked.count == 4)
    #expect(asked.contains(10_000..<20_000))
    #expect(asked.allSatisfy { $0.count <= 2000 || $0 == 10_000..<20_000 })
  }

  @Test func `slices of a span of which little was asked for keep little of it`() async throws {
    let merging: ReadPipeline = .merging(maxGap: .kibibytes(100))
    let reader = try await reader(SyntheticSource(byteCount: 100_000), merging)
    let sparse = try await reader.read([0..<100, 50_000..<50_100, 99_000..<99_100])
    #expect(sparse.allSatisfy { $0.backingByteCount < 200 })
    let dense = try await reader.read([0..<40_000, 50_000..<90_000])
    #expect(dense.allSatisfy { $0.backingByteCount >= 90_000 })
    #expect(dense == [SyntheticSource.bytes(0..<40_000), SyntheticSource.bytes(50_000..<90_000)])
  }

  // MARK: concurrency

  @Test(arguments: [1, 3, 8]) func `so many spans are read at once and no more`(limit: Int) throws {
    try Simulation.run(seed: 1) { simulation in
      let source = SyntheticSource(byteCount: 1 << 20, latency: .milliseconds(20), time: simulation.time)
      let merging: ReadPipeline = .merging(maxGap: .bytes(10), maxConcurrentSpans: limit)
      let reader = try await RangeReader(source, [merging], configuration: simulation.configuration)
      let reads = (0..<3).map { number in
        simulation.start {
          let ranges = (0..<20).map { $0 * 10_000 + number * 300..<$0 * 10_000 + number * 300 + 100 }
          return try await reader.read(ranges) == ranges.map { SyntheticSource.bytes($0) }
        }
      }
      for read in reads { #expect(try await read.value) }
      #expect(source.readCount == 60)
      #expect(source.mostReadsUnderWay == limit)
      #expect(simulation.clock.now.offset == .milliseconds(20) * ((60 + limit - 1) / limit))
      try await allPermitsAreBack(merging)
    }
  }

  @Test func `reads of one range wait for no permit`() throws {
    try Simulation.run(seed: 1) { simulation in
      let source = SyntheticSource(byteCount: 1 << 20, latency: .milliseconds(20), time: simulation.time)
      let reader = try await RangeReader(
        source, [.merging(maxConcurrentSpans: 1)], configuration: simulation.configuration)
      let reads = (0..<10).map { number in simulation.start { try await reader.isRight(number..<number + 100) } }
      for read in reads { #expect(try await read.value) }
      #expect(simulation.clock.now.offset == .milliseconds(20))
    }
  }

  // MARK: ends

  @Test func `a span that fails cancels the others and fails the read`() async throws {
    let source = HeldSource()
    let merging: ReadPipeline = .merging(maxGap: .bytes(10), maxConcurrentSpans: 3)
    let reader = try await reader(source, merging)
    let read = start { try await reader.read((0..<6).map { $0 * 1000..<$0 * 1000 + 100 }) }
    await quiet()
    #expect(source.waiting.count == 3)
    source.letGo(throwing: Refusal.no)
    await #expect(throws: Refusal.self) { try await read.value }
    await quiet()
    #expect(source.cancellations == 2)
    #expect(source.asked.count == 3)
    try await allPermitsAreBack(merging)
  }

  @Test func `a read that is cancelled in the midst cancels its spans`() async throws {
    let source = HeldSource()
    let merging: ReadPipeline = .merging(maxGap: .bytes(10), maxConcurrentSpans: 2)
    let reader = try await reader(source, merging)
    let read = start { try await reader.read((0..<6).map { $0 * 1000..<$0 * 1000 + 100 }) }
    let other = start { try await reader.read([50_000..<50_001, 60_000..<60_001]) }
    await quiet()
    #expect(source.waiting.count == 2 && merging.permits.waiterCount >= 1)
    read.cancel()
    await #expect(throws: CancellationError.self) { try await read.value }
    source.hold(false)
    #expect(try await other.value.map(\.count) == [1, 1])
    try await allPermitsAreBack(merging)
  }

  @Test func `a reader that is closed answers those who wait for a permit`() async throws {
    let source = HeldSource()
    let merging: ReadPipeline = .merging(maxGap: .bytes(10), maxConcurrentSpans: 1)
    let reader = try await reader(source, merging)
    let reads = (0..<2).map { _ in start { try await reader.read([0..<1, 1000..<1001]) } }
    await quiet()
    #expect(source.waiting.count == 1 && merging.permits.waiterCount >= 1)
    await reader.close()
    for read in reads {
      let error = await #expect(throws: ReadError.self) { try await read.value }
      #expect(error?.code == .closed)
    }
    try await allPermitsAreBack(merging)
  }

  @Test func `a span of a wrong length is an error, not a trap`() async throws {
    for fault in [FaultySource<SyntheticSource>.Fault.short(by: 1), .long(by: 1)] {
      let source = FaultySource(SyntheticSource(byteCount: 1000)) { _, _ in fault }
      let reader = try await RangeReader(source, [.merging(maxGap: .bytes(100)), .stage(Passing())])
      let error = await #expect(throws: ReadError.self) { try await reader.read([0..<10, 20..<30]) }
      #expect(error?.code == .invalidResponse)
    }
  }

  // MARK: measuring

  @Test func `what reads take is measured, and the gap follows`() throws {
    try Simulation.run(seed: 1) { simulation in
      let source = Misdescribed(
        SyntheticSource(
          byteCount: 64 << 20, latency: .milliseconds(20), bytesPerSecond: 10e6, sharesBandwidth: true,
          time: simulation.time))
      let merging: ReadPipeline = .merging()
      let reader = try await RangeReader(source, [merging], configuration: simulation.configuration)
      let description = reader.source
      #expect(merging.planner(for: description)?.gap == 100_000)
      for number in 0..<60 { _ = try await reader.read(0..<(number % 7 + 1) * 50_000) }
      let gap = try #require(merging.planner(for: description)?.gap)
      #expect((198_000...202_000).contains(gap))
      // Spans that wait for each other are not taken for latency.
      for number in 0..<20 {
        _ = try await reader.read((0..<8).map { $0 * (8 << 20)..<$0 * (8 << 20) + 100_000 + number * 1000 })
      }
      #expect((198_000...202_000).contains(try #require(merging.planner(for: description)?.gap)))
    }
  }

  @Test func `sources that state different costs are measured apart`() throws {
    try Simulation.run(seed: 1) { simulation in
      let merging: ReadPipeline = .merging()
      for (latency, rate) in [(20, 10e6), (100, 1e6)] {
        let source = SyntheticSource(
          byteCount: 1 << 20, latency: .milliseconds(latency), bytesPerSecond: rate, time: simulation.time)
        let reader = try await RangeReader(source, [merging], configuration: simulation.configuration)
        for number in 0..<30 { _ = try await reader.read(0..<1000 + number * 1000) }
      }
      for (latency, rate) in [(20, 10e6), (100, 1e6)] {
        let source = try await SyntheticSource(
          byteCount: 1, latency: .milliseconds(latency), bytesPerSecond: rate
        ).describe()
        #expect(abs(merging.model(of: source).gap - Double(latency) * rate / 1000) < 1000)
      }
    }
  }

  // MARK: its place

  @Test func `it stands below the cache, and once`() async throws {
    let source = SyntheticSource(byteCount: 1000)
    let store = MemoryStore(limit: .mebibytes(1))
    let above = await #expect(throws: ReadError.self) {
      try await RangeReader(source, [.merging(), .caching(store)])
    }
    #expect(above?.code == .invalidConfiguration)
    let twice = await #expect(throws: ReadError.self) {
      try await RangeReader(source, [.merging(), .merging()])
    }
    #expect(twice?.code == .invalidConfiguration)
  }
}

/// Waits for as many permits as there were at first: hangs if one is lost.
func allPermitsAreBack(_ merging: ReadPipeline) async throws {
  for _ in 0..<merging.concurrentSpans { try await merging.permits.enter(WaiterRegistry()) }
  for _ in 0..<merging.concurrentSpans { merging.permits.leave() }
}

/// Notes what comes up beside what was asked for.
private struct Overlooking: ReadStage {
  let responses: Noted<[RangedBytes]>
  /// Asked for instead of what the reader does.
  var grid: BlockGrid?

  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    var request = request
    request.grid = grid
    let response = try await next(request)
    responses.add(response.overRead)
    return response
  }
}

/// Does nothing.
private struct Passing: ReadStage {
  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse { try await next(request) }
}

/// A source that says nothing of its cost.
struct Misdescribed: RangeSource {
  let base: SyntheticSource

  init(_ base: SyntheticSource) { self.base = base }

  func describe() async throws -> SourceDescription {
    let known = try await base.describe()
    return SourceDescription(id: known.id, validator: known.validator, byteCount: known.byteCount)
  }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    try await base.read(range, of: source)
  }
}
