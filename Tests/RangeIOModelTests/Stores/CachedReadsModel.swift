import RangeIOTesting

@testable import RangeIO
@testable import RangeIOTestSupport

/// One run: two readers of one source, several tasks, and a store that is mostly too small.
final class CachedReadsModel: Sendable {
  struct Tally: SeededTally {
    var right = 0
    var cancelled = 0
    var removed = 0
    var evicted = 0

    mutating func add(_ other: Tally) {
      right += other.right
      cancelled += other.cancelled
      removed += other.removed
      evicted += other.evicted
    }
  }

  struct Wrong: Error {
    let what: String
  }

  private let simulation: Simulation
  private let random: Locked<TestRandom>
  private let tally = Locked(Tally())
  private let store: MemoryStore
  private let size: Int
  private let limit: Int

  init(_ simulation: Simulation) {
    self.simulation = simulation
    var random = TestRandom(simulation.seed)
    size = 1 + random.below(40_000)
    limit = 4000 + random.below(30_000)
    var configuration = MemoryStore.Configuration(limit: .bytes(limit))
    configuration.eviction = Eviction.all[random.below(4)]
    configuration.shards = [1, 2][random.below(2)]
    configuration.sourceShare = random.below(3) == 0 ? 0.6 : 1
    configuration.time = simulation.time
    configuration.background = simulation.configuration.background
    store = MemoryStore(configuration)
    self.random = Locked(random)
  }

  func run() async throws -> Tally {
    let fill = [ReadPipeline.CacheFill.exact, .block, .requestedFirst][below(3)]
    let latency = [Duration.zero, .microseconds(10), .milliseconds(1)][below(3)]
    // Out of four: how often the bytes are at hand.
    let atHand = below(5)
    let source = SometimesAtHand(SyntheticSource(byteCount: size, latency: latency, time: simulation.time)) {
      self.below(4) < atHand
    }
    var readers: [RangeReader] = []
    for _ in 0..<2 {
      readers.append(
        try await RangeReader(
          source, [.observing(), .caching(store, fill: fill, blockSize: .kibibytes(1))],
          configuration: simulation.configuration))
    }
    let tasks = readers.flatMap { reader in
      (0..<3).map { _ in simulation.start { try await self.read(reader) } }
    }
    let meddling = simulation.start { [source = readers[0].source] in try await self.meddle(source) }
    for task in tasks { try await task.value }
    try await meddling.value
    // What has nobody waiting ends by itself.
    while store.counts().reservedBytes > 0 { try await simulation.time.sleep(for: .milliseconds(1)) }
    try checkAccounts()
    for reader in readers { await reader.close() }
    let evictions = store.counts().evictions
    return tally.withLock { tally in
      tally.evicted = evictions
      return tally
    }
  }

  private func read(_ reader: RangeReader) async throws {
    for _ in 0..<5 {
      let start = below(size)
      let longest = [10, 1500, 5000][below(3)]
      let range = start..<min(size, start + 1 + below(longest))
      let reading = simulation.start { try await reader.read(range) }
      if below(4) == 0 {
        try await simulation.time.sleep(for: .microseconds(below(20)))
        reading.cancel()
      }
      do {
        guard try await reading.value == SyntheticSource.bytes(range) else { throw Wrong(what: "\(range)") }
        tally.withLock { $0.right += 1 }
      } catch is CancellationError {
        tally.withLock { $0.cancelled += 1 }
      }
      let statistics = store.counts()
      guard statistics.bytes <= statistics.limit || statistics.reservedBytes > 0 else {
        throw Wrong(what: "\(statistics.bytes) bytes, over \(statistics.limit)")
      }
    }
  }

  private func meddle(_ source: SourceDescription) async throws {
    for _ in 0..<below(5) {
      try await simulation.time.sleep(for: .microseconds(below(2000)))
      let start = below(size)
      switch below(7) {
      case 0: store.removeAll()
      case 1: store.remove(start..<size, of: source)
      case 2: store.remove(source: source.id)
      case 3: try await store.trim(to: .bytes(below(limit)))
      // Throws where more is pinned.
      case 4: try? await store.resize(to: .bytes(3000 + below(limit)))
      case 5: try store.pin(start..<min(size, start + 100), of: source)
      default: store.unpin(0..<size, of: source)
      }
      tally.withLock { $0.removed += 1 }
    }
  }

  private func checkAccounts() throws {
    let recount = MemoryRecount(store)
    let statistics = store.counts()
    if let fault = recount.faults.first { throw Wrong(what: fault) }
    guard statistics.bytes == recount.bytes, statistics.bytes <= statistics.limit else {
      throw Wrong(what: "\(statistics.bytes) bytes are counted of \(recount.bytes)")
    }
    for entry in recount.entries {
      for piece in entry.pieces {
        let start = entry.block << 10
        let range = start + piece.range.lowerBound..<start + piece.range.upperBound
        guard piece.bytes == SyntheticSource.bytes(range) else { throw Wrong(what: "\(range) is kept wrongly") }
      }
    }
  }

  private func below(_ bound: Int) -> Int { random.withLock { $0.below(bound) } }
}

extension CachedReadsModel: SeededCheck {
  static let name = "cached reads"
  static var seeds: Range<Int> { first(max(10, TestScale.seeds / 20)) }

  static func run(seed: UInt64) throws -> Tally {
    try Simulation.run(seed: seed) { try await CachedReadsModel($0).run() }
  }

  static func expected(of runs: Int, _ tally: Tally) -> [Occurrence] {
    guard runs >= 100 else { return [] }
    return [
      Occurrence("right", tally.right, over: runs * 10),
      Occurrence("cancelled", tally.cancelled, over: runs),
      Occurrence("removed", tally.removed, over: runs / 5),
      Occurrence("evicted", tally.evicted, over: runs),
    ]
  }
}
