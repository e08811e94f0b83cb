import SystemPackage

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTesting
@testable import RangeIOTiers

/// Readers around three small tiers, and two of the things that might wait for each other, begun at any two points among
/// the reads: nothing may take longer than it is allowed to.
final class HangSimulation: Sendable {
  /// What is begun.
  enum Act: Int, CaseIterable, Sendable {
    case close, cancel, removeAll, resize, flush, fullDisk
  }

  /// Each with each other and with itself, by turns.
  static let pairs = Act.allCases.flatMap { first in
    Act.allCases.filter { $0.rawValue >= first.rawValue }.map { (first, $0) }
  }

  struct Wrong: Error {
    let what: String
  }

  private struct World {
    var generator: SeededGenerator
    var tally = HangTally()
    var isDisturbed = true
    /// Removals of which nobody asks for the rest.
    var kept: [ChunkRemoval] = []
    var underWay = 0
  }

  private static let blockSize = 1024
  private let simulation: Simulation
  private let world: Locked<World>
  private let sources: [SyntheticSource]
  private let disk: SimulatedDisk
  /// How long the disk may make a call wait, in milliseconds, and in how many calls it does.
  private let hangs: (most: Int, onceIn: Int)
  private let tiers: TieredStore.Configuration
  private let spill: SpillStore.Configuration

  init(_ simulation: Simulation) {
    self.simulation = simulation
    var generator = SeededGenerator(seed: simulation.seed &* 389 &+ 41)
    func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
    sources = (0..<2).map { number in
      SyntheticSource(
        byteCount: 6000 + below(24_000), id: "source \(number)", latency: .milliseconds([1, 3, 20][below(3)]),
        time: simulation.time, compressibility: [0.9, 0.5][number])
    }
    disk = SimulatedDisk(capacity: 1 << 20)
    disk.residency = [.everything, .nothing, .unknown][below(3)]
    hangs = [(0, 1), (0, 1), (300, 4), (2500, 8), (600_000, 12)][below(5)]
    var tiers = TieredStore.Configuration(
      memory: .bytes(10_000 + below(10_000)), compressed: .bytes(below(4) == 0 ? 0 : 3000 + below(9000)))
    tiers.memory.shards = [1, 2][below(2)]
    tiers.memory.eviction = Eviction.all[below(4)]
    tiers.compressed.shards = 1
    tiers.compressed.inlineLimit = below(2) == 0 ? .bytes(0) : .kibibytes(128)
    tiers.time = simulation.time
    tiers.background = simulation.configuration.background
    self.tiers = tiers
    let segment = [12 << 10, 24 << 10][below(2)]
    var spill = SpillStore.Configuration(
      directory: "/cache", limit: .bytes(segment * (3 + below(5)) + SpillFormat.fixedBytes))
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

  func run() async throws -> HangTally {
    let store = try await open()
    setFaults()
    var readers: [RangeReader] = []
    for number in 0..<3 { readers.append(try await makeReader(number, store)) }
    let reading = readers.enumerated().map { number, reader in
      simulation.start { try await self.read(reader, number) }
    }
    let (first, second) = Self.pairs[Int(simulation.seed % UInt64(Self.pairs.count))]
    let acts = [first, second].map { act in
      simulation.start { [readers] in
        try await self.pause()
        try await self.perform(act, store, readers, reading)
      }
    }
    for act in acts { try await act.value }
    try await bounded("reading", within: .seconds(300)) { for task in reading { _ = await task.result } }
    for task in reading { try await ended(task) }
    try await end(store, readers)
    return world.withLock { $0.tally }
  }

  private func open() async throws -> TieredStore {
    var spill = spill
    spill.disk = disk.newProcess()
    spill.work = .tasks(simulation.configuration.background) { [self] in
      guard hangs.most > 0, world.withLock({ $0.isDisturbed }), random(in: 1...hangs.onceIn) == 1 else { return }
      try? await simulation.clock.sleep(for: .milliseconds(random(in: 0...hangs.most)))
    }
    world.withLock { $0.isDisturbed = false }
    let store = try await TieredStore(tiers, disk: spill)
    world.withLock { $0.isDisturbed = true }
    return store
  }

  private func setFaults() {
    let rate = [0, 0, 0.05, 0.5][random(in: 0...3)]
    guard rate > 0 else { return }
    disk.faults = .sometimes(
      rate, of: [.read, .write, .allocate, .sync, .create, .remove, .rename], seed: simulation.seed
    ) { call, random in
      call.kind == .write ? .tear(after: Int.random(in: 0...call.byteCount, using: &random), .ioError) : .fail(.ioError)
    }
  }

  // MARK: readers

  private func makeReader(_ number: Int, _ store: TieredStore) async throws -> RangeReader {
    let fill = [ReadPipeline.CacheFill.block, .exact, .requestedFirst][random(in: 0...2)]
    return try await RangeReader(
      sources[number % 2], [.caching(store, fill: fill, blockSize: .bytes(Self.blockSize))],
      configuration: simulation.configuration)
  }

  private func read(_ reader: RangeReader, _ number: Int) async throws {
    for _ in 0..<20 {
      let lower = random(in: 0...reader.byteCount - 1)
      let range = lower..<min(reader.byteCount, lower + random(in: 1...4000))
      let start = simulation.clock.now
      let bytes = try await reader.read(range)
      guard bytes == sources[number % 2].expected(range) else { throw Wrong(what: "wrong bytes for \(range)") }
      let time = start.duration(to: simulation.clock.now)
      guard time < .seconds(5) else { throw Wrong(what: "a read took \(time)") }
      world.withLock { $0.tally.reads += 1 }
      if random(in: 0...3) == 0 { try await pause() }
    }
  }

  /// A task may end because it was cancelled, or because its reader was closed.
  private func ended(_ task: Task<Void, any Error>) async throws {
    do {
      try await task.value
    } catch is CancellationError {
    } catch let error as ReadError where error.code == .closed {
    }
  }

  // MARK: acts

  private func perform(
    _ act: Act, _ store: TieredStore, _ readers: [RangeReader], _ reading: [Task<Void, any Error>]
  ) async throws {
    world.withLock { world in
      world.tally.acts += 1
      world.underWay += 1
      if world.underWay > 1 { world.tally.met += 1 }
    }
    defer { world.withLock { $0.underWay -= 1 } }
    switch act {
    case .close: try await close(store, readers)
    case .cancel: try await cancel(store, reading)
    case .removeAll: try await removeAll(store)
    case .resize: try await resize(store)
    case .flush: try await flush(store)
    case .fullDisk:
      disk.capacity = disk.allocatedByteCount
      try await simulation.clock.sleep(for: .milliseconds(random(in: 0...20_000)))
      if random(in: 0...1) == 0 { disk.capacity = 1 << 20 }
    }
  }

  private func close(_ store: TieredStore, _ readers: [RangeReader]) async throws {
    guard random(in: 0...1) == 0 else {
      let reader = readers[random(in: 0...readers.count - 1)]
      // A flight that another reader waits for as well goes on: as long as a read may take.
      return try await bounded("closing a reader", within: .seconds(5)) { await reader.close() }
    }
    let deadline = Duration.seconds([0, 1, 10][random(in: 0...2)])
    try await bounded("closing a store within \(deadline)", within: deadline + .seconds(3)) {
      // What the disk did to it does not matter.
      try? await store.close(within: deadline)
    }
  }

  /// Cancels a read, or what waits for the disk or for room.
  private func cancel(_ store: TieredStore, _ reading: [Task<Void, any Error>]) async throws {
    let (what, task): (String, Task<Void, any Error>)
    switch random(in: 0...4) {
    case 0: (what, task) = ("flush", simulation.start { try await store.flush() })
    case 1: (what, task) = ("closing", simulation.start { try await store.close() })
    case 2:
      let (memory, compressed) = limits()
      (what, task) = ("resize", simulation.start { try await store.resize(memory: memory, compressed: compressed) })
    default: (what, task) = ("read", reading[random(in: 0...reading.count - 1)])
    }
    if random(in: 0...1) == 0 { try await pause() }
    task.cancel()
    // How it ends does not matter.
    try await bounded("a cancelled \(what)", within: .milliseconds(1)) { _ = await task.result }
  }

  private func removeAll(_ store: TieredStore) async throws {
    try await bounded("removing", within: .milliseconds(1)) { [self] in
      let removal = store.remove(.everything)
      switch random(in: 0...2) {
      case 0: for await _ in removal {}
      case 1:
        var steps = removal.makeAsyncIterator()
        _ = await steps.next(isolation: #isolation)
        world.withLock { $0.kept.append(removal) }
      default: break
      }
    }
  }

  private func resize(_ store: TieredStore) async throws {
    let (memory, compressed) = limits()
    // Reads under way give their room back, which take as long as a read may.
    try await bounded("resizing", within: .seconds(6)) {
      try await store.resize(memory: memory, compressed: compressed)
    }
  }

  private func limits() -> (memory: ByteCount, compressed: ByteCount) {
    let compressed = tiers.compressed.limit.bytes == 0 ? 0 : random(in: 2000...12_000)
    return (.bytes(random(in: 6000...20_000)), .bytes(compressed))
  }

  private func flush(_ store: TieredStore) async throws {
    // A flush waits for what the disk does, call by call.
    try await bounded("flushing", within: .seconds(60) + .milliseconds(hangs.most * 200)) {
      // A sick disk is told of.
      try? await store.flush()
    }
  }

  /// Throws unless `body` ends in that time.
  private func bounded(
    _ what: String, within limit: Duration, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    let answer = Promise<Void>()
    simulation.start {
      do { answer.resolve(.success(try await body())) } catch { answer.fail(error) }
    }
    let timer = simulation.start { [clock = simulation.clock] in
      try await clock.sleep(for: limit)
      answer.fail(Wrong(what: "\(what) is not over after \(limit)"))
    }
    defer { timer.cancel() }
    try await answer.value()
  }

  // MARK: the end

  private func end(_ store: TieredStore, _ readers: [RangeReader]) async throws {
    world.withLock { $0.isDisturbed = false }
    disk.faults = .none
    disk.capacity = 1 << 20
    for reader in readers {
      try await bounded("closing a reader at the end", within: .seconds(5)) { await reader.close() }
    }
    // With removals that nobody goes on with.
    for _ in 0..<200 where !isQuiet(store) { try await simulation.clock.sleep(for: .seconds(10)) }
    guard isQuiet(store) else { throw Wrong(what: "something is still on its way: \(whatMoves(store))") }
    world.withLock { $0.kept = [] }
    try await bounded("closing a store at the end", within: .seconds(13)) { try? await store.close() }
    guard !store.spill!.isWritable, store.spill!.isEmpty else { throw Wrong(what: "it is not closed") }
  }

  private func isQuiet(_ store: TieredStore) -> Bool {
    store.mover.isIdle && store.inner?.mover.isIdle != false && store.counts().memory.reservedBytes == 0
      && store.spill!.watch.count == 0 && !store.spill!.state.withLock { $0.isWriting }
      && store.sources.all.allSatisfy { $0.flights.count == 0 }
  }

  private func whatMoves(_ store: TieredStore) -> String {
    let spill = store.spill!
    return "\(store.counts().memory.reservedBytes) bytes reserved, \(spill.watch.count) calls watched, writing: "
      + "\(spill.state.withLock { $0.isWriting }), flights: \(store.sources.all.map { $0.flights.count }), movers idle: "
      + "\(store.mover.isIdle), \(store.inner?.mover.isIdle ?? true)"
  }

  private func random(in range: ClosedRange<Int>) -> Int {
    world.withLock { Int.random(in: range, using: &$0.generator) }
  }

  /// A while, in which some of the others get on.
  private func pause() async throws {
    try await simulation.clock.sleep(for: .microseconds(random(in: 0...60_000)))
  }
}

/// What happened in a run.
struct HangTally: SeededTally, Equatable {
  var reads = 0
  var acts = 0
  /// Acts that began while another was under way.
  var met = 0

  mutating func add(_ other: HangTally) {
    reads += other.reads
    acts += other.acts
    met += other.met
  }
}

extension HangSimulation: SeededCheck {
  static let name = "pairs of what might wait for each other"
  /// A tenth of the seeds of other simulations: 10,000 of 100,000. Of few, a quarter of that.
  static var seeds: Range<Int> { first(max(pairs.count, TestScale.seeds / 10 / (TestScale.seeds > 10_000 ? 1 : 4))) }

  static func run(seed: UInt64) throws -> HangTally {
    try Simulation.run(seed: seed) { try await HangSimulation($0).run() }
  }

  static func expected(of runs: Int, _ tally: HangTally) -> [Occurrence] {
    guard runs >= 100 else { return [] }
    return [
      Occurrence("reads", tally.reads, over: runs * 10),
      Occurrence("acts", tally.acts, over: runs),
      Occurrence("acts beside each other", tally.met, over: runs / 10),
    ]
  }
}
