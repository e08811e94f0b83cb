import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Reads of single ranges that do not know of each other: those that have to wait are read together.
@Suite(.simulated) struct FetchLinesTests {
  private let store = MemoryStore(limit: .mebibytes(1))
  /// Pairs that lie 100 bytes apart, far from the next pair.
  private let ranges = (0..<20).map { $0 / 2 * 8192 + $0 % 2 * 200 }.map { $0..<$0 + 100 }

  /// Two at once; what is less than 1,000 bytes apart is read together.
  private func reader(_ source: HeldSource) async throws -> (RangeReader, ReadPipeline) {
    let merging: ReadPipeline = .merging(maxGap: .bytes(1000), maxConcurrentSpans: 2)
    let reader = try await RangeReader(
      Measured(source), [.caching(store, fill: .exact, blockSize: .kibibytes(4)), merging])
    return (reader, merging)
  }

  private func start(_ ranges: [ByteRange], _ reader: RangeReader) async -> [Task<Bool, any Error>] {
    var tasks: [Task<Bool, any Error>] = []
    for range in ranges {
      tasks.append(RangeIOTestSupport.start { try await reader.isRight(range) })
      // In this order.
      await quiet()
    }
    return tasks
  }

  @Test func `those that wait go two by two, the first ones alone`() async throws {
    let source = HeldSource()
    let (reader, merging) = try await reader(source)
    let reads = await start(ranges, reader)
    #expect(source.asked == Array(ranges[..<2]))
    source.letGo()
    await quiet()
    #expect(source.asked == Array(ranges[..<2]) + [8192..<8492])
    source.hold(false)
    for read in reads { #expect(try await read.value) }
    #expect(source.asked.count == 11)
    // The bytes between are kept.
    #expect(try await reader.isRight(8192..<8192 + 300))
    #expect(source.asked.count == 11)
    await quiet()
    #expect(store.isQuiet)
    try await allPermitsAreBack(merging)
  }

  @Test func `a read alone goes as it is`() async throws {
    let source = HeldSource(isHeld: false)
    let (reader, _) = try await reader(source)
    for range in ranges.prefix(4) { #expect(try await reader.isRight(range)) }
    #expect(source.asked == Array(ranges.prefix(4)))
  }

  @Test func `what is cancelled while it waits is not asked for`() async throws {
    let source = HeldSource()
    let (reader, merging) = try await reader(source)
    let reads = await start(Array(ranges.prefix(6)), reader)
    for read in reads[3...] { read.cancel() }
    for read in reads[3...] { await #expect(throws: CancellationError.self) { try await read.value } }
    source.hold(false)
    for read in reads[..<3] { #expect(try await read.value) }
    await quiet()
    #expect(source.asked == Array(ranges[..<3]))
    #expect(store.isQuiet)
    try await allPermitsAreBack(merging)
  }

  @Test func `what fails together is tried alone, if the others may be why`() async throws {
    let source = HeldSource()
    let (reader, _) = try await reader(source)
    let reads = await start(Array(ranges.prefix(4)), reader)
    source.letGo()
    source.letGo()
    await quiet()
    #expect(source.waiting == [8192..<8192 + 300])
    source.letGo(throwing: ReadError(.inputOutput, "a bad sector"))
    await quiet()
    #expect(Set(source.waiting) == Set(ranges[2...3]))
    source.hold(false)
    for read in reads { #expect(try await read.value) }
    await quiet()
    #expect(store.isQuiet)
  }

  @Test func `a reader that is closed fails those that wait`() async throws {
    let source = HeldSource()
    let (reader, merging) = try await reader(source)
    let reads = await start(Array(ranges.prefix(6)), reader)
    await reader.close()
    for read in reads {
      let error = await #expect(throws: ReadError.self) { try await read.value }
      #expect(error?.code == .closed)
    }
    await quiet()
    #expect(source.asksAfterClose == 0)
    #expect(store.isQuiet)
    try await allPermitsAreBack(merging)
  }

  @Test func `another read joins one that waits`() async throws {
    let source = HeldSource()
    let (reader, _) = try await reader(source)
    let reads = await start(Array(ranges.prefix(4)) + [ranges[3]], reader)
    source.hold(false)
    for read in reads { #expect(try await read.value) }
    #expect(source.asked.count == 3)
  }

  @Test(arguments: [
    Refusal.no as any Error, ReadError(.inputOutput, "cut off", isTransient: true),
    ReadError(.timedOut, "no answer", isTransient: true), ReadError(.corrupted, "a wrong digest"),
  ]) func `no read fails for the bytes of another`(error: any Error) async throws {
    let source = HeldSource()
    let reader = try await reader(source)
    // The last one is joined by two more, and grouped with the bad one a second time.
    let reads = await start(Array(ranges.prefix(4)) + [ranges[3], ranges[3]], reader.0)
    let later = await start(Array(ranges[4...7]), reader.0)
    source.letGo()
    source.letGo()
    await quiet()
    for _ in 0..<40 {
      let isBad = source.waiting.first?.overlaps(ranges[2]) ?? false
      source.letGo(throwing: isBad ? error : nil)
      await quiet()
    }
    await #expect(throws: (any Error).self) { try await reads[2].value }
    for read in reads[..<2] + reads[3...] + later { #expect(try await read.value) }
    #expect(store.isQuiet)
    // Read alone, it is kept all the same.
    let count = source.asked.count
    #expect(try await reader.0.isRight(ranges[3]))
    #expect(source.asked.count == count)
  }

  @Test func `who gives up while others hang leaves nothing behind`() async throws {
    let source = HeldSource()
    let (reader, merging) = try await reader(source)
    let reads = await start(Array(ranges.prefix(2)), reader)
    for _ in 0..<20 {
      for read in await start(Array(ranges[2...]), reader) {
        read.cancel()
        await #expect(throws: CancellationError.self) { try await read.value }
      }
      await quiet()
      #expect(store.flightCount == 2)
      #expect(store.counts().reservedBytes < 1000)
    }
    source.hold(false)
    for read in reads { #expect(try await read.value) }
    await quiet()
    #expect(source.asked.count == 2 && store.isQuiet)
    try await allPermitsAreBack(merging)
  }

  @Test func `one that waited is read with the priority and the values of its own read`() async throws {
    let source = HeldSource()
    let noting = NotingReads()
    let reader = try await RangeReader(
      Measured(source),
      [
        .caching(store, fill: .exact, blockSize: .kibibytes(4)), .merging(maxGap: .bytes(0), maxConcurrentSpans: 1),
        .stage(noting),
      ])
    var reads: [Task<Bool, any Error>] = []
    for (number, priority) in [TaskPriority.background, .high, .background, .high].enumerated() {
      let range = ranges[2 * number]
      reads.append(
        RangeIOTestSupport.start(priority: priority) {
          try await NotingReads.$number.withValue(number) { try await reader.isRight(range) }
        })
      await quiet()
    }
    source.hold(false)
    for read in reads { #expect(try await read.value) }
    #expect(noting.seen.all.map(\.number) == [0, 1, 2, 3])
    #expect(noting.seen.all.map(\.priority) == [.background, .high, .background, .high])
  }

  /// Notes with what reads come.
  private struct NotingReads: ReadStage {
    @TaskLocal static var number = -1
    let seen = Noted<(number: Int, priority: TaskPriority)>()

    func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
      seen.add((Self.number, Task.currentPriority))
      return try await next(request)
    }
  }

  /// Shows what another reader reads, once it may.
  private struct Showing: RangeSource {
    let reader: RangeReader
    let mayRead = Promise<Void>()

    func describe() async throws -> SourceDescription {
      SourceDescription(id: "outer", validator: HeldSource.Version(number: 0), byteCount: reader.byteCount)
    }

    func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      try await mayRead.value()
      return try await reader.read(range)
    }
  }

  @Test func `a read within another does not wait for one that waits for the other`() async throws {
    let pipeline: ReadPipeline = [
      .caching(store, fill: .exact, blockSize: .kibibytes(4)), .merging(maxConcurrentSpans: 1),
      .limiting(maxConcurrentReads: 1),
    ]
    let inner = try await RangeReader(Measured(HeldSource(isHeld: false)), pipeline)
    let source = Showing(reader: inner)
    let outer = try await RangeReader(source, pipeline)
    let first = RangeIOTestSupport.start { try await outer.isRight(0..<100) }
    await quiet()
    // It waits for the permit of the first one, and whoever comes after it would wait for it.
    let second = RangeIOTestSupport.start { try await inner.isRight(8192..<8292) }
    await quiet()
    source.mayRead.resolve(.success(()))
    #expect(try await first.value)
    #expect(try await second.value)
  }

  /// 20 ms at 200 MB/s: 4 MB could come in a round trip. 2 ms at 20 MB/s: 40 kB.
  @Test(arguments: [(2.0, 2e6), (2, 20e6), (2, 200e6), (20, 20e6), (20, 200e6), (150, 2e6), (150, 200e6)])
  func `a thousand tasks cost what one call for all would`(milliseconds: Double, rate: Double) throws {
    let cost = SourceDescription.Cost(latency: .milliseconds(milliseconds), bytesPerSecond: rate)
    for seed in testSeeds.suffix(1) {
      try Simulation.run(seed: seed) { simulation in
        var random = TestRandom(seed)
        let ranges = (0..<1000).map { _ in random.below(1 << 30 - 4096) }.map { $0..<$0 + 4096 }
        let time = simulation.time
        let source = MeasuringSource(
          byteCount: 1 << 30, stating: cost, costing: cost, fetchSize: 1 << 20, time: time)
        let reader = try await RangeReader(
          source, .remoteObject(cache: MemoryStore(limit: .mebibytes(128)), maxConcurrentReads: 8),
          configuration: simulation.configuration)
        let began = time.now
        try await withThrowingTaskGroup(of: Bool.self) { group in
          for range in ranges { group.addTask { try await reader.isRight(range) } }
          for try await isRight in group { #expect(isRight, "seed \(seed)") }
        }
        let seconds = began.duration(to: time.now) / .seconds(1)
        await reader.close()
        let gap = Int(milliseconds / 1000 * rate)
        let best = SpanPlanner(gap: gap, longestSpan: 32 << 20, maxWaste: 32).plan(ranges)
        let bytes = best.spans.reduce(0) { $0 + $1.range.count }
        let least = (Double(best.spans.count) * milliseconds / 1000 + Double(bytes) / rate) / 8
        #expect(source.reads.reduce(0) { $0 + $1.count } <= bytes + bytes / 5, "seed \(seed)")
        #expect(source.reads.count <= best.spans.count + 20, "seed \(seed)")
        #expect(seconds <= 1.1 * least, "seed \(seed): \(seconds) instead of \(least) s")
      }
    }
  }
}

/// A source that knows what it costs.
private struct Measured: RangeSource {
  private final class Context: MeasuredCost {
    let extent = Locked(FetchExtent())
    let fetchSize: Int? = nil
    func measured(insteadOf stated: SourceDescription.Cost) -> SourceDescription.Measurement? {
      .init(stated, isGuess: false)
    }
  }

  let base: HeldSource
  private let context = Context()

  init(_ base: HeldSource) { self.base = base }

  func describe() async throws -> SourceDescription {
    let description = try await base.describe()
    return SourceDescription(
      id: description.id, validator: description.validator, byteCount: description.byteCount,
      traits: .with { $0.context = context })
  }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    try await base.read(range, of: source)
  }

  func close() async { await base.close() }
}
