import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// A read of more ranges than are read at once: the first answers decide how the rest is asked for, and what waits can be
/// joined, left and failed like what flies.
@Suite(.simulated) struct FetchQueueTests {
  private let store = MemoryStore(limit: .mebibytes(1))
  private let ranges = (0..<20).map { $0 * 5000..<$0 * 5000 + 100 }

  /// Two at once, each by itself.
  private func reader(_ source: some RangeSource) async throws -> (RangeReader, ReadPipeline) {
    let merging: ReadPipeline = .merging(maxGap: .bytes(0), maxConcurrentSpans: 2)
    let reader = try await RangeReader(source, [.caching(store, fill: .exact, blockSize: .kibibytes(4)), merging])
    return (reader, merging)
  }

  @Test func `as many are asked for as are read at once, the others when these end`() async throws {
    let source = HeldSource()
    let (reader, merging) = try await reader(source)
    let read = start { [ranges] in try await reader.read(ranges) }
    await quiet()
    #expect(source.asked == Array(ranges[..<2]))
    #expect(store.flightCount == 20)
    source.letGo()
    await quiet()
    #expect(source.asked == Array(ranges[..<3]))
    source.hold(false)
    #expect(try await read.value == ranges.map { SyntheticSource.bytes($0) })
    #expect(source.asked.count == 20 && Set(source.asked) == Set(ranges))
    await quiet()
    #expect(store.isQuiet)
    try await allPermitsAreBack(merging)
  }

  @Test func `a prefetch waits below, where a demand can raise it`() async throws {
    let source = HeldSource()
    let (asking, notes) = (Asking(), Noted<NotingStage.Seen>())
    asking.purpose = .prefetch
    let reader = try await RangeReader(
      source,
      [
        .stage(asking), .caching(store, fill: .exact, blockSize: .kibibytes(4)),
        .stage(NotingStage(name: "between", notes: notes)), .merging(maxGap: .bytes(0), maxConcurrentSpans: 2),
      ])
    let read = start { [ranges] in try await reader.read(ranges) }
    await quiet()
    #expect(source.asked.count == 2 && notes.all.count == 20)
    source.hold(false)
    #expect(try await read.value.count == 20)
  }

  @Test func `cancelled, nothing more is asked for`() async throws {
    let source = HeldSource()
    let (reader, merging) = try await reader(source)
    let read = start { [ranges] in try await reader.read(ranges) }
    await quiet()
    source.letGo()
    await quiet()
    read.cancel()
    await #expect(throws: CancellationError.self) { try await read.value }
    await quiet()
    #expect(source.asked.count == 3)
    #expect(source.cancellations == 2)
    #expect(store.isQuiet)
    #expect(store.cachedRanges(of: reader.source) == [ranges[0]])
    try await allPermitsAreBack(merging)
  }

  @Test func `what another read waits for is still brought, and nothing else`() async throws {
    let source = HeldSource()
    let (reader, _) = try await reader(source)
    let read = start { [ranges] in try await reader.read(ranges) }
    await quiet()
    let joining = start { [ranges] in try await reader.isRight(ranges[15]) }
    await quiet()
    #expect(source.asked.count == 2)
    read.cancel()
    await #expect(throws: CancellationError.self) { try await read.value }
    await quiet()
    #expect(source.asked == [ranges[0], ranges[1], ranges[15]])
    source.hold(false)
    #expect(try await joining.value)
    await quiet()
    #expect(source.asked.count == 3)
    #expect(store.isQuiet)
  }

  @Test func `one that fails fails the read, and nothing more is asked for`() async throws {
    let source = HeldSource()
    let (reader, merging) = try await reader(source)
    let read = start { [ranges] in try await reader.read(ranges) }
    await quiet()
    source.letGo(throwing: Refusal.no)
    await #expect(throws: Refusal.self) { try await read.value }
    await quiet()
    // One more may have been asked for, before the read knew.
    #expect(source.asked.count <= 3)
    #expect(source.waiting.isEmpty)
    #expect(store.isQuiet)
    try await allPermitsAreBack(merging)
  }

  @Test func `a reader that is closed fails what waits`() async throws {
    let source = HeldSource()
    let (reader, merging) = try await reader(source)
    let read = start { [ranges] in try await reader.read(ranges) }
    await quiet()
    await reader.close()
    let error = await #expect(throws: ReadError.self) { try await read.value }
    #expect(error?.code == .closed)
    await quiet()
    #expect(source.asksAfterClose == 0)
    #expect(store.isQuiet)
    try await allPermitsAreBack(merging)
  }

  @Test(arguments: [25e6, 2e6, 50e3])
  func `the first answers decide how the others are asked for`(stated: Double) throws {
    let (latency, rate) = (Duration.milliseconds(150), 2e6)
    for seed in testSeeds.suffix(2) {
      try Simulation.run(seed: seed) { simulation in
        var random = TestRandom(seed)
        let pages = Set((0..<1000).map { _ in random.below(1 << 18) })
        let ranges = pages.map { $0 << 12..<($0 + 1) << 12 }
        let source = MeasuringSource(
          byteCount: 1 << 30, stating: .init(latency: latency, bytesPerSecond: stated),
          costing: .init(latency: latency, bytesPerSecond: rate), time: simulation.time)
        let reader = try await RangeReader(
          source, .remoteObject(cache: MemoryStore(limit: .mebibytes(256)), maxConcurrentReads: 8),
          configuration: simulation.configuration)
        let got = try await reader.read(ranges)
        #expect(zip(ranges, got).allSatisfy { SyntheticSource.bytes($0) == $1 }, "seed \(seed)")
        let gap = Int(0.15 * rate)
        let least = SpanCost.least(SpanCost.pieces(of: ranges), gap: gap, longest: 32 << 20)
        #expect(Double(SpanCost.of(source.reads, gap: gap)) < 1.05 * Double(least), "seed \(seed)")
        #expect(source.mostReadsUnderWay == 8)
        await reader.close()
      }
    }
  }

  @Test func `any number at once is as many as there are, also while the rate is a guess`() throws {
    try Simulation.run(seed: 1) { [store, ranges] simulation in
      let cost = SourceDescription.Cost(latency: .milliseconds(1), bytesPerSecond: 25e6)
      let source = MeasuringSource(byteCount: 1 << 20, stating: cost, costing: cost, time: simulation.time)
      let reader = try await RangeReader(
        source,
        [
          .caching(store, fill: .exact, blockSize: .kibibytes(4)),
          .merging(maxSpan: .kibibytes(1), maxConcurrentSpans: .max),
        ], configuration: simulation.configuration)
      #expect(try await reader.read(ranges) == ranges.map { SyntheticSource.bytes($0) })
      #expect(source.reads.count == 20 && source.mostReadsUnderWay == 20)
      await reader.close()
    }
  }

  @Test func `as long as the rate is a guess, no span is long`() throws {
    try Simulation.run(seed: 1) { simulation in
      let cost = SourceDescription.Cost(latency: .milliseconds(150), bytesPerSecond: 25e6)
      let ranges = (0..<100).map { $0 * 300_000..<$0 * 300_000 + 4096 }
      let rows = [(Int.max, false, 1 << 20), (Int.max, true, 64 << 10), (1, false, 1 << 20)]
      for (readsToLearn, isArriving, most) in rows {
        let source = MeasuringSource(
          byteCount: 1 << 30, stating: cost, costing: cost, after: readsToLearn, isArriving: isArriving,
          time: simulation.time)
        let reader = try await RangeReader(
          source, .remoteObject(cache: MemoryStore(limit: .mebibytes(256)), maxConcurrentReads: 4),
          configuration: simulation.configuration)
        #expect(try await reader.read(ranges).count == 100)
        #expect(source.reads.contains { $0.count > most } == (readsToLearn == 1))
        #expect(source.reads.prefix(2).allSatisfy { $0.count <= most })
        await reader.close()
      }
    }
  }
}
