import Foundation
import RangeIOTesting

@testable import RangeIO

/// What happened in a run of ``StagesModel``.
struct StagesTally: Equatable, Sendable, CustomStringConvertible {
  var operations = 0
  var right = 0
  var cancelled = 0
  var failed = 0
  var timedOut = 0
  var closed = 0
  var faults = 0
  var figures: [String: Int] = [:]

  mutating func add(_ other: StagesTally) {
    operations += other.operations
    right += other.right
    cancelled += other.cancelled
    failed += other.failed
    timedOut += other.timedOut
    closed += other.closed
    faults += other.faults
    figures.merge(other.figures, uniquingKeysWith: +)
  }

  var description: String {
    let more = figures.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    return "\(operations) operations: \(right) right, \(cancelled) cancelled, \(failed) failed, \(timedOut) timed out, "
      + "\(closed) closed; \(faults) faults; \(more)"
  }
}

/// Readers that share a cache, a budget and a limit, over a source of whose reads one in ten goes wrong, with one in
/// ten reads cancelled: every byte is compared, and at the end everything that was lent must be back.
final class StagesModel: Sendable {
  struct Wrong: Error {
    let what: String
  }

  /// The contents, made once for all runs.
  private static let byteCount = 150_000
  private static let content = [UInt8](SyntheticSource.bytes(0..<byteCount))
  private static let bytes = Bytes(content)
  private static let digestSize = 1000
  private static let digests: [[UInt8]] = stride(from: 0, to: byteCount, by: digestSize).map {
    quickHash(Bytes(content[$0..<min($0 + digestSize, byteCount)]))
  }
  private static let actors = 8

  /// A source of which one read in ten fails, brings a wrong byte, dawdles or hangs.
  private final class Source: RangeSource {
    private let time: TimeSource
    private let state: Locked<(random: TestRandom, faults: Int)>

    init(_ simulation: Simulation) {
      time = simulation.time
      state = Locked((TestRandom(simulation.seed &* 7 &+ 1), 0))
    }

    var faults: Int { state.withLock { $0.faults } }

    func describe() async throws -> SourceDescription {
      SourceDescription(id: "model", validator: HeldSource.Version(number: 0), byteCount: StagesModel.byteCount)
    }

    func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      let fault = state.withLock { state -> Int? in
        guard state.random.below(10) == 0 else { return nil }
        state.faults += 1
        return state.random.below(6)
      }
      try await time.sleep(for: .microseconds(2000 + range.count / 10))
      let bytes = StagesModel.bytes.slice(range)
      switch fault {
      case 0, 1: throw ReadError.passing
      case 2: throw ReadError.lasting
      case 3:
        var copy = Array(bytes)
        copy[copy.count / 2] ^= 1
        return Bytes(copy)
      case 4: try await time.sleep(for: .milliseconds(200))
      case 5: try await OneAnswer<Void>().value()
      default: break
      }
      return bytes
    }
  }

  private struct World {
    var random: TestRandom
    var left: Int
    var tally = StagesTally()
    var readers: [RangeReader?] = [nil, nil]
    var closing: Set<ObjectIdentifier> = []
  }

  private let simulation: Simulation
  private let source: Source
  private let world: Locked<World>
  private let store: MemoryStore
  private let budget: RetryBudget
  private let observing = Observing()
  private let timeLimiting: TimeLimiting
  private let tryLimiting = TimeLimiting(.milliseconds(60))
  private let retrying: Retrying
  private let hedging: Hedging
  private let verifying: Verifying
  private let limiting: Limiting
  private let fill: Caching.Fill

  init(_ simulation: Simulation, operations: Int) {
    self.simulation = simulation
    var random = TestRandom(simulation.seed)
    source = Source(simulation)
    var configuration = MemoryStore.Configuration(limit: .bytes(30_000 + random.below(100_000)))
    configuration.shards = 1
    configuration.time = simulation.time
    configuration.background = simulation.configuration.background
    store = MemoryStore(configuration)
    fill = [.block, .exact, .requestedFirst][random.below(3)]
    budget = RetryBudget(allowance: 10, share: 0.3)
    timeLimiting = TimeLimiting(.milliseconds(30 + random.below(120)))
    retrying = Retrying(
      .exponentialBackoff(attempts: 3, base: .milliseconds(10)), budget: budget,
      random: SeededGenerator(seed: simulation.seed))
    hedging = Hedging(share: 0.1, leastSamples: 20)
    verifying = Verifying(blockSize: .bytes(Self.digestSize), digests: Self.digests, hash: quickHash)
    limiting = Limiting(
      concurrentReads: 2 + random.below(4), bytesPerSecond: .bytes(20_000_000), burst: .bytes(20_000))
    world = Locked(World(random: random, left: operations))
  }

  func run() async throws -> StagesTally {
    for place in 0..<2 { try await open(place) }
    let actors = (0..<Self.actors).map { _ in simulation.start { try await self.act() } }
    for actor in actors { try await actor.value }
    for reader in world.withLock({ $0.readers }) { await reader?.close() }
    try look(isAtRest: true)
    return world.withLock { world in
      var tally = world.tally
      tally.faults = source.faults
      for stage in [
        timeLimiting.statistics(), retrying.statistics(), hedging.statistics(), verifying.statistics(),
        limiting.statistics(),
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
    let reader = try await RangeReader(source, configuration: configuration) {
      observing
      timeLimiting
      Caching(store, fill: fill, blockSize: .bytes(4096))
      retrying
      tryLimiting
      hedging
      verifying
      limiting
    }
    world.withLock { $0.readers[place] = reader }
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
    switch random(10) {
    case 0:
      let ranges = (0..<1 + random(4)).map { _ in range(most: 3000) }
      let all = try await reader.read(ranges)
      guard all.count == ranges.count else { throw Wrong(what: "\(all.count) answers to \(ranges.count) ranges") }
      for (range, bytes) in zip(ranges, all) { try check(bytes, range) }
    case 1:
      let range = range(most: 12_000)
      var start = range.lowerBound
      for try await piece in reader.stream(range, chunkSize: .bytes(2000)) {
        try check(piece, start..<start + piece.count)
        start += piece.count
      }
      guard start == range.upperBound else { throw Wrong(what: "a stream of \(range) ended at \(start)") }
    default:
      let range = range(most: 5000)
      try check(try await reader.read(range), range)
    }
  }

  private func judge(_ result: Result<Void, any Error>, _ reader: RangeReader, isCancelled: Bool) throws {
    try world.withLock { world in
      switch result {
      case .success: world.tally.right += 1
      case .failure(is CancellationError):
        guard isCancelled else { throw Wrong(what: "CancellationError in a task that was not cancelled") }
        world.tally.cancelled += 1
      case .failure(let error as ReadError):
        switch error.code {
        case .closed where world.closing.contains(ObjectIdentifier(reader)): world.tally.closed += 1
        case .timedOut: world.tally.timedOut += 1
        case .inputOutput, .corrupted: world.tally.failed += 1
        default: throw Wrong(what: "\(error)")
        }
      case .failure(let error): throw error
      }
    }
  }

  private func check(_ bytes: Bytes, _ range: ByteRange) throws {
    guard bytes.count == range.count else { throw Wrong(what: "\(bytes.count) bytes for \(range)") }
    var offset = range.lowerBound
    Self.content.withUnsafeBytes { all in
      bytes.forEachSpan { span in
        span.withUnsafeBytes { piece in
          guard offset >= 0, memcmp(piece.baseAddress!, all.baseAddress! + offset, piece.count) == 0 else {
            offset = .min
            return
          }
          offset += piece.count
        }
      }
    }
    guard offset == range.upperBound else { throw Wrong(what: "wrong bytes of \(range)") }
  }

  // MARK: rules

  private func look(isAtRest: Bool) throws {
    let tokens = budget.tokens
    guard (0...tokens.most).contains(tokens.thousandths) else { throw Wrong(what: "a budget of \(tokens)") }
    guard (0...Double(HedgePlan.mostSaved + 1)).contains(hedging.saved) else {
      throw Wrong(what: "\(hedging.saved) second tries saved up")
    }
    // A burst, and one read, which is at most a run of whole blocks.
    guard let bucket = limiting.bucket, bucket.timeToFull(simulation.time(of: .zero)) <= .milliseconds(10) else {
      throw Wrong(what: "more bytes are owed than were read")
    }
    guard isAtRest else { return }
    guard limiting.occupancy == (0, 0) else { throw Wrong(what: "permits out, waiting: \(limiting.occupancy)") }
    guard store.flightCount == 0 else { throw Wrong(what: "\(store.flightCount) flights") }
    guard store.isQuiet else { throw Wrong(what: "\(store.statistics().reservedBytes) bytes reserved") }
    guard simulation.clock.sleeperCount == 0 else { throw Wrong(what: "\(simulation.clock.sleeperCount) timers") }
  }

  private func random(_ bound: Int) -> Int { world.withLock { $0.random.below(bound) } }

  private func range(most: Int) -> ByteRange {
    world.withLock { world in
      let count = 1 + world.random.below(most)
      let start = world.random.below(Self.byteCount - count)
      return start..<start + count
    }
  }
}

extension Simulation {
  /// The present on a clock that was handed in after `offset`.
  func time(of offset: Duration) -> ReadInstant {
    ReadInstant(nanoseconds: (clock.now.offset - offset).nanoseconds)
  }
}
