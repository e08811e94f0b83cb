import RangeIOTesting

@testable import RangeIO
@testable import RangeIOTestSupport

/// Readers that share every stage there is, over a source of whose reads one in ten goes wrong, with one in ten reads
/// cancelled: every byte is compared, and at the end everything that was lent must be back.
final class StagesModel: Sendable {
  struct Wrong: Error {
    let what: String
  }

  /// Where decoding stands, of the places that it may have.
  enum Decoding: CaseIterable {
    case top, aboveCache, belowCache, belowRetrying, bottom
  }

  struct World {
    var random: TestRandom
    var left: Int
    var tally = StagesTally()
    var readers: [RangeReader?] = [nil, nil]
    var closing: Set<ObjectIdentifier> = []
  }

  private static let actors = 8

  let simulation: Simulation
  let world: Locked<World>
  let source: StagesModelSource
  let store: MemoryStore
  let budget: ReadPipeline.RetryBudget
  let readAheadBudget: ReadAheadBudget
  let timeLimiting: ReadPipeline
  let readAhead: ReadPipeline
  let merging: ReadPipeline
  let retrying: ReadPipeline
  let hedging: ReadPipeline
  let verifying: ReadPipeline
  let limiting: ReadPipeline
  let transforming: ReadPipeline = .decoding(
    name: "turned", blockSize: .bytes(StagesContent.blockSize),
    encodedBlockSize: .bytes(StagesContent.encodedBlockSize), headerSize: .bytes(StagesContent.headerSize),
    decode: StagesContent.decode)
  private let observing = Observing()
  private let tryLimiting: ReadPipeline = .timeLimit(.milliseconds(60))
  private let fill: ReadPipeline.CacheFill
  private let decoding: Decoding

  init(_ simulation: Simulation, operations: Int) {
    self.simulation = simulation
    var random = TestRandom(simulation.seed)
    let cost = SourceDescription.Cost(latency: .milliseconds(2), bytesPerSecond: 1e7)
    source = StagesModelSource(simulation, cost: random.below(2) == 0 ? cost : SourceDescription.Cost())
    var configuration = MemoryStore.Configuration(limit: .bytes(30_000 + random.below(100_000)))
    configuration.shards = 1
    configuration.time = simulation.time
    configuration.background = simulation.configuration.background
    store = MemoryStore(configuration)
    fill = [.block, .exact, .requestedFirst][random.below(3)]
    decoding = Decoding.allCases[random.below(Decoding.allCases.count)]
    budget = ReadPipeline.RetryBudget(allowance: 10, share: 0.3)
    timeLimiting = ReadPipeline.timeLimit(.milliseconds(30 + random.below(120)))
    readAheadBudget = ReadAheadBudget(.bytes(10_000 + random.below(60_000)))
    readAhead = ReadPipeline.readAhead(
      random.below(2) == 0 ? .adaptive : .upTo(.bytes(2000 + random.below(30_000))), budget: readAheadBudget)
    merging = ReadPipeline.merging(
      maxGap: [ByteCount?.none, nil, .bytes(random.below(9000)), .bytes(0)][random.below(4)],
      maxSpan: .bytes([3000, 60_000][random.below(2)]), maxConcurrentSpans: 1 + random.below(4))
    retrying = ReadPipeline.retrying(
      .exponentialBackoff(attempts: 3, base: .milliseconds(10)), budget: budget,
      random: SeededGenerator(seed: simulation.seed))
    hedging = ReadPipeline.hedging(maxShare: 0.1, minSamples: 20)
    verifying = ReadPipeline.verifying(
      blockSize: .bytes(StagesContent.digestSize),
      digests: decoding == .bottom ? StagesContent.decodedDigests : StagesContent.encodedDigests, hash: quickHash)
    limiting = ReadPipeline.limiting(
      maxConcurrentReads: 2 + random.below(4), bytesPerSecond: .bytes(20_000_000), burst: .bytes(20_000))
    world = Locked(World(random: random, left: operations))
  }

  func run() async throws -> StagesTally {
    for place in 0..<2 { try await open(place) }
    let actors = (0..<Self.actors).map { _ in simulation.start { try await self.act() } }
    for actor in actors { try await actor.value }
    for reader in world.withLock({ $0.readers }) { await reader?.close() }
    try look(isAtRest: true)
    // All permits are back, or this hangs.
    for _ in 0..<merging.concurrentSpans { try await merging.permits.enter(WaiterRegistry()) }
    return world.withLock { world in
      var tally = world.tally
      tally.faults = source.faults
      for stage in [
        timeLimiting.statistics(), readAhead.statistics(), transforming.statistics(), merging.statistics(),
        retrying.statistics(), hedging.statistics(), verifying.statistics(), limiting.statistics(),
      ] {
        for (name, value) in stage?.figures ?? [:] where name != "reads" && name != "longest queue" {
          tally.figures[name] = value
        }
      }
      return tally
    }
  }

  private func open(_ place: Int) async throws {
    var configuration = simulation.configuration
    configuration.streamWindow = 4096
    let reader = try await RangeReader(source, pipeline(), configuration: configuration)
    guard reader.byteCount == StagesContent.byteCount else { throw Wrong(what: "\(reader.byteCount) bytes") }
    world.withLock { $0.readers[place] = reader }
  }

  private func pipeline() -> ReadPipeline {
    func decodes(_ place: Decoding) -> ReadPipeline { place == decoding ? transforming : [] }
    return [
      decodes(.top), .observing(observing), timeLimiting, readAhead, decodes(.aboveCache),
      .caching(store, fill: fill, blockSize: .bytes(4096)), decodes(.belowCache), merging, retrying, tryLimiting,
      decodes(.belowRetrying), hedging, verifying, decodes(.bottom), limiting,
    ]
  }

  // MARK: operations

  /// Operations, one after the other, until enough have been done.
  private func act() async throws {
    while world.withLock({ world in
      world.left -= 1
      return world.left >= 0
    }) {
      world.withLock { $0.tally.operations += 1 }
      let place = random(2)
      if random(400) == 0 { try await reopen(place) }
      guard let reader = world.withLock({ $0.readers[place] }) else { continue }
      let read = simulation.start { try await self.read(reader) }
      let isCancelled = random(10) == 0
      if isCancelled {
        try await simulation.clock.sleep(for: .microseconds(random(6000)))
        read.cancel()
      }
      try judge(await read.result, reader, isCancelled: isCancelled)
      try look(isAtRest: false)
    }
  }

  private func reopen(_ place: Int) async throws {
    let old = world.withLock { world -> RangeReader? in
      guard let reader = world.readers[place] else { return nil }
      world.readers[place] = nil
      world.closing.insert(ObjectIdentifier(reader))
      return reader
    }
    // Another does it already.
    guard let old else { return }
    await old.close()
    try await open(place)
  }

  private func read(_ reader: RangeReader) async throws {
    switch random(12) {
    case 0, 1: try await readSeveral(reader)
    case 2: try await stream(reader)
    case 3, 4: try await readRun(reader)
    case 5:
      let range = range(most: 20_000)
      reader.advise(.willNeed, range)
      try await simulation.clock.sleep(for: .microseconds(random(8000)))
      try check(try await reader.read(range), range)
    case 6:
      reader.advise(.dontNeed, range(most: 20_000))
      try await explain(reader)
    default:
      let range = range(most: 5000)
      try check(try await reader.read(range), range)
    }
  }

  /// Anywhere, or near each other, so that some are merged.
  private func readSeveral(_ reader: RangeReader) async throws {
    let start = random(3) == 0 ? nil : random(StagesContent.byteCount - 30_000)
    let ranges = (0..<1 + random(8)).map { _ in
      guard let start else { return range(most: 3000) }
      let lower = start + random(27_000)
      return lower..<lower + 1 + random(1500)
    }
    let all = try await reader.read(ranges)
    guard all.count == ranges.count else { throw Wrong(what: "\(all.count) answers to \(ranges.count) ranges") }
    for (range, bytes) in zip(ranges, all) { try check(bytes, range) }
  }

  private func stream(_ reader: RangeReader) async throws {
    let range = range(most: 12_000)
    var start = range.lowerBound
    for try await piece in reader.stream(range, chunkSize: .bytes(2000)) {
      try check(piece, start..<start + piece.count)
      start += piece.count
    }
    guard start == range.upperBound else { throw Wrong(what: "a stream of \(range) ended at \(start)") }
  }

  /// Reads that follow one another: forwards, backwards, or with gaps between them.
  private func readRun(_ reader: RangeReader) async throws {
    let count = 300 + random(2000)
    let step = [count, count, -count, count * 2][random(4)]
    var lower = random(StagesContent.byteCount)
    for _ in 0..<4 + random(8) {
      guard lower >= 0, lower < StagesContent.byteCount else { return }
      let range = lower..<min(lower + count, StagesContent.byteCount)
      try check(try await reader.read(range), range)
      lower += step
    }
  }

  func random(_ bound: Int) -> Int { world.withLock { $0.random.below(bound) } }

  func range(most: Int) -> ByteRange {
    world.withLock { world in
      let count = 1 + world.random.below(most)
      let start = world.random.below(StagesContent.byteCount - count)
      return start..<start + count
    }
  }
}
