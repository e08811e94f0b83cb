import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Thousands who want the same, some of whom change their minds.
@Suite(.simulated) struct StampedeTests {
  private static let count = 10_000
  private let store = MemoryStore(limit: .mebibytes(1))

  private func reader(
    _ source: some RangeSource, _ configuration: RangeReader.Configuration = .init()
  ) async throws -> RangeReader {
    try await RangeReader(
      source, [.caching(store, fill: .block, blockSize: .kibibytes(64))], configuration: configuration)
  }

  /// Starts reads within block 0, and returns once each has looked for it in the store.
  private func stampede(_ reader: RangeReader, _ count: Int = Self.count) async -> [Task<Bool, any Error>] {
    let before = store.missCount
    let reads = (0..<count).map { number in
      start { try await reader.isRight(number..<number + 4096) }
    }
    await quiet()
    #expect(store.missCount == before + count)
    return reads
  }

  @Test func `ten thousand reads of one cold block are one read of the source`() async throws {
    let source = GatedSource(SyntheticSource(byteCount: 1 << 20))
    let reader = try await reader(source)
    let reads = await stampede(reader)
    #expect(source.waitingRanges == [0..<65_536])
    #expect(store.flightCount == 1)
    source.open()
    var right = 0
    for read in reads where try await read.value { right += 1 }
    #expect(right == Self.count)
    #expect(reader.statistics().reads == Self.count)
    #expect(store.isQuiet)
    #expect(store.cachedRanges(of: reader.source) == [0..<65_536])
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `of ten thousand reads all but one are cancelled, and that one gets its bytes`(seed: UInt64) async throws {
    var random = TestRandom(seed)
    let survivor = random.below(Self.count)
    let source = HeldSource(byteCount: 1 << 20)
    let reader = try await reader(source)
    let reads = await stampede(reader)
    for number in (0..<Self.count).shuffled(using: &random) where number != survivor { reads[number].cancel() }
    // Counted, and not expected one by one: ten thousand expected errors take minutes.
    var cancelled = 0
    for number in 0..<Self.count where number != survivor {
      do { _ = try await reads[number].value } catch is CancellationError { cancelled += 1 }
    }
    #expect(cancelled == Self.count - 1)
    #expect(source.waiting == [0..<65_536])
    source.hold(false)
    #expect(try await reads[survivor].value)
    #expect(source.asked.count == 1)
    #expect(source.cancellations == 0)
    #expect(reader.statistics().cancellations == Self.count - 1)
    #expect(store.isQuiet)
  }

  @Test(arguments: [true, false])
  func `reads that come, are cancelled and complete at random end in right bytes or not at all`(isGated: Bool) throws {
    for seed in testSeeds.prefix(10) {
      try Simulation.run(seed: seed) { simulation in
        let source = SyntheticSource(byteCount: 1 << 20, latency: .milliseconds(1), time: simulation.time)
        let store = MemoryStore(limit: .mebibytes(1))
        let reader = try await RangeReader(
          source, [.caching(store, fill: .block, blockSize: .kibibytes(64))], configuration: simulation.configuration)
        var random = TestRandom(seed)
        let survivor = random.below(1000)
        let reads = (0..<1000).map { number in
          simulation.start { try await reader.isRight(number..<number + 100) }
        }
        for number in (0..<1000).shuffled(using: &random) where number != survivor {
          if isGated || random.below(20) == 0 { await Task.yield() }
          reads[number].cancel()
        }
        #expect(try await reads[survivor].value)
        for read in reads { _ = await read.result }
        // All at once are one; one after the other may have been cancelled and begun again.
        #expect(source.mostReadsUnderWay == 1)
        #expect(store.isQuiet)
      }
    }
  }

  @Test func `the last one to be cancelled cancels the fetch, and its room comes back`() async throws {
    let source = HeldSource(byteCount: 1 << 20)
    let reader = try await reader(source)
    let reads = await stampede(reader, 100)
    for read in reads.dropLast() { read.cancel() }
    for read in reads.dropLast() { await #expect(throws: CancellationError.self) { try await read.value } }
    #expect(source.cancellations == 0)
    #expect(store.counts().reservedBytes > 65_536)
    reads[99].cancel()
    await #expect(throws: CancellationError.self) { try await reads[99].value }
    await quiet()
    #expect(source.cancellations == 1 && store.isQuiet)
    #expect(store.counts().bytes == 0)
    #expect(source.waiting.isEmpty)
    // Nobody joins what was cancelled.
    source.hold(false)
    #expect(try await reader.isRight(0..<10))
    #expect(source.asked.count == 2)
  }

  @Test func `a source that ignores cancellation does not keep callers waiting`() async throws {
    let source = GatedSource(SyntheticSource(byteCount: 1 << 20))
    let reader = try await reader(source)
    let reads = await stampede(reader, 10)
    for read in reads { read.cancel() }
    for read in reads { await #expect(throws: CancellationError.self) { try await read.value } }
    await quiet()
    #expect(store.isQuiet)
    async let again = reader.isRight(0..<10)
    await quiet()
    #expect(source.waitingRanges.count == 2)
    source.open()
    #expect(try await again)
  }

  // MARK: removals

  private enum Removal: CaseIterable {
    case everything, source, range

    func callAsFunction(_ store: MemoryStore, _ source: SourceDescription) {
      switch self {
      case .everything: store.removeAll()
      case .source: store.remove(source: source.id)
      case .range: store.remove(100..<200, of: source)
      }
    }
  }

  @Test(arguments: Removal.allCases)
  private func `a read begun after a removal never joins an older flight`(removal: Removal) async throws {
    let source = HeldSource(byteCount: 1 << 20)
    let reader = try await reader(source)
    let before = await stampede(reader, 20)
    #expect(source.waiting.count == 1)
    removal(store, reader.source)
    let after = await stampede(reader, 20)
    await quiet()
    #expect(source.waiting.count == 2)
    // The older one completes: those who waited have their bytes, and nobody else gets them.
    source.letGo()
    for read in before { #expect(try await read.value) }
    #expect(store.cachedRanges(of: reader.source) == [])
    #expect(store.counts().stale == 1)
    let later = await stampede(reader, 20)
    #expect(source.asked.count == 2, "they join the newer one")
    source.letGo()
    for read in after + later { #expect(try await read.value) }
    #expect(store.cachedRanges(of: reader.source) == [0..<65_536])
    #expect(store.isQuiet)
  }

  @Test(arguments: Removal.allCases)
  private func `an older flight that completes after a newer one takes nothing of it away`(removal: Removal)
    async throws
  {
    let (older, newer) = (HeldSource(byteCount: 1 << 20), HeldSource(byteCount: 1 << 20))
    let (one, other) = (try await reader(older), try await reader(newer))
    let before = await stampede(one, 5)
    #expect(older.waiting.count == 1)
    removal(store, one.source)
    let after = await stampede(other, 5)
    await quiet()
    #expect(newer.waiting.count == 1)
    newer.hold(false)
    for read in after { #expect(try await read.value) }
    older.hold(false)
    for read in before { #expect(try await read.value) }
    #expect(store.cachedRanges(of: one.source) == [0..<65_536])
    #expect(store.counts().insertions == 1)
    #expect(store.isQuiet)
  }

  // MARK: purpose

  @Test func `a demand raises the demand of a task of lower priority that it joins`() async throws {
    let priorities = NotingPriorities()
    let source = HeldSource(byteCount: 1 << 20)
    let reader = try await RangeReader(
      source, [.caching(store, fill: .block, blockSize: .kibibytes(64)), .stage(priorities)])
    let slow = start(priority: .background) { try await reader.isRight(0..<10) }
    await quiet()
    #expect(source.waiting.count == 1 && priorities.raised.all.isEmpty)
    let quick = start(priority: .high) { try await reader.isRight(0..<10) }
    await quiet()
    if #available(macOS 26, iOS 26, tvOS 26, visionOS 26, *) {
      #expect(!priorities.raised.all.isEmpty)
      #expect(priorities.raised.all.allSatisfy { $0 >= .high })
    }
    source.hold(false)
    #expect(try await slow.value)
    #expect(try await quick.value)
    #expect(source.asked.count == 1)
  }

  @Test func `demand raises a prefetch that it joins, and takes it over`() async throws {
    let priorities = NotingPriorities()
    let asking = Asking()
    let source = HeldSource(byteCount: 1 << 20)
    let requests = NotingRequests()
    let reader = try await RangeReader(
      source,
      [.stage(asking), .caching(store, fill: .block, blockSize: .kibibytes(64)), .stage(requests), .stage(priorities)])
    asking.purpose = .prefetch
    let prefetch = start(priority: .low) { try await reader.isRight(0..<10) }
    await quiet()
    #expect(source.waiting.count == 1)
    #expect(requests.notes.all.map(\.purpose) == [.prefetch])
    asking.purpose = .demand
    let demand = start(priority: .high) { try await reader.isRight(0..<10) }
    if #available(macOS 26, iOS 26, tvOS 26, visionOS 26, *) {
      await quiet()
      #expect(!priorities.raised.all.isEmpty)
      #expect(priorities.raised.all.allSatisfy { $0 >= .high })
    }
    // Whoever asked for the prefetch goes; the one who joined stays.
    prefetch.cancel()
    await #expect(throws: CancellationError.self) { try await prefetch.value }
    source.hold(false)
    #expect(try await demand.value)
    #expect(source.asked.count == 1)
    #expect(source.cancellations == 0)
  }
}
