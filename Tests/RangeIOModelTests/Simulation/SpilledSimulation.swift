import SystemPackage

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTesting
@testable import RangeIOTiers

/// What happened in a run.
struct SpilledOutcomes: SeededTally, Equatable {
  var reads = 0
  var cancelled = 0
  var hitsMemory = 0
  var hitsCompressed = 0
  var hitsSpill = 0
  var lateReads = 0
  var written = 0
  var failedCalls = 0
  var openings = 0
  var crashes = 0
  var restarts = 0
  var foundAgain = 0
  var trace: UInt64 = 0

  mutating func add(_ other: SpilledOutcomes) {
    let paths: [WritableKeyPath<SpilledOutcomes, Int>] = [
      \.reads, \.cancelled, \.hitsMemory, \.hitsCompressed, \.hitsSpill, \.lateReads, \.written, \.failedCalls,
      \.openings, \.crashes, \.restarts, \.foundAgain,
    ]
    for path in paths { self[keyPath: path] += other[keyPath: path] }
  }

  mutating func note(_ statistics: TieredStore.Counts) {
    hitsMemory += statistics.memory.hits
    hitsCompressed += statistics.compressed.hits
    guard let spill = statistics.disk else { return }
    hitsSpill += spill.hits + spill.stagedHits
    lateReads += spill.lateReads
    written += spill.written
    openings += spill.breakerOpenings
  }
}

private struct Wrong: Error {
  let what: String
}

/// Two sources, three tiers, and a handful of tasks with a reader each; two lives of the directory.
final class SpilledSimulation: Sendable {
  private struct World {
    var generator: SeededGenerator
    var tally = SpilledOutcomes()
    var isDisturbed = false
  }

  private static let blockSize = 1024
  private let simulation: Simulation
  private let world: Locked<World>
  private let sources: [SyntheticSource]
  private let disk: SimulatedDisk
  private let spillLimit: Int
  /// How long the disk may make a call wait, in milliseconds, and in how many calls it does.
  private let hangs: (most: Int, onceIn: Int)
  private let tiers: TieredStore.Configuration
  private let spill: SpillStore.Configuration

  init(_ simulation: Simulation) {
    self.simulation = simulation
    var generator = SeededGenerator(seed: simulation.seed &* 193 &+ 29)
    func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
    sources = (0..<2).map { number in
      SyntheticSource(
        byteCount: 6000 + below(24_000), id: "source \(number)", latency: .milliseconds([1, 3, 20][below(3)]),
        time: simulation.time, compressibility: [0.9, 0.5][number])
    }
    let segment = [12 << 10, 16 << 10, 24 << 10][below(3)]
    spillLimit = segment * (3 + below(5)) + SpillFormat.fixedBytes
    disk = SimulatedDisk(capacity: below(4) == 0 ? spillLimit - segment : 1 << 20)
    disk.residency = [.everything, .nothing, .unknown][below(3)]
    hangs = [(0, 1), (0, 1), (300, 4), (2500, 8), (600_000, 12)][below(5)]
    var tiers = TieredStore.Configuration(
      memory: .bytes(10_000 + below(10_000)), compressed: .bytes(3000 + below(9000)))
    tiers.memory.shards = [1, 2][below(2)]
    tiers.memory.eviction = Eviction.all[below(4)]
    tiers.compressed.shards = 1
    tiers.compressed.inlineLimit = below(2) == 0 ? .bytes(0) : .kibibytes(128)
    tiers.time = simulation.time
    tiers.background = simulation.configuration.background
    if below(4) == 0 { tiers.ageLimit = .milliseconds(20 + below(2000)) }
    self.tiers = tiers
    var spill = SpillStore.Configuration(directory: "/cache", limit: .bytes(spillLimit))
    spill.segmentSize = .bytes(segment)
    spill.freeSpaceFloor = .bytes(0)
    spill.keepsFirstReads = below(2) == 0
    spill.writesOnInsertion = below(3) == 0
    spill.syncsEvery = below(3) == 0 ? .kibibytes(8) : nil
    spill.writeDelay = .milliseconds(below(30))
    spill.wallClock = { [clock = simulation.clock] in 1_700_000_000_000_000_000 + clock.now.offset.nanoseconds }
    spill.random = { 4711 }
    self.spill = spill
    world = Locked(World(generator: generator))
  }

  func run() async throws -> SpilledOutcomes {
    for life in 0..<2 {
      let process = disk.newProcess()
      disk.faults = .none
      let store = try await open(process)
      if life > 0 {
        world.withLock { $0.tally.foundAgain += store.spill!.counts().blocks }
        try await checkAll(store)
      }
      setFaults()
      try await live(store, process)
      try await end(store, process)
    }
    return world.withLock { $0.tally }
  }

  private func open(_ process: SimulatedProcess) async throws -> TieredStore {
    var spill = spill
    spill.disk = process
    spill.work = .tasks(simulation.configuration.background) { [self] in
      guard hangs.most > 0, world.withLock({ $0.isDisturbed }), random(in: 1...hangs.onceIn) == 1 else { return }
      try? await simulation.clock.sleep(for: .milliseconds(random(in: 0...hangs.most)))
    }
    return try await TieredStore(tiers, disk: spill)
  }

  private func setFaults() {
    let rate = [0, 0, 0.01, 0.1, 0.5][random(in: 0...4)]
    guard rate > 0 else { return }
    disk.faults = .sometimes(
      rate, of: [.read, .write, .allocate, .truncate, .sync, .create, .remove, .syncDirectory, .rename],
      seed: simulation.seed
    ) { [self] call, random in
      world.withLock { $0.tally.failedCalls += 1 }
      let errno: Errno = Int.random(in: 0..<4, using: &random) == 0 ? .noSpace : .ioError
      return call.kind == .write
        ? .tear(after: Int.random(in: 0...call.byteCount, using: &random), errno) : .fail(errno)
    }
  }

  // MARK: readers

  private func live(_ store: TieredStore, _ process: SimulatedProcess) async throws {
    world.withLock { $0.isDisturbed = true }
    let readers = (0..<random(in: 2...4)).map { _ in simulation.start { try await self.act(store) } }
    for task in readers where random(in: 0...5) == 0 {
      simulation.start {
        try await self.pause()
        task.cancel()
      }
    }
    let other = simulation.start { try await self.disturb(store, process) }
    for task in readers {
      do { try await task.value } catch is CancellationError { world.withLock { $0.tally.cancelled += 1 } }
    }
    try await other.value
    world.withLock { $0.isDisturbed = false }
  }

  private func act(_ store: TieredStore) async throws {
    let number = random(in: 0...1)
    let source = sources[number]
    let fill = [ReadPipeline.CacheFill.block, .block, .exact, .requestedFirst][random(in: 0...3)]
    let reader = try await RangeReader(
      source, [.caching(store, fill: fill, blockSize: .bytes(Self.blockSize))], configuration: simulation.configuration)
    for _ in 0..<random(in: 5...25) {
      let far = random(in: 0...reader.byteCount - 1)
      let lower = random(in: 0...2) == 0 ? far : random(in: 0...far)
      let range = lower..<min(reader.byteCount, lower + random(in: 1...4000))
      let start = simulation.clock.now
      let bytes: Bytes
      do {
        bytes = try await reader.read(range)
      } catch let error as ReadError {
        throw Wrong(what: "a read failed: \(error)")
      }
      guard bytes == source.expected(range) else { throw Wrong(what: "wrong bytes for \(range) of source \(number)") }
      let time = start.duration(to: simulation.clock.now)
      // Each of a few pieces that are lost on the way costs the watch's time, and the source's.
      guard time < .seconds(5) else { throw Wrong(what: "a read took \(time)") }
      try check(store)
      world.withLock { world in
        world.tally.reads += 1
        world.tally.trace = world.tally.trace &* 1_000_003 &+ UInt64(range.count)
      }
      if random(in: 0...3) == 0 { try await pause() }
    }
    await reader.close()
  }

  private func disturb(_ store: TieredStore, _ process: SimulatedProcess) async throws {
    for _ in 0..<random(in: 0...4) {
      try await pause()
      let source = try await sources[random(in: 0...1)].describe()
      switch random(in: 0...9) {
      case 0: store.removeAll()
      case 1: store.remove(source: source.id)
      case 2, 3: store.remove(0..<random(in: 1...source.byteCount), of: source)
      case 4: store.handleMemoryPressure([.normal, .warning, .critical][random(in: 0...2)])
      case 5:
        process.crash()
        world.withLock { $0.tally.crashes += 1 }
      case 6: store.change(.expire)
      // How it ends does not matter: of a sick disk it tells.
      case 7: simulation.start { try? await store.flush() }
      default: try await simulation.clock.sleep(for: .seconds(random(in: 0...20)))
      }
      try check(store)
    }
  }

  /// What holds at any time.
  private func check(_ store: TieredStore) throws {
    let budget = store.memory!.budget
    guard budget.peakBytes <= budget.limit.bytes else { throw Wrong(what: "too much memory was taken") }
    let ledger = store.spill!.ledger
    guard ledger.peakBytes <= spillLimit, disk.allocatedByteCount <= spillLimit else {
      throw Wrong(
        what: "too much of the disk was taken: \(ledger.peakBytes), \(disk.allocatedByteCount) of \(spillLimit)")
    }
  }

  // MARK: the end

  private func end(_ store: TieredStore, _ process: SimulatedProcess) async throws {
    for _ in 0..<200 where !isQuiet(store) { try await simulation.clock.sleep(for: .seconds(10)) }
    guard isQuiet(store) else { throw Wrong(what: "something is still on its way: \(whatMoves(store))") }
    store.change(.expire)
    let spill = SpillRecount(store.spill!, isAtRest: false)
    if let fault = spill.faults.first { throw Wrong(what: fault) }
    var recount = TieredRecount(store.inner!, of: store)
    recount.compare { [sources] token, range in sources[token.source.id == "source 0" ? 0 : 1].expected(range) }
    if let fault = recount.faults.first { throw Wrong(what: fault) }
    world.withLock { $0.tally.note(store.counts()) }
    // All turns are back, or this hangs.
    for _ in 0..<4 { try await store.sources.unreserved.enter() }
    for _ in 0..<4 { store.sources.unreserved.leave() }
    guard random(in: 0...1) == 0 else {
      process.crash()
      return
    }
    world.withLock { $0.tally.restarts += 1 }
    // What the disk did to it does not matter: it is closed, and the lock is free.
    try? await store.close()
    guard !store.spill!.isWritable, store.spill!.isEmpty else { throw Wrong(what: "it is not closed") }
  }

  private func isQuiet(_ store: TieredStore) -> Bool {
    store.mover.isIdle && store.inner!.mover.isIdle && store.counts().memory.reservedBytes == 0
      && store.spill!.watch.count == 0 && !store.spill!.state.withLock { $0.isWriting }
      && store.sources.all.allSatisfy { $0.flights.count == 0 }
  }

  private func whatMoves(_ store: TieredStore) -> String {
    let spill = store.spill!
    let flights = store.sources.all.map { $0.flights.count }
    return "\(store.counts().memory.reservedBytes) bytes reserved, \(spill.watch.count) calls watched, writing: "
      + "\(spill.state.withLock { $0.isWriting }), flights: \(flights), movers idle: \(store.mover.isIdle), "
      + "\(store.inner!.mover.isIdle)"
  }

  /// Reads all that an earlier life has left.
  private func checkAll(_ store: TieredStore) async throws {
    for source in sources {
      let reader = try await RangeReader(
        source, [.caching(store, blockSize: .bytes(Self.blockSize))], configuration: simulation.configuration)
      let bytes = try await reader.read(0..<reader.byteCount)
      guard bytes == source.expected(0..<reader.byteCount) else { throw Wrong(what: "wrong bytes after a restart") }
      await reader.close()
    }
  }

  private func random(in range: ClosedRange<Int>) -> Int {
    world.withLock { Int.random(in: range, using: &$0.generator) }
  }

  /// A while, in which some of the others get on.
  private func pause() async throws {
    try await simulation.clock.sleep(for: .milliseconds(random(in: 0...200)))
  }
}

extension SpilledSimulation: SeededCheck {
  static let name = "three tiers"
  /// An eighth of the seeds of other simulations: 20,000 of 160,000. Of few, a quarter of that.
  static var seeds: Range<Int> { first(max(40, TestScale.seeds / 8 / (TestScale.seeds > 10_000 ? 1 : 4))) }

  static func run(seed: UInt64) throws -> SpilledOutcomes {
    try Simulation.run(seed: seed) { try await SpilledSimulation($0).run() }
  }

  static func expected(of runs: Int, _ tally: SpilledOutcomes) -> [Occurrence] {
    guard runs >= 70 else { return [] }
    return [
      Occurrence("reads", tally.reads, over: runs * 10),
      Occurrence("hits in memory", tally.hitsMemory, over: runs),
      Occurrence("hits in compressed memory", tally.hitsCompressed, over: runs / 4),
      Occurrence("hits on the disk", tally.hitsSpill, over: runs),
      Occurrence("late reads", tally.lateReads, over: 0),
      Occurrence("written", tally.written, over: runs),
      Occurrence("failed calls", tally.failedCalls, over: runs / 4),
      Occurrence("openings of the breaker", tally.openings, over: 0),
      Occurrence("cancelled", tally.cancelled, over: 0),
      Occurrence("crashes", tally.crashes, over: 0),
      Occurrence("restarts", tally.restarts, over: runs / 4),
      Occurrence("found again", tally.foundAgain, over: runs),
    ]
  }
}
