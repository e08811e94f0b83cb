import RangeIO
import RangeIOTesting

@testable import RangeIOTestSupport

/// What happened in a run.
struct SpineOutcomes: SeededTally, Equatable {
  var reads = 0
  var pieces = 0
  var cancelled = 0
  var closed = 0
  var changed = 0
  var grown = 0
  var trace: UInt64 = 0

  mutating func add(_ other: SpineOutcomes) {
    reads += other.reads
    pieces += other.pieces
    cancelled += other.cancelled
    closed += other.closed
    changed += other.changed
    grown += other.grown
  }
}

/// One reader over a slow source, and a handful of tasks that do what the seed says.
final class SpineSimulation: Sendable {
  struct Wrong: Error {
    let what: String
  }

  private struct World {
    var generator: SeededGenerator
    var tally = SpineOutcomes()
    var isRewritten = false
    var isClosing = false
  }

  private let simulation: Simulation
  private let world: Locked<World>
  private let source: SyntheticSource
  private let initialByteCount: Int

  init(_ simulation: Simulation) {
    self.simulation = simulation
    var generator = SeededGenerator(seed: simulation.seed &* 31 &+ 7)
    initialByteCount = Int.random(in: 1...60_000, using: &generator)
    let latency = [Duration.zero, .microseconds(10), .milliseconds(3)].randomElement(using: &generator)!
    source = SyntheticSource(
      byteCount: initialByteCount, latency: latency,
      bytesPerSecond: Bool.random(using: &generator) ? 1e7 : .infinity, time: simulation.time)
    world = Locked(World(generator: generator))
  }

  func run() async throws -> SpineOutcomes {
    var configuration = simulation.configuration
    configuration.streamWindow = 4096
    let reader = try await RangeReader(source, [.observing(), .stage(Relay())], configuration: configuration)
    let actors = random(in: 2...6)
    let tasks = (0..<actors).map { _ in simulation.start { try await self.act(on: reader) } }
    for task in tasks where random(in: 0...3) == 0 {
      simulation.start {
        try await self.pause()
        task.cancel()
      }
    }
    if random(in: 0...2) == 0 {
      simulation.start {
        try await self.pause()
        self.source.grow(by: 1000)
      }
    }
    if random(in: 0...4) == 0 {
      simulation.start {
        try await self.pause()
        self.world.withLock { $0.isRewritten = true }
        self.source.rewrite()
      }
    }
    if random(in: 0...2) == 0 {
      simulation.start {
        try await self.pause()
        self.world.withLock { $0.isClosing = true }
        await reader.close()
      }
    }
    for task in tasks {
      do { try await task.value } catch let error as Wrong { throw error } catch {}
    }
    world.withLock { $0.isClosing = true }
    await reader.close()
    await reader.close()
    guard source.isClosed else { throw Wrong(what: "the source was left open") }
    do {
      _ = try await reader.read(0..<1)
      throw Wrong(what: "a closed reader reads")
    } catch let error as ReadError where error.code == .closed {}
    return world.withLock { $0.tally }
  }

  /// A few reads, one after the other, until one is cancelled, closed or changed.
  private func act(on reader: RangeReader) async throws {
    for _ in 0..<random(in: 1...5) {
      do {
        switch random(in: 0...5) {
        case 0, 1: try await readOne(reader)
        case 2: try await readMany(reader)
        case 3: try await readGrown(reader)
        default: try await stream(reader)
        }
      } catch is CancellationError {
        guard Task.isCancelled else { throw Wrong(what: "CancellationError in a task that was not cancelled") }
        world.withLock { $0.tally.cancelled += 1 }
        throw CancellationError()
      } catch let error as ReadError {
        try world.withLock { world in
          switch error.code {
          case .closed where world.isClosing: world.tally.closed += 1
          case .sourceChanged where world.isRewritten: world.tally.changed += 1
          default: throw Wrong(what: "\(error)")
          }
        }
        throw error
      }
    }
  }

  private func readOne(_ reader: RangeReader) async throws {
    let range = randomRange()
    try check(try await reader.read(range), range)
    world.withLock { $0.tally.reads += 1 }
  }

  private func readMany(_ reader: RangeReader) async throws {
    let ranges = (0..<random(in: 0...5)).map { _ in randomRange() }
    let all = try await reader.read(ranges)
    guard all.count == ranges.count else { throw Wrong(what: "\(all.count) answers to \(ranges.count) ranges") }
    for (bytes, range) in zip(all, ranges) { try check(bytes, range) }
    world.withLock { $0.tally.reads += 1 }
  }

  /// Reads past the end that the reader knew, which only works if the source has grown.
  private func readGrown(_ reader: RangeReader) async throws {
    let range = initialByteCount..<initialByteCount + 1000
    do {
      try check(try await reader.read(range), range)
      world.withLock { $0.tally.grown += 1 }
    } catch let error as ReadError where error.code == .rangeNotSatisfiable {
      guard reader.byteCount <= initialByteCount else { throw Wrong(what: "a range within the source was refused") }
    }
  }

  private func stream(_ reader: RangeReader) async throws {
    let range = randomRange()
    let chunk = [100, 4096, 5000, 30_000][random(in: 0...3)]
    let most = random(in: 0...3) == 0 ? random(in: 0...4) : .max
    var cursor = range.lowerBound
    var pieces = 0
    for try await piece in reader.stream(range, chunkSize: .bytes(chunk)) {
      try check(piece, cursor..<cursor + piece.count)
      cursor += piece.count
      pieces += 1
      if pieces >= most { break }
    }
    guard pieces >= most || cursor == range.upperBound else {
      throw Wrong(what: "a stream of \(range) ended at \(cursor) as if it were complete")
    }
    world.withLock { $0.tally.pieces += pieces }
  }

  private func check(_ bytes: Bytes, _ range: ByteRange) throws {
    guard bytes.count == range.count else { throw Wrong(what: "\(bytes.count) bytes for \(range)") }
    // Some bytes of each, both ends included: all of them would take minutes for 10,000 seeds.
    for _ in 0..<8 where !range.isEmpty {
      for offset in [range.lowerBound, range.upperBound - 1, random(in: range.lowerBound...range.upperBound - 1)] {
        guard bytes[offset - range.lowerBound] == SyntheticSource.byte(at: offset) else {
          throw Wrong(what: "a wrong byte at \(offset) of \(range)")
        }
      }
    }
    world.withLock { $0.tally.trace = $0.tally.trace &* 1_000_003 &+ UInt64(range.count) }
  }

  private func randomRange() -> ByteRange {
    let lower = random(in: 0...initialByteCount)
    let most = random(in: 0...1) == 0 ? 5000 : initialByteCount
    return lower..<lower + random(in: 0...Swift.min(most, initialByteCount - lower))
  }

  private func random(in range: ClosedRange<Int>) -> Int {
    world.withLock { Int.random(in: range, using: &$0.generator) }
  }

  /// A while, in which some of the others get on.
  private func pause() async throws {
    try await simulation.clock.sleep(for: .microseconds(random(in: 0...20_000)))
  }

  /// A stage as a user writes it: passes everything on.
  private struct Relay: ReadStage {
    nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
      try await next(request)
    }
  }
}

extension SpineSimulation: SeededCheck {
  static let name = "reads, streams, cancels, closes and changes"
  static var seeds: Range<Int> { first(TestScale.seeds) }

  static func run(seed: UInt64) throws -> SpineOutcomes {
    try Simulation.run(seed: seed) { try await SpineSimulation($0).run() }
  }

  static func expected(of runs: Int, _ tally: SpineOutcomes) -> [Occurrence] {
    guard runs >= 250 else { return [] }
    return [
      Occurrence("reads", tally.reads, over: runs),
      Occurrence("pieces", tally.pieces, over: runs),
      Occurrence("cancelled", tally.cancelled, over: runs / 10),
      Occurrence("closed", tally.closed, over: runs / 10),
      Occurrence("changed", tally.changed, over: runs / 10),
      Occurrence("grown", tally.grown, over: runs / 100),
    ]
  }
}
