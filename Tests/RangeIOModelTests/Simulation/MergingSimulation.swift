@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTesting

/// What happened in a run.
struct MergingOutcomes: SeededTally, Equatable {
  var reads = 0
  var cancelled = 0
  var failed = 0
  var changed = 0
  var merged = 0
  var kept = 0
  var again = 0
  var sourceReads = 0

  mutating func add(_ other: MergingOutcomes) {
    reads += other.reads
    cancelled += other.cancelled
    failed += other.failed
    changed += other.changed
    merged += other.merged
    kept += other.kept
    again += other.again
    sourceReads += other.sourceReads
  }
}

private struct Wrong: Error {
  let what: String
}

/// One source, one store, a stage that merges and is shared, and a handful of readers.
final class MergingSimulation: Sendable {
  private struct World {
    var generator: SeededGenerator
    var tally = MergingOutcomes()
    var faults: Int
  }
  private static let size = 200_000

  private let simulation: Simulation
  private let world: Locked<World>
  private let base: SyntheticSource
  private let store: MemoryStore
  private let merging: ReadPipeline
  private let isCached: Bool

  init(_ simulation: Simulation) {
    self.simulation = simulation
    var generator = SeededGenerator(seed: simulation.seed &* 91 &+ 7)
    base = SyntheticSource(
      byteCount: Self.size,
      latency: [Duration.zero, .microseconds(300), .milliseconds(20)].randomElement(using: &generator)!,
      bytesPerSecond: [1e6, 1e8, .infinity].randomElement(using: &generator)!,
      sharesBandwidth: Bool.random(using: &generator), time: simulation.time)
    var configuration = MemoryStore.Configuration(
      limit: .bytes([20_000, 100_000, 1_000_000].randomElement(using: &generator)!))
    configuration.time = simulation.time
    configuration.background = simulation.configuration.background
    store = MemoryStore(configuration)
    let gap = [ByteCount?.none, nil, .bytes(Int.random(in: 0...9000, using: &generator)), .bytes(0)]
      .randomElement(using: &generator)!
    merging = ReadPipeline.merging(
      maxGap: gap, maxSpan: .bytes([3000, 30_000, 1 << 25].randomElement(using: &generator)!),
      maxWaste: [0, 1, 32].randomElement(using: &generator)!,
      maxConcurrentSpans: Int.random(in: 1...4, using: &generator))
    isCached = Int.random(in: 0..<5, using: &generator) > 0
    world = Locked(World(generator: generator, faults: Int.random(in: 0..<2, using: &generator) * 6))
  }

  func run() async throws -> MergingOutcomes {
    let caching = (0..<2).map { _ in
      ReadPipeline.caching(
        store, fill: [ReadPipeline.CacheFill.exact, .block, .requestedFirst][random(below: 3)],
        blockSize: .bytes([1024, 4096][random(below: 2)]), maxReadSize: random(below: 6) == 0 ? .bytes(8000) : nil)
    }
    var readers: [RangeReader] = []
    for number in 0..<2 {
      let source = FaultySource(base) { [weak self] _, _ in self?.fault() }
      readers.append(
        try await RangeReader(
          source, [isCached ? caching[number] : [], merging], configuration: simulation.configuration))
    }
    let actors = (0..<2 + random(below: 4)).map { number in
      simulation.start { [reader = readers[number % 2]] in try await self.act(reader) }
    }
    for task in actors where random(below: 3) == 0 {
      simulation.start {
        try await self.pause()
        task.cancel()
      }
    }
    for _ in 0..<random(below: 3) {
      simulation.start {
        try await self.pause()
        switch self.random(below: 3) {
        case 0: self.base.rewrite()
        case 1: self.store.removeAll()
        default: try await self.store.trim(to: .bytes(self.random(below: 20_000)))
        }
      }
    }
    for task in actors { do { try await task.value } catch is CancellationError {} }
    try await end(readers)
    for stage in caching {
      let statistics = stage.statistics()
      world.withLock { world in
        world.tally.kept += statistics?["over-read bytes kept"] ?? 0
        world.tally.again += statistics?["bytes read again"] ?? 0
      }
    }
    return world.withLock { world in
      world.tally.merged = merging.statistics()?["ranges merged"] ?? 0
      world.tally.sourceReads = base.readCount
      return world.tally
    }
  }

  private func act(_ reader: RangeReader) async throws {
    guard let version = (reader.source.validator as? SyntheticSource.Version)?.number else {
      throw Wrong(what: "no version")
    }
    for _ in 0..<3 + random(below: 4) {
      if random(below: 3) == 0 { try await pause() }
      do {
        try await read(reader, version)
        world.withLock { $0.tally.reads += 1 }
      } catch is CancellationError {
        guard Task.isCancelled else { throw Wrong(what: "CancellationError in a task that was not cancelled") }
        world.withLock { $0.tally.cancelled += 1 }
        throw CancellationError()
      } catch is Refusal {
        world.withLock { $0.tally.failed += 1 }
      } catch let error as ReadError where error.code == .sourceChanged {
        world.withLock { $0.tally.changed += 1 }
        return
      }
      guard store.counts().bytes <= store.counts().limit else { throw Wrong(what: "over the limit") }
    }
  }

  private func read(_ reader: RangeReader, _ version: UInt64) async throws {
    let ranges = (0..<(random(below: 4) == 0 ? 1 : 1 + random(below: 30))).map { _ in range() }
    guard ranges.count > 1 else {
      let bytes = try await reader.read(ranges[0])
      guard bytes == SyntheticSource.bytes(ranges[0], version: version) else {
        throw Wrong(what: "wrong bytes for \(ranges[0])")
      }
      return
    }
    let all = try await reader.read(ranges)
    guard all.count == ranges.count else { throw Wrong(what: "\(all.count) answers to \(ranges.count) ranges") }
    for (bytes, range) in zip(all, ranges) where bytes != SyntheticSource.bytes(range, version: version) {
      throw Wrong(what: "wrong bytes for \(range) of \(ranges)")
    }
  }

  private func end(_ readers: [RangeReader]) async throws {
    for _ in 0..<20 {
      try await simulation.clock.sleep(for: .seconds(1))
      if store.isQuiet { break }
    }
    guard store.isQuiet else { throw Wrong(what: "something is still on its way: \(store.statistics())") }
    // All permits are back, or this hangs.
    for _ in 0..<merging.concurrentSpans { try await merging.permits.enter(WaiterRegistry()) }
    for _ in 0..<4 { try await store.sources.unreserved.enter() }
    // What is kept is right, whatever became of the reads that brought it.
    for token in store.sources.all where token.isAlive {
      guard let version = (token.source.validator as? SyntheticSource.Version)?.number else { continue }
      for range in store.cachedRanges(of: token.source) {
        guard case .hit(let bytes) = store.lookUp(range, token: token.number, grid: token.grid) else { continue }
        guard bytes == SyntheticSource.bytes(range, version: version) else {
          throw Wrong(what: "wrong bytes are kept for \(range)")
        }
      }
    }
    for reader in readers { await reader.close() }
    store.removeAll()
    guard store.counts().bytes == 0 else { throw Wrong(what: "bytes are lost: \(store.statistics())") }
  }

  private func fault() -> FaultySource<SyntheticSource>.Fault? {
    world.withLock { world in
      guard world.faults > 0, Int.random(in: 0..<5, using: &world.generator) == 0 else { return nil }
      world.faults -= 1
      return .fail(Refusal.no)
    }
  }

  private func range() -> ByteRange {
    // Near each other mostly.
    let lower = random(below: 4) == 0 ? random(below: Self.size) : random(below: 40_000)
    let most = random(below: 8) == 0 ? 20_000 : 600
    return lower..<lower + random(below: min(most, Self.size - lower) + 1)
  }

  private func random(below bound: Int) -> Int {
    world.withLock { Int.random(in: 0..<bound, using: &$0.generator) }
  }

  private func pause() async throws {
    try await simulation.clock.sleep(for: .microseconds(random(below: 60_000)))
  }
}

extension MergingSimulation: SeededCheck {
  static let name = "merging"
  /// Reads of several ranges cost more than those of one: a twentieth of the seeds that others run.
  static var seeds: Range<Int> { first(max(1, TestScale.seeds / 20)) }

  static func run(seed: UInt64) throws -> MergingOutcomes {
    try Simulation.run(seed: seed) { try await MergingSimulation($0).run() }
  }

  static func expected(of runs: Int, _ tally: MergingOutcomes) -> [Occurrence] {
    guard runs >= 100 else { return [] }
    return [
      Occurrence("reads", tally.reads, over: runs * 5),
      Occurrence("cancelled", tally.cancelled, over: runs / 10),
      Occurrence("failed", tally.failed, over: runs / 10),
      Occurrence("changed", tally.changed, over: runs / 20),
      Occurrence("merged", tally.merged, over: runs * 5),
      Occurrence("kept", tally.kept, over: runs),
      Occurrence("again", tally.again, over: 0),
    ]
  }
}
