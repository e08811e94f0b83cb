@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTesting
@testable import RangeIOTiers

/// What happened in a run.
struct TieredOutcomes: SeededTally, Equatable {
  var reading = ReadingOutcomes()
  var resized = 0
  var overPinned = 0
  var retired = 0
  var interferences = 0
  var hits = 0
  var hitsMoving = 0
  var hitsBelow = 0
  var moved = 0
  var movesDropped = 0
  var movesRefused = 0
  var movesCancelled = 0
  var evictedBelow = 0
  var reinserted = 0
  var staleAbove = 0
  var staleBelow = 0
  var damaged = 0
  var expired = 0

  mutating func add(_ other: TieredOutcomes) {
    let paths: [WritableKeyPath<TieredOutcomes, Int>] = [
      \.resized, \.overPinned, \.retired, \.interferences, \.hits, \.hitsMoving, \.hitsBelow, \.moved, \.movesDropped,
      \.movesRefused, \.movesCancelled, \.evictedBelow,
      \.reinserted, \.staleAbove, \.staleBelow, \.damaged, \.expired,
    ]
    for path in paths { self[keyPath: path] += other[keyPath: path] }
    reading.add(other.reading)
  }

  mutating func note(_ statistics: TieredStore.Counts) {
    hits = statistics.memory.hits
    hitsMoving = statistics.moving.hits
    hitsBelow = statistics.compressed.hits
    moved = statistics.moving.demoted
    movesDropped = statistics.moving.dropped
    movesRefused = statistics.moving.refused
    movesCancelled = statistics.moving.cancelled
    evictedBelow = statistics.compressed.evictions
    reinserted = statistics.compressed.reinsertions
    staleAbove = statistics.memory.stale
    staleBelow = statistics.compressed.stale
    damaged = statistics.compressed.damaged
    expired = statistics.memory.expirations + statistics.compressed.expirations
  }
}

/// What sources hold in each version, made once for all seeds.
private enum Contents {
  static let most = 40_000
  static let compressibilities = [0.9, 0.6]
  private static let versions = compressibilities.map { compressibility in
    (0..<8).map { SyntheticSource.bytes(0..<most, version: UInt64($0), compressibility: compressibility) }
  }

  /// The bytes of `range` of the source with that number.
  static func bytes(_ range: ByteRange, of source: Int, version: UInt64) -> Bytes {
    versions[source][Int(version)].slice(range)
  }
}

/// Two sources, two tiers with room for some of one, and a handful of tasks with a reader each that do what the seed
/// says.
final class TieredSimulation: ReadingSimulation {
  private struct World {
    var generator: SeededGenerator
    var tally = TieredOutcomes()
    var tokens: [UInt64: ChunkToken] = [:]
    /// The most that may be held: the limit, or while a resize is under way what it was before.
    var allowed: Int
    var resizing = 0
    var faults: Int
    var damages: Int
    var interferences: Int
    var isInterfering = false
  }

  let simulation: Simulation
  let sources: [SyntheticSource]
  let maxDisturbers = 3
  let readsOfReader = 2...10
  let kinds: [Kind] = [.one, .one, .one, .one, .many, .aside, .stream]
  private let world: Locked<World>
  private let store: TieredStore
  private let codec = WatchedCodec()
  private let blockSizes: [ByteCount]
  private let limits: [(memory: Int, compressed: Int)]

  init(_ simulation: Simulation) {
    self.simulation = simulation
    var generator = SeededGenerator(seed: simulation.seed &* 91 &+ 11)
    func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
    sources = (0..<2).map { number in
      SyntheticSource(
        byteCount: 1 + below(Contents.most / 2), id: "source \(number)",
        latency: [Duration.zero, .microseconds(10), .milliseconds(3)][below(3)],
        bytesPerSecond: below(2) == 0 ? 1e7 : .infinity, time: simulation.time,
        compressibility: Contents.compressibilities[number])
    }
    limits = (0..<3).map { _ in (2500 + below(14_000), below(6) == 0 ? below(9000) : 9000 + below(22_000)) }
    blockSizes = below(2) == 0 ? [.bytes(1024)] : [.bytes(512), .bytes(4096)]
    var configuration = TieredStore.Configuration(
      memory: .bytes(limits[0].memory), compressed: .bytes(limits[0].compressed))
    configuration.memory.shards = [1, 2, 4][below(3)]
    configuration.memory.eviction = Eviction.all[below(4)]
    configuration.memory.sourceShare = below(4) == 0 ? 0.5 : 1
    configuration.compressed.shards = [1, 1, 2][below(3)]
    configuration.compressed.codec = codec
    // Half of them bring pieces on tasks of their own.
    configuration.compressed.inlineLimit = below(2) == 0 ? .bytes(0) : .kibibytes(128)
    configuration.time = simulation.time
    configuration.background = simulation.configuration.background
    if below(4) == 0 { configuration.ageLimit = .milliseconds(1 + below(40)) }
    if below(4) == 0 { configuration.idleLimit = .milliseconds(1 + below(40)) }
    store = TieredStore(configuration)
    let faults = below(3) == 0 ? 3 : 0
    let damages = below(4) == 0 ? 3 : 0
    let interferences = below(3) == 0 ? 3 : 0
    world = Locked(
      World(
        generator: generator, allowed: limits[0].memory + limits[0].compressed, faults: faults, damages: damages,
        interferences: interferences))
    codec.damage { [unowned self] in happens(\.damages, onceIn: 6) }
    codec.whileEncoding { [unowned self] in interfere() }
    codec.whileDecoding { [unowned self] in interfere() }
  }

  func run() async throws -> TieredOutcomes {
    try await act()
    try await end()
    return world.withLock { $0.tally }
  }

  /// Whether one of a bounded number of events happens now.
  private func happens(_ left: any WritableKeyPath<World, Int> & Sendable, onceIn: Int) -> Bool {
    world.withLock { world in
      guard world[keyPath: left] > 0, Int.random(in: 0..<onceIn, using: &world.generator) == 0 else { return false }
      world[keyPath: left] -= 1
      return true
    }
  }

  // MARK: readers

  func refuses() -> Bool { happens(\.faults, onceIn: 8) }

  func pipeline() -> ReadPipeline {
    let fill = [ReadPipeline.CacheFill.block, .exact, .requestedFirst][random(in: 0...2)]
    let blockSize = blockSizes[random(in: 0...blockSizes.count - 1)]
    let passing = random(in: 0...5) == 0 ? ByteCount.bytes(8000) : nil
    return [.observing(), .caching(store, fill: fill, blockSize: blockSize, maxReadSize: passing)]
  }

  func isRight(_ bytes: Bytes, _ range: ByteRange, of source: Int, version: UInt64) -> Bool {
    bytes == Contents.bytes(range, of: source, version: version)
  }

  func note(_ change: (inout ReadingOutcomes) -> Void) { world.withLock { change(&$0.tally.reading) } }

  // MARK: what comes between

  func disturb() async throws {
    for _ in 0..<random(in: 1...3) {
      try await pause()
      let source = sources[random(in: 0...1)]
      switch random(in: 0...12) {
      case 0, 1: if world.withLock({ $0.tally.reading.trace }) != 0 { source.rewrite() }
      case 2, 3: source.grow(by: random(in: 1...3000))
      case 4: for await _ in store.removeAll() { try look() }
      case 5: try await removeRange()
      case 6: store.handleMemoryPressure([.normal, .warning, .critical][random(in: 0...2)])
      case 7: store.change(.expire)
      case 8: try await pin()
      case 9: interfere()
      default: try await resize()
      }
      try look()
    }
  }

  /// What takes no time: also in the midst of compressing and decompressing.
  private func interfere() {
    guard happens(\.interferences, onceIn: 10) else { return }
    let isNested = world.withLock { world in
      defer { world.isInterfering = true }
      return world.isInterfering
    }
    guard !isNested else { return }
    defer { world.withLock { $0.isInterfering = false } }
    world.withLock { $0.tally.interferences += 1 }
    switch random(in: 0...4) {
    case 0: store.removeAll()
    case 1: store.handleMemoryPressure(.critical)
    case 2: store.handleMemoryPressure(.normal)
    default: store.remove(source: "source \(random(in: 0...1))")
    }
  }

  private func removeRange() async throws {
    let description = try await sources[random(in: 0...1)].describe()
    store.remove(randomRange(description.byteCount), of: description)
  }

  private func pin() async throws {
    let description = try await sources[random(in: 0...1)].describe()
    let range = randomRange(description.byteCount)
    try store.pin(range, of: description)
    simulation.start {
      try await self.pause()
      self.store.unpin(range, of: description)
    }
  }

  private func resize() async throws {
    let limit = limits[random(in: 0...2)]
    world.withLock { world in
      world.resizing += 1
      world.allowed = max(world.allowed, limit.memory + limit.compressed)
    }
    defer {
      world.withLock { world in
        world.resizing -= 1
        // Only the last of several knows what holds.
        let budget = store.memory!.budget
        if world.resizing == 0 { world.allowed = max(budget.limit.bytes, budget.bytes) }
      }
    }
    do {
      try await store.resize(memory: .bytes(limit.memory), compressed: .bytes(limit.compressed))
      world.withLock { $0.tally.resized += 1 }
    } catch let error as ReadError where error.code == .limitExceeded {
      world.withLock { $0.tally.overPinned += 1 }
    }
  }

  /// Looks at what must hold at any time.
  func look() throws {
    let budget = store.memory!.budget
    try world.withLock { world in
      guard (0...world.allowed).contains(budget.bytes) else {
        throw SimulationFault(what: "\(budget.bytes) bytes are held of \(world.allowed)")
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
      world.tally.note(statistics)
      world.tally.retired = world.tokens.values.filter { !$0.isAlive }.count
      for token in world.tokens.values where !token.isUnread {
        throw SimulationFault(what: "a version is read by nobody")
      }
    }
    store.change(.expire)
    try recount()
    store.removeAll()
    try recount()
    let tiers = store.memory!
    guard tiers.memory.ledger.bytes == 0, store.counts().compressed.blocks == 0 else {
      throw SimulationFault(what: "bytes are lost: \(store.statistics())")
    }
    // All turns are back, or this hangs.
    for _ in 0..<4 { try await store.sources.unreserved.enter() }
    for _ in 0..<4 { try await tiers.compressed!.decodePermits.enter() }
  }

  private func recount() throws {
    var recount = TieredRecount(store)
    recount.compare { token, range in
      guard let version = token.source.validator as? SyntheticSource.Version else { return Bytes() }
      return Contents.bytes(range, of: token.source.id == "source 0" ? 0 : 1, version: version.number)
    }
    if let fault = recount.faults.first { throw SimulationFault(what: fault) }
  }

  private var isQuiet: Bool {
    guard store.mover.isIdle, store.counts().memory.reservedBytes == 0 else { return false }
    return world.withLock { world in
      world.tokens.values.allSatisfy { $0.flights.count == 0 && $0.isUnread }
    }
  }

  // MARK: numbers

  /// Mostly short, and more often near the start: what was read is read again.
  func randomRange(_ byteCount: Int) -> ByteRange {
    let byteCount = min(byteCount, Contents.most)
    let far = random(in: 0...byteCount)
    let lower = random(in: 0...2) == 0 ? far : random(in: 0...far)
    let most = random(in: 0...3) > 0 ? 2500 : byteCount
    return lower..<lower + random(in: 0...min(most, byteCount - lower))
  }

  func random(in range: ClosedRange<Int>) -> Int {
    world.withLock { Int.random(in: range, using: &$0.generator) }
  }
}

extension TieredSimulation: SeededCheck {
  static let name = "two tiers"
  /// An eighth of the seeds of other simulations, since these take longer.
  static var seeds: Range<Int> { first(max(40, TestScale.seeds / 8)) }

  static func run(seed: UInt64) throws -> TieredOutcomes {
    try Simulation.run(seed: seed) { try await TieredSimulation($0).run() }
  }

  static func expected(of runs: Int, _ tally: TieredOutcomes) -> [Occurrence] {
    guard runs >= 250 else { return [] }
    return tally.reading.expected(of: runs, changes: runs / 20) + [
      Occurrence("hits", tally.hits, over: runs),
      Occurrence("hits on the way down", tally.hitsMoving, over: runs / 20),
      Occurrence("hits below", tally.hitsBelow, over: runs * 2),
      Occurrence("moved", tally.moved, over: runs * 2),
      Occurrence("moves dropped", tally.movesDropped, over: runs / 4),
      Occurrence("moves refused", tally.movesRefused, over: runs / 20),
      Occurrence("moves cancelled", tally.movesCancelled, over: runs / 20),
      Occurrence("evicted below", tally.evictedBelow, over: runs / 4),
      Occurrence("stale above", tally.staleAbove, over: runs / 20),
      Occurrence("stale below", tally.staleBelow, over: 0),
      Occurrence("damaged", tally.damaged, over: 0),
      Occurrence("interferences", tally.interferences, over: runs / 10),
      Occurrence("retired", tally.retired, over: runs / 10),
      Occurrence("resized", tally.resized, over: runs / 10),
    ]
  }
}
