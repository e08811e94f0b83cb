import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// The stage over a store: what it serves and what it fetches.
@Suite(.simulated) struct CachingTests {
  @Test(arguments: [true, false]) func `two caches that keep in one store are refused`(haveStageBetween: Bool) async {
    let store = MemoryStore(limit: .mebibytes(1))
    let error = await #expect(throws: ReadError.self) {
      _ = try await RangeReader(
        SyntheticSource(byteCount: 100),
        [
          .caching(store), haveStageBetween ? .decoding(name: "same", blockSize: .kibibytes(4)) { $1 } : [],
          .caching(store),
        ])
    }
    #expect(error?.code == .invalidConfiguration)
  }

  @Test func `what neither of two caches has room for is read all the same`() throws {
    try Simulation.run(seed: 3) { simulation in
      let source = SyntheticSource(byteCount: 64 << 20, latency: .milliseconds(1), time: simulation.time)
      let reader = try await RangeReader(
        source, [.caching(MemoryStore(limit: .mebibytes(8))), .caching(MemoryStore(limit: .mebibytes(8)))],
        configuration: simulation.configuration)
      let reads = (0..<4).map { _ in simulation.start { try await reader.read(100..<60 << 20) } }
      for read in reads { #expect(try await read.value == source.expected(100..<60 << 20)) }
      await reader.close()
    }
  }

  @Test func `a block that is larger than a flight is fetched whole`() async throws {
    let source = SyntheticSource(byteCount: 40 << 20)
    let reader = try await RangeReader(
      source, [.caching(MemoryStore(limit: .mebibytes(128)), blockSize: .mebibytes(16))])
    #expect(try await reader.read(17 << 20..<17 << 20 + 10) == source.expected(17 << 20..<17 << 20 + 10))
    #expect(source.bytesRead == 16 << 20)
    await reader.close()
  }

  @Test func `readers of two versions share a stage, and neither loses what is kept for it`() async throws {
    let store = MemoryStore(limit: .mebibytes(4))
    let pipeline: ReadPipeline = [.caching(store, blockSize: .kibibytes(4))]
    let source = SyntheticSource(byteCount: 100_000)
    let old = try await RangeReader(Unowned(source), pipeline)
    let oldBytes = try await old.read(0..<50_000)
    source.rewrite()
    let new = try await RangeReader(Unowned(source), pipeline)
    let newBytes = try await new.read(0..<50_000)
    let before = source.readCount
    for _ in 0..<10 {
      #expect(try await old.read(100..<10_000) == oldBytes.slice(100..<10_000))
      // What is not kept for it is gone.
      await #expect(throws: ReadError.self) { _ = try await old.read(60_000..<60_010) }
      #expect(try await new.read(100..<10_000) == newBytes.slice(100..<10_000))
    }
    #expect(source.readCount - before == 10, "the reads that failed")
    await old.close()
    #expect(try await new.read(0..<50_000) == newBytes)
    #expect(source.readCount - before == 10)
    await new.close()
  }

  /// Another's source.
  private struct Unowned: RangeSource {
    let source: SyntheticSource
    init(_ source: SyntheticSource) { self.source = source }
    func describe() async throws -> SourceDescription { try await source.describe() }
    func read(_ range: ByteRange, of description: SourceDescription) async throws -> Bytes {
      try await source.read(range, of: description)
    }
  }

  @Test func `a stage is closed with the last reader that lists it`() async throws {
    final class Closing: ReadStage {
      let closings = Locked(0)
      func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse { try await next(request) }
      func close() async { closings.withLock { $0 += 1 } }
    }
    let stage = Closing()
    let pipeline: ReadPipeline = [.stage(stage)]
    let first = try await RangeReader(SyntheticSource(byteCount: 10), pipeline)
    let second = try await RangeReader(SyntheticSource(byteCount: 10), pipeline)
    // One that is dropped counts no longer.
    weak var dropped: ReaderCore?
    do {
      let third = try await RangeReader(SyntheticSource(byteCount: 10), pipeline)
      dropped = third.core
      #expect(try await third.read(0..<1).count == 1)
    }
    await quiet()
    #expect(dropped == nil)
    await first.close()
    #expect(stage.closings.withLock { $0 } == 0)
    #expect(try await second.read(0..<10).count == 10)
    await second.close()
    #expect(stage.closings.withLock { $0 } == 1)
  }

  @Test func `sizes that no memory has are refused, by every stage`() async throws {
    struct Endless: RangeSource {
      func describe() async throws -> SourceDescription {
        SourceDescription(id: "endless", validator: nil, byteCount: .max)
      }
      func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
        throw ReadError(.resourcesExhausted, "made up")
      }
    }
    let budget = ReadAheadBudget(.mebibytes(1))
    let pipelines: [ReadPipeline] = [
      [], [.limiting(maxConcurrentReads: 1)], [.hedging()],
      [.merging()],
      [.readAhead(budget: budget), .caching(MemoryStore(limit: .mebibytes(4)))],
    ]
    for pipeline in pipelines {
      let reader = try await RangeReader(Endless(), pipeline)
      for range in [0..<Int.max, 1..<Int.max, Int.max - 1..<Int.max, 0..<1 << 47, 0..<1 << 62] {
        reader.advise(.willNeed, range)
        await #expect(throws: ReadError.self) { _ = try await reader.read(range) }
        await #expect(throws: ReadError.self) { _ = try await reader.read([range, range, 0..<1]) }
        reader.advise(.dontNeed, range)
        _ = try await reader.explain(range.lowerBound..<range.lowerBound + 1)
      }
      await #expect(throws: ReadError.self) { _ = try await reader.read(0...) }
      // In parts there is no bound.
      let error = await #expect(throws: ReadError.self) { for try await _ in reader.stream() {} }
      #expect(error?.code == .resourcesExhausted)
      await #expect(throws: ReadError.self) { _ = try await reader.read(suffix: .max) }
      await reader.close()
    }
    #expect(budget.bytes == 0)
  }

  private let notes = Noted<NotingStage.Seen>()

  private func reader(
    _ source: some RangeSource, _ store: MemoryStore, _ fill: ReadPipeline.CacheFill = .exact,
    _ blockSize: ByteCount = .kibibytes(4)
  ) async throws -> RangeReader {
    try await RangeReader(
      source, [.caching(store, fill: fill, blockSize: blockSize), .stage(NotingStage(name: "below", notes: notes))])
  }

  /// The ranges that went on to the source.
  private var fetched: [ByteRange] { notes.all.flatMap { [$0.range] + $0.moreRanges } }

  @Test(arguments: [ReadPipeline.CacheFill.block, .exact, .requestedFirst])
  func `what was read once is not read again`(_ fill: ReadPipeline.CacheFill) async throws {
    let source = SyntheticSource(byteCount: 100_000)
    let store = MemoryStore(limit: .mebibytes(1))
    let reader = try await reader(source, store, fill)
    for _ in 0..<3 {
      for range in [0..<10, 5000..<9000, 4096..<8192, 99_990..<100_000, 0..<100_000] {
        #expect(try await reader.isRight(range))
      }
    }
    let reads = source.readCount
    #expect(try await reader.isRight(0..<100_000))
    #expect(source.readCount == reads)
  }

  @Test(arguments: [0..<100, 1000..<1001, 0..<4096, 4000..<30_000])
  func `a hit calls no stage below and never suspends`(range: ByteRange) async throws {
    let source = SyntheticSource(byteCount: 100_000)
    let reader = try await reader(source, MemoryStore(limit: .mebibytes(1)))
    _ = try await reader.read(0..<50_000)
    let count = fetched.count
    let isRight = Noted<Bool>()
    let jobs = try JobCount.of { isRight.add(try await reader.isRight(range)) }
    #expect(jobs == 1)
    #expect(isRight.all == [true])
    #expect(fetched.count == count)
  }

  @Test func `a vectored hit never suspends`() async throws {
    let reader = try await reader(SyntheticSource(byteCount: 100_000), MemoryStore(limit: .mebibytes(1)))
    _ = try await reader.read(0..<50_000)
    let ranges = [40_000..<50_000, 0..<1, 4000..<9000]
    let answers = Noted<[Bytes]>()
    let jobs = try JobCount.of { answers.add(try await reader.read(ranges)) }
    #expect(jobs == 1)
    #expect(answers.all == [ranges.map { SyntheticSource.bytes($0) }])
    #expect(fetched == [0..<50_000])
  }

  @Test func `a read that waits for the source suspends`() async throws {
    // Or the test above would prove nothing.
    let source = HeldSource()
    let reader = try await reader(source, MemoryStore(limit: .mebibytes(1)))
    let read = Noted<Bytes>()
    let executor = JobCount()
    Task(executorPreference: executor) { read.add(try await reader.read(0..<10)) }
    #expect(executor.run() == 1)
    #expect(read.all.isEmpty)
    source.hold(false)
    await quiet()
    #expect(executor.run() > 0)
    #expect(read.all == [SyntheticSource.bytes(0..<10)])
  }

  // MARK: what is fetched

  @Test func `a partial hit reads only the gap`() async throws {
    let reader = try await reader(SyntheticSource(byteCount: 100_000), MemoryStore(limit: .mebibytes(1)))
    for range in [0..<1000, 2000..<3000, 500..<2500, 4000..<9000, 2500..<10_000, 0..<10_000] {
      #expect(try await reader.isRight(range))
    }
    #expect(fetched == [0..<1000, 2000..<3000, 1000..<2000, 4000..<9000, 3000..<4000, 9000..<10_000])
  }

  @Test func `exactly what is missing is one read for each gap, however many blocks it lies in`() async throws {
    let reader = try await reader(SyntheticSource(byteCount: 100_000), MemoryStore(limit: .mebibytes(1)))
    #expect(try await reader.isRight(5000..<5001))
    #expect(try await reader.isRight(50_000..<50_010))
    #expect(try await reader.isRight(100..<99_999))
    #expect(fetched == [5000..<5001, 50_000..<50_010, 100..<5000, 5001..<50_000, 50_010..<99_999])
  }

  @Test func `whole blocks are fetched together, cut at the source's end`() async throws {
    let store = MemoryStore(limit: .mebibytes(1))
    let reader = try await reader(SyntheticSource(byteCount: 100_000), store, .block)
    #expect(try await reader.isRight(5000..<5010))
    #expect(try await reader.isRight(4096..<8192))
    #expect(try await reader.isRight(8191..<12_289))
    #expect(try await reader.isRight(99_000..<99_001))
    #expect(fetched == [4096..<8192, 8192..<16_384, 98_304..<100_000])
    #expect(store.cachedRanges(of: reader.source) == [4096..<16_384, 98_304..<100_000])
  }

  @Test func `the requested bytes come first, without waiting for the rest of the blocks`() async throws {
    let source = HeldSource()
    let store = MemoryStore(limit: .mebibytes(1))
    let reader = try await reader(source, store, .requestedFirst)
    async let first = reader.isRight(5000..<5010)
    await quiet()
    #expect(source.waiting.count == 1)
    #expect(source.asked == [5000..<5010])
    source.letGo()
    #expect(try await first)
    // All that is left waits for the source now.
    await quiet()
    #expect(source.waiting.count == 2)
    #expect(source.asked.dropFirst() == [4096..<5000, 5010..<8192])
    #expect(try await reader.isRight(5000..<5010))
    // A read of what is on its way joins it.
    async let second = reader.isRight(4096..<8192)
    source.hold(false)
    #expect(try await second)
    await quiet()
    #expect(store.isQuiet)
    #expect(source.asked.count == 3)
    #expect(store.contains(4096..<8192, of: reader.source))
  }

  @Test func `stages of different fills share what is there`() async throws {
    let store = MemoryStore(limit: .mebibytes(1))
    let exact = try await reader(SyntheticSource(byteCount: 100_000), store, .exact)
    let block = try await reader(SyntheticSource(byteCount: 100_000), store, .block)
    #expect(try await exact.isRight(0..<100))
    #expect(try await block.isRight(50..<200))
    #expect(try await exact.isRight(0..<4096))
    #expect(fetched == [0..<100, 0..<4096])
  }

  // MARK: several ranges

  @Test(arguments: [ReadPipeline.CacheFill.block, .exact, .requestedFirst])
  func `ranges that overlap are answered each, and no byte is read twice`(_ fill: ReadPipeline.CacheFill) async throws {
    let source = SyntheticSource(byteCount: 100_000)
    let store = MemoryStore(limit: .mebibytes(1))
    let reader = try await reader(source, store, fill)
    _ = try await reader.read(2000..<3000)
    let ranges = [
      10..<20, 0..<5000, 15..<30, 4000..<9000, 0..<5000, 90_000..<90_001, 2500..<2600, 8999..<9000, 0..<1,
    ]
    #expect(try await reader.read(ranges) == ranges.map { SyntheticSource.bytes($0) })
    await quiet()
    #expect(store.isQuiet)
    #expect(fetched.reduce(0) { $0 + $1.count } == ByteRanges.normalize(fetched).reduce(0) { $0 + $1.count })
    let count = fetched.count
    #expect(try await reader.read(ranges) == ranges.map { SyntheticSource.bytes($0) })
    #expect(fetched.count == count)
  }

  @Test func `random ranges, some kept and some not, are put together right`() async throws {
    for seed in testSeeds {
      var random = TestRandom(seed)
      let store = MemoryStore(limit: .kibibytes(64))
      let fill = [ReadPipeline.CacheFill.block, .exact, .requestedFirst][random.below(3)]
      let reader = try await reader(SyntheticSource(byteCount: 30_000), store, fill, .bytes(512))
      for _ in 0..<20 {
        let ranges = (0..<random.below(12)).map { _ in random.range(within: 30_000) }
        let answers = try await reader.read(ranges)
        #expect(answers == ranges.map { SyntheticSource.bytes($0) }, "seed \(seed): \(ranges)")
      }
    }
  }

  @Test func `thousands of ranges in one request are planned in passing`() async throws {
    let store = MemoryStore(limit: .mebibytes(8))
    let reader = try await reader(SyntheticSource(byteCount: 1 << 20), store, .exact)
    let ranges = (0..<10_000).map { $0 * 100..<$0 * 100 + 10 }
    for _ in 0..<2 {
      let answers = try await reader.read(ranges)
      #expect(answers.count == ranges.count)
      #expect(zip(answers, ranges).allSatisfy { $0 == SyntheticSource.bytes($1) })
    }
  }
}
