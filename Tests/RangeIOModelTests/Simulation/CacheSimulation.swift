import Foundation

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTesting

/// What happened in a run.
struct CacheOutcomes: SeededTally, Equatable {
  var reads = 0
  var pieces = 0
  var cancelled = 0
  var closed = 0
  var changed = 0
  var resized = 0
  var retired = 0
  var hits = 0
  var evictions = 0
  var stale = 0
  var refusals = 0
  var merges = 0
  var trace: UInt64 = 0

  mutating func add(_ other: CacheOutcomes) {
    reads += other.reads
    pieces += other.pieces
    cancelled += other.cancelled
    closed += other.closed
    changed += other.changed
    resized += other.resized
    retired += other.retired
    hits += other.hits
    evictions += other.evictions
    stale += other.stale
    refusals += other.refusals
    merges += other.merges
  }

  mutating func add(_ statistics: MemoryStore.Statistics) {
    hits = statistics.hits
    evictions = statistics.evictions
    stale = statistics.stale
    refusals = statistics.refusals
    merges = statistics.merges
  }
}

private struct Wrong: Error {
  let what: String
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

/// A source that several readers have, each by a handle of its own, which notes reads that come too late.
private final class Handle: RangeSource {
  private struct State {
    var isClosed = false
    var asksAfterClose = 0
  }
  private let source: SyntheticSource
  private let fault: @Sendable () -> Bool
  private let state = Locked(State())

  init(_ source: SyntheticSource, fault: @escaping @Sendable () -> Bool) {
    self.source = source
    self.fault = fault
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }
  var asksAfterClose: Int { state.withLock { $0.asksAfterClose } }

  func describe() async throws -> SourceDescription { try await source.describe() }

  func read(_ range: ByteRange, of description: SourceDescription) async throws -> Bytes {
    state.withLock { $0.asksAfterClose += $0.isClosed ? 1 : 0 }
    if fault() { throw Refusal.no }
    return try await source.read(range, of: description)
  }

  func close() async { state.withLock { $0.isClosed = true } }
}

/// Two sources, a store with room for some of one, and a handful of tasks with a reader each that do what the seed says.
final class CacheSimulation: Sendable {
  private struct World {
    var generator: SeededGenerator
    var tally = CacheOutcomes()
    var tokens: [UInt64: ChunkToken] = [:]
    /// The most that may be held: the limit, or while a resize is under way what it was before.
    var allowed: Int
    var resizing = 0
    var faults: Int
  }

  private let simulation: Simulation
  private let world: Locked<World>
  private let sources: [SyntheticSource]
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
    configuration.policy = [.lru, .sieve, .s3fifo].randomElement(using: &generator)!
    configuration.sourceShare = Int.random(in: 0..<4, using: &generator) == 0 ? 0.5 : 1
    configuration.time = simulation.time
    configuration.background = simulation.configuration.background
    store = MemoryStore(configuration)
    let faults = Int.random(in: 0..<3, using: &generator) == 0 ? 3 : 0
    world = Locked(World(generator: generator, allowed: limits[0], faults: faults))
  }

  func run() async throws -> CacheOutcomes {
    let actors = (0..<random(in: 2...5)).map { _ in simulation.start { try await self.act() } }
    for task in actors where random(in: 0...3) == 0 {
      simulation.start {
        try await self.pause()
        task.cancel()
      }
    }
    var others: [Task<Void, any Error>] = []
    for _ in 0..<random(in: 0...4) { others.append(simulation.start { try await self.disturb() }) }
    for task in actors { try await ended(task) }
    for task in others { try await ended(task) }
    try await end()
    return world.withLock { $0.tally }
  }

  private func ended(_ task: Task<Void, any Error>) async throws {
    do { try await task.value } catch is CancellationError {}
  }

  // MARK: readers

  /// A reader, a few reads one after the other, some of them cancelled, and the reader's end.
  private func act() async throws {
    for _ in 0..<random(in: 1...3) {
      let (source, handle) = try open()
      let reader: RangeReader
      do {
        reader = try await makeReader(handle)
      } catch is CancellationError where Task.isCancelled {
        throw CancellationError()
      }
      let isClosing = Locked(false)
      if random(in: 0...3) == 0 {
        simulation.start {
          try await self.pause()
          isClosing.withLock { $0 = true }
          await reader.close()
        }
      }
      var result = Result<Void, any Error>.success(())
      do { try await use(reader, source, { isClosing.withLock { $0 } }) } catch { result = .failure(error) }
      // Some are dropped.
      if random(in: 0...4) > 0 {
        isClosing.withLock { $0 = true }
        await reader.close()
        guard handle.isClosed || Task.isCancelled else { throw Wrong(what: "the source was left open") }
      }
      guard handle.asksAfterClose == 0 else { throw Wrong(what: "a read began after the source was closed") }
      try result.get()
    }
  }

  private func open() throws -> (SyntheticSource, Handle) {
    let source = sources[random(in: 0...1)]
    let handle = Handle(source) {
      self.world.withLock { world in
        guard world.faults > 0, Int.random(in: 0..<8, using: &world.generator) == 0 else { return false }
        world.faults -= 1
        return true
      }
    }
    return (source, handle)
  }

  private func makeReader(_ handle: Handle) async throws -> RangeReader {
    var configuration = simulation.configuration
    configuration.streamWindow = 4096
    let fill = [Caching.Fill.block, .exact, .requestedFirst][random(in: 0...2)]
    let blockSize = blockSizes[random(in: 0...blockSizes.count - 1)]
    let passing = random(in: 0...5) == 0 ? ByteCount.bytes(8000) : nil
    return try await RangeReader(handle, configuration: configuration) {
      Observing()
      Caching(store, fill: fill, blockSize: blockSize, passing: passing)
    }
  }

  private func use(_ reader: RangeReader, _ source: SyntheticSource, _ isClosing: () -> Bool) async throws {
    guard let version = (reader.source.validator as? SyntheticSource.Version)?.number else {
      throw Wrong(what: "no version")
    }
    for _ in 0..<random(in: 1...6) {
      do {
        switch random(in: 0...5) {
        case 0, 1, 2: try await readOne(reader, version)
        case 3: try await readMany(reader, version)
        case 4: try await readAside(reader, version)
        default: try await stream(reader, version)
        }
      } catch is CancellationError {
        guard Task.isCancelled else { throw Wrong(what: "CancellationError in a task that was not cancelled") }
        world.withLock { $0.tally.cancelled += 1 }
        throw CancellationError()
      } catch let error as ReadError where error.code == .closed {
        guard isClosing() else { throw Wrong(what: "a reader that is open says that it is closed") }
        world.withLock { $0.tally.closed += 1 }
        return
      } catch let error as ReadError where error.code == .sourceChanged {
        world.withLock { $0.tally.changed += 1 }
        return
      } catch is Refusal {
        continue
      } catch let error as ReadError {
        throw Wrong(what: "\(error)")
      }
      try look()
    }
  }

  private func readOne(_ reader: RangeReader, _ version: UInt64) async throws {
    let range = randomRange(reader.byteCount)
    try check(try await reader.read(range), range, version)
    world.withLock { $0.tally.reads += 1 }
  }

  private func readMany(_ reader: RangeReader, _ version: UInt64) async throws {
    let ranges = (0..<random(in: 1...5)).map { _ in randomRange(reader.byteCount) }
    let all = try await reader.read(ranges)
    guard all.count == ranges.count else { throw Wrong(what: "\(all.count) answers to \(ranges.count) ranges") }
    for (bytes, range) in zip(all, ranges) { try check(bytes, range, version) }
    world.withLock { $0.tally.reads += 1 }
  }

  /// A read in a task of its own, which may be cancelled, beside one that is not.
  private func readAside(_ reader: RangeReader, _ version: UInt64) async throws {
    let range = randomRange(reader.byteCount)
    let aside = simulation.start { try self.check(try await reader.read(range), range, version) }
    simulation.start {
      try await self.pause()
      aside.cancel()
    }
    do {
      try await readOne(reader, version)
    } catch {
      _ = await aside.result
      throw error
    }
    switch await aside.result {
    case .failure(let error as Wrong): throw error
    case .failure(is CancellationError): world.withLock { $0.tally.cancelled += 1 }
    default: break
    }
  }

  private func stream(_ reader: RangeReader, _ version: UInt64) async throws {
    let range = randomRange(reader.byteCount)
    let most = random(in: 0...3) == 0 ? random(in: 1...4) : .max
    var cursor = range.lowerBound
    var pieces = 0
    for try await piece in reader.stream(range, chunkSize: .bytes([100, 1024, 5000][random(in: 0...2)])) {
      try check(piece, cursor..<cursor + piece.count, version)
      cursor += piece.count
      pieces += 1
      if pieces >= most { break }
    }
    guard pieces >= most || cursor == range.upperBound else {
      throw Wrong(what: "a stream of \(range) ended at \(cursor) as if it were complete")
    }
    world.withLock { $0.tally.pieces += pieces }
  }

  private func check(_ bytes: Bytes, _ range: ByteRange, _ version: UInt64) throws {
    guard Contents.are(bytes, range, version: version) else { throw Wrong(what: "wrong bytes for \(range)") }
    world.withLock { $0.tally.trace = $0.tally.trace &* 1_000_003 &+ UInt64(range.count) }
  }

  // MARK: what comes between

  private func disturb() async throws {
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
        if world.resizing == 0 { world.allowed = max(store.statistics().limit, store.statistics().bytes) }
      }
    }
    try await store.resize(to: .bytes(limit))
    world.withLock { $0.tally.resized += 1 }
  }

  /// Looks at what must hold at any time.
  private func look() throws {
    let statistics = store.statistics()
    try world.withLock { world in
      guard (0...world.allowed).contains(statistics.bytes) else {
        throw Wrong(what: "\(statistics.bytes) bytes are held of \(world.allowed)")
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
    guard isQuiet else { throw Wrong(what: "something is still on its way: \(store.statistics())") }
    let statistics = store.statistics()
    try world.withLock { world in
      world.tally.add(statistics)
      world.tally.retired = world.tokens.values.filter { !$0.isAlive }.count
      for token in world.tokens.values where !token.isUnread { throw Wrong(what: "a version is read by nobody") }
    }
    store.removeAll()
    guard store.statistics().bytes == 0, store.statistics().blocks == 0 else {
      throw Wrong(what: "bytes are lost: \(store.statistics())")
    }
    // All turns are back, or this hangs.
    for _ in 0..<4 { try await store.enterUnreserved() }
  }

  private var isQuiet: Bool {
    guard store.statistics().reservedBytes == 0 else { return false }
    return world.withLock { world in
      world.tokens.values.allSatisfy { $0.flights.count == 0 && $0.isUnread }
    }
  }

  // MARK: numbers

  private func randomRange(_ byteCount: Int) -> ByteRange {
    let byteCount = min(byteCount, Contents.most)
    let lower = random(in: 0...byteCount)
    let most = random(in: 0...3) > 0 ? 2500 : byteCount
    return lower..<lower + random(in: 0...min(most, byteCount - lower))
  }

  private func random(in range: ClosedRange<Int>) -> Int {
    world.withLock { Int.random(in: range, using: &$0.generator) }
  }

  /// A while, in which some of the others get on.
  private func pause() async throws {
    try await simulation.clock.sleep(for: .microseconds(random(in: 0...20_000)))
  }
}

extension CacheSimulation: SeededCheck {
  static let name = "a cache"
  static var seeds: Range<Int> { first(TestScale.seeds) }

  static func run(seed: UInt64) throws -> CacheOutcomes {
    try Simulation.run(seed: seed) { try await CacheSimulation($0).run() }
  }

  static func expected(of runs: Int, _ tally: CacheOutcomes) -> [Occurrence] {
    guard runs >= 250 else { return [] }
    return [
      Occurrence("reads", tally.reads, over: runs * 5),
      Occurrence("pieces", tally.pieces, over: runs),
      Occurrence("hits", tally.hits, over: runs),
      Occurrence("evictions", tally.evictions, over: runs),
      Occurrence("stale", tally.stale, over: runs / 20),
      Occurrence("refusals", tally.refusals, over: runs / 10),
      Occurrence("merges", tally.merges, over: runs / 10),
      Occurrence("retired", tally.retired, over: runs / 10),
      Occurrence("cancelled", tally.cancelled, over: runs / 10),
      Occurrence("closed", tally.closed, over: runs / 10),
      Occurrence("changed", tally.changed, over: runs / 10),
      Occurrence("resized", tally.resized, over: runs / 10),
    ]
  }
}
