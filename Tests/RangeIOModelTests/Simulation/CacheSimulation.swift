import Foundation

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTesting

/// What happened in a run.
struct CacheOutcomes: SeededTally, Equatable {
  var reading = ReadingOutcomes()
  var resized = 0
  var retired = 0
  var hits = 0
  var evictions = 0
  var stale = 0
  var refusals = 0
  var merges = 0

  mutating func add(_ other: CacheOutcomes) {
    reading.add(other.reading)
    resized += other.resized
    retired += other.retired
    hits += other.hits
    evictions += other.evictions
    stale += other.stale
    refusals += other.refusals
    merges += other.merges
  }

  mutating func add(_ statistics: MemoryCounts) {
    hits = statistics.hits
    evictions = statistics.evictions
    stale = statistics.stale
    refusals = statistics.dropped
    merges = statistics.merges
  }
}

/// What a source holds in each version, made once for all seeds.
private enum Contents {
  static let most = 40_000
  private static let versions = (0..<8).map { [UInt8](SyntheticSource.bytes(0..<most, version: UInt64($0))) }

  /// Whether `bytes` are those of `range`, every one of them.
  static func are(_ bytes: Bytes, _ range: ByteRange, version: UInt64) -> Bool {
    guard bytes.count == range.count else { return false }
    var offset = range.lowerBound
    var isRight = true
    versions[Int(version)].withUnsafeBytes { all in
      bytes.forEachSpan { span in
        span.withUnsafeBytes { piece in
          // Not element by element, which would take minutes for 10,000 seeds.
          isRight = isRight && memcmp(piece.baseAddress!, all.baseAddress! + offset, piece.count) == 0
          offset += piece.count
        }
      }
    }
    return isRight
  }
}

/// Two sources, a store with room for some of one, and a handful of tasks with a reader each that do what the seed says.
final class CacheSimulation: ReadingSimulation {
  private struct World {
    var generator: SeededGenerator
    var tally = CacheOutcomes()
    var tokens: [UInt64: ChunkToken] = [:]
    /// The most that may be held: the limit, or while a resize is under way what it was before.
    var allowed: Int
    var resizing = 0
    var faults: Int
  }

  let simulation: Simulation
  let sources: [SyntheticSource]
  let maxDisturbers = 4
  let readsOfReader = 1...6
  let kinds: [Kind] = [.one, .one, .one, .many, .aside, .stream]
  private let world: Locked<World>
  private let store: MemoryStore
  private let blockSizes: [ByteCount]
  private let limits: [Int]

  init(_ simulation: Simulation) {
    self.simulation = simulation
    var generator = SeededGenerator(seed: simulation.seed &* 77 &+ 3)
    sources = (0..<2).map { number in
      SyntheticSource(
        byteCount: Int.random(in: 1...Contents.most / 2, using: &generator), id: "source \(number)",
        latency: [Duration.zero, .microseconds(10), .milliseconds(3)].randomElement(using: &generator)!,
        bytesPerSecond: Bool.random(using: &generator) ? 1e7 : .infinity, time: simulation.time)
    }
    limits = (0..<3).map { _ in Int.random(in: 2000...30_000, using: &generator) }
    blockSizes = Bool.random(using: &generator) ? [.bytes(1024)] : [.bytes(512), .bytes(4096)]
    var configuration = MemoryStore.Configuration(limit: .bytes(limits[0]))
    configuration.shards = [1, 2, 4].randomElement(using: &generator)!
    configuration.eviction = [.lru, .sieve, .s3fifo, .adaptive].randomElement(using: &generator)!
    configuration.sourceShare = Int.random(in: 0..<4, using: &generator) == 0 ? 0.5 : 1
    configuration.time = simulation.time
    configuration.background = simulation.configuration.background
    store = MemoryStore(configuration)
    let faults = Int.random(in: 0..<3, using: &generator) == 0 ? 3 : 0
    world = Locked(World(generator: generator, allowed: limits[0], faults: faults))
  }

  func run() async throws -> CacheOutcomes {
    try await act()
    try await end()
    return world.withLock { $0.tally }
  }

  // MARK: readers

  func refuses() -> Bool {
    world.withLock { world in
      guard world.faults > 0, Int.random(in: 0..<8, using: &world.generator) == 0 else { return false }
      world.faults -= 1
      return true
    }
  }

  func pipeline() -> ReadPipeline {
    let fill = [ReadPipeline.CacheFill.block, .exact, .requestedFirst][random(in: 0...2)]
    let blockSize = blockSizes[random(in: 0...blockSizes.count - 1)]
    let passing = random(in: 0...5) == 0 ? ByteCount.bytes(8000) : nil
    return [.observing(), .caching(store, fill: fill, blockSize: blockSize, maxReadSize: passing)]
  }

  func isRight(_ bytes: Bytes, _ range: ByteRange, of source: Int, version: UInt64) -> Bool {
    Contents.are(bytes, range, version: version)
  }

  func note(_ change: (inout ReadingOutcomes) -> Void) { world.withLock { change(&$0.tally.reading) } }

  // MARK: what comes between

  func disturb() async throws {
    for _ in 0..<random(in: 1...3) {
      try await pause()
      let source = sources[random(in: 0...1)]
      switch random(in: 0...9) {
      case 0, 1: source.rewrite()
      case 2, 3: source.grow(by: random(in: 1...3000))
      case 4: store.removeAll()
      case 5: for await _ in store.removeAll() { try look() }
      case 6: store.remove(source: "source \(random(in: 0...1))")
      case 7:
        let description = try await source.describe()
        store.remove(randomRange(description.byteCount), of: description)
      case 8: try await store.trim(to: .bytes(random(in: 0...20_000)))
      default: try await resize()
      }
      try look()
    }
  }

  private func resize() async throws {
    let limit = limits[random(in: 0...2)]
    world.withLock { world in
      world.resizing += 1
      world.allowed = max(world.allowed, limit)
    }
    defer {
      world.withLock { world in
        world.resizing -= 1
        // Only the last of several knows what holds.
        if world.resizing == 0 { world.allowed = max(store.counts().limit, store.counts().bytes) }
      }
    }
    try await store.resize(to: .bytes(limit))
    world.withLock { $0.tally.resized += 1 }
  }

  /// Looks at what must hold at any time.
  func look() throws {
    let statistics = store.counts()
    try world.withLock { world in
      guard (0...world.allowed).contains(statistics.bytes) else {
        throw SimulationFault(what: "\(statistics.bytes) bytes are held of \(world.allowed)")
      }
      for token in store.sources.all { world.tokens[token.number] = token }
    }
  }

  // MARK: the end

  private func end() async throws {
    try look()
    // Readers that were dropped, closings nobody waited for, and the rest of blocks.
    for _ in 0..<20 {
      try await simulation.clock.sleep(for: .milliseconds(50))
      if isQuiet { break }
    }
    guard isQuiet else { throw SimulationFault(what: "something is still on its way: \(store.statistics())") }
    let statistics = store.counts()
    try world.withLock { world in
      world.tally.add(statistics)
      world.tally.retired = world.tokens.values.filter { !$0.isAlive }.count
      for token in world.tokens.values where !token.isUnread {
        throw SimulationFault(what: "a version is read by nobody")
      }
    }
    store.removeAll()
    guard store.counts().bytes == 0, store.counts().blocks == 0 else {
      throw SimulationFault(what: "bytes are lost: \(store.statistics())")
    }
    // All turns are back, or this hangs.
    for _ in 0..<4 { try await store.sources.unreserved.enter() }
  }

  private var isQuiet: Bool {
    guard store.counts().reservedBytes == 0 else { return false }
    return world.withLock { world in
      world.tokens.values.allSatisfy { $0.flights.count == 0 && $0.isUnread }
    }
  }

  // MARK: numbers

  func randomRange(_ byteCount: Int) -> ByteRange {
    let byteCount = min(byteCount, Contents.most)
    let lower = random(in: 0...byteCount)
    let most = random(in: 0...3) > 0 ? 2500 : byteCount
    return lower..<lower + random(in: 0...min(most, byteCount - lower))
  }

  func random(in range: ClosedRange<Int>) -> Int {
    world.withLock { Int.random(in: range, using: &$0.generator) }
  }
}

extension CacheSimulation: SeededCheck {
  static let name = "a cache"
  static var seeds: Range<Int> { first(TestScale.seeds(or: 2500)) }

  static func run(seed: UInt64) throws -> CacheOutcomes {
    try Simulation.run(seed: seed) { try await CacheSimulation($0).run() }
  }

  static func expected(of runs: Int, _ tally: CacheOutcomes) -> [Occurrence] {
    guard runs >= 250 else { return [] }
    return tally.reading.expected(of: runs, changes: runs / 10) + [
      Occurrence("hits", tally.hits, over: runs),
      Occurrence("evictions", tally.evictions, over: runs),
      Occurrence("stale", tally.stale, over: runs / 20),
      Occurrence("refusals", tally.refusals, over: runs / 10),
      Occurrence("merges", tally.merges, over: runs / 10),
      Occurrence("retired", tally.retired, over: runs / 10),
      Occurrence("resized", tally.resized, over: runs / 10),
    ]
  }
}
