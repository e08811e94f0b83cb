@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTesting

/// What readers did in a run.
struct ReadingOutcomes: Equatable {
  var reads = 0
  var pieces = 0
  var cancelled = 0
  var closed = 0
  var changed = 0
  var trace: UInt64 = 0

  /// Adds what can be counted.
  mutating func add(_ other: ReadingOutcomes) {
    reads += other.reads
    pieces += other.pieces
    cancelled += other.cancelled
    closed += other.closed
    changed += other.changed
  }

  /// What must have happened in so many runs.
  func expected(of runs: Int, changes: Int) -> [Occurrence] {
    [
      Occurrence("reads", reads, over: runs * 5),
      Occurrence("pieces", pieces, over: runs),
      Occurrence("cancelled", cancelled, over: runs / 10),
      Occurrence("closed", closed, over: runs / 10),
      Occurrence("changed", changed, over: changes),
    ]
  }
}

/// What a simulation found wrong.
struct SimulationFault: Error {
  let what: String
}

/// A source that several readers have, each by a handle of its own, which notes reads that come too late.
final class SourceHandle: RangeSource {
  private let source: SyntheticSource
  private let fault: @Sendable () -> Bool
  private let state = Locked((isClosed: false, asksAfterClose: 0))

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

/// Two sources, a store, and a handful of tasks with a reader each that do what the seed says: what is the same for every
/// store. Each choice takes the next number of the seed, so the order of the calls is a part of it.
protocol ReadingSimulation: AnyObject, Sendable {
  /// A kind of read, as likely as it is often in ``kinds``.
  typealias Kind = ReadingSimulationKind

  var simulation: Simulation { get }
  var sources: [SyntheticSource] { get }
  /// The most tasks that disturb, and the most kinds of reads a reader does.
  var maxDisturbers: Int { get }
  var readsOfReader: ClosedRange<Int> { get }
  var kinds: [Kind] { get }

  func random(in range: ClosedRange<Int>) -> Int
  func note(_ change: (inout ReadingOutcomes) -> Void)
  /// Whether the source refuses a read now.
  func refuses() -> Bool
  /// The stages above a source.
  func pipeline() -> ReadPipeline
  func randomRange(_ byteCount: Int) -> ByteRange
  /// Whether `bytes` are what the source holds there in that version.
  func isRight(_ bytes: Bytes, _ range: ByteRange, of source: Int, version: UInt64) -> Bool
  /// Does a few things to sources and store.
  func disturb() async throws
  /// Looks at what must hold at any time.
  func look() throws
}

enum ReadingSimulationKind { case one, many, aside, stream }

extension ReadingSimulation {
  /// Does what the seed says, until every task has ended.
  func act() async throws {
    let actors = (0..<random(in: 2...5)).map { _ in simulation.start { try await self.readAWhile() } }
    for task in actors where random(in: 0...3) == 0 {
      simulation.start {
        try await self.pause()
        task.cancel()
      }
    }
    var others: [Task<Void, any Error>] = []
    for _ in 0..<random(in: 0...maxDisturbers) { others.append(simulation.start { try await self.disturb() }) }
    for task in actors { try await ended(task) }
    for task in others { try await ended(task) }
  }

  private func ended(_ task: Task<Void, any Error>) async throws {
    do { try await task.value } catch is CancellationError {}
  }

  /// A while, in which some of the others get on.
  func pause() async throws {
    try await simulation.clock.sleep(for: .microseconds(random(in: 0...20_000)))
  }

  /// A reader, a few reads one after the other, some of them cancelled, and the reader's end.
  private func readAWhile() async throws {
    for _ in 0..<random(in: 1...3) {
      let number = random(in: 0...1)
      let handle = SourceHandle(sources[number]) { self.refuses() }
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
      do { try await use(reader, number, { isClosing.withLock { $0 } }) } catch { result = .failure(error) }
      // Some are dropped.
      if random(in: 0...4) > 0 {
        isClosing.withLock { $0 = true }
        await reader.close()
        guard handle.isClosed || Task.isCancelled else { throw SimulationFault(what: "the source was left open") }
      }
      guard handle.asksAfterClose == 0 else {
        throw SimulationFault(what: "a read began after the source was closed")
      }
      try result.get()
    }
  }

  private func makeReader(_ handle: SourceHandle) async throws -> RangeReader {
    var configuration = simulation.configuration
    configuration.streamWindow = 4096
    return try await RangeReader(handle, pipeline(), configuration: configuration)
  }

  private func use(_ reader: RangeReader, _ source: Int, _ isClosing: () -> Bool) async throws {
    guard let version = (reader.source.validator as? SyntheticSource.Version)?.number else {
      throw SimulationFault(what: "no version")
    }
    for _ in 0..<random(in: readsOfReader) {
      do {
        switch kinds[random(in: 0...kinds.count - 1)] {
        case .one: try await readOne(reader, source, version)
        case .many: try await readMany(reader, source, version)
        case .aside: try await readAside(reader, source, version)
        case .stream: try await stream(reader, source, version)
        }
      } catch is CancellationError {
        guard Task.isCancelled else {
          throw SimulationFault(what: "CancellationError in a task that was not cancelled")
        }
        note { $0.cancelled += 1 }
        throw CancellationError()
      } catch let error as ReadError where error.code == .closed {
        guard isClosing() else { throw SimulationFault(what: "a reader that is open says that it is closed") }
        note { $0.closed += 1 }
        return
      } catch let error as ReadError where error.code == .sourceChanged {
        note { $0.changed += 1 }
        return
      } catch is Refusal {
        continue
      } catch let error as ReadError {
        throw SimulationFault(what: "\(error)")
      }
      try look()
    }
  }

  private func readOne(_ reader: RangeReader, _ source: Int, _ version: UInt64) async throws {
    let range = randomRange(reader.byteCount)
    try check(try await reader.read(range), range, source, version)
    note { $0.reads += 1 }
  }

  private func readMany(_ reader: RangeReader, _ source: Int, _ version: UInt64) async throws {
    let ranges = (0..<random(in: 1...5)).map { _ in randomRange(reader.byteCount) }
    let all = try await reader.read(ranges)
    guard all.count == ranges.count else {
      throw SimulationFault(what: "\(all.count) answers to \(ranges.count) ranges")
    }
    for (bytes, range) in zip(all, ranges) { try check(bytes, range, source, version) }
    note { $0.reads += 1 }
  }

  /// A read in a task of its own, which may be cancelled, beside one that is not.
  private func readAside(_ reader: RangeReader, _ source: Int, _ version: UInt64) async throws {
    let range = randomRange(reader.byteCount)
    let aside = simulation.start { try self.check(try await reader.read(range), range, source, version) }
    simulation.start {
      try await self.pause()
      aside.cancel()
    }
    do {
      try await readOne(reader, source, version)
    } catch {
      _ = await aside.result
      throw error
    }
    switch await aside.result {
    case .failure(let error as SimulationFault): throw error
    case .failure(is CancellationError): note { $0.cancelled += 1 }
    default: break
    }
  }

  private func stream(_ reader: RangeReader, _ source: Int, _ version: UInt64) async throws {
    let range = randomRange(reader.byteCount)
    let most = random(in: 0...3) == 0 ? random(in: 1...4) : .max
    var cursor = range.lowerBound
    var pieces = 0
    for try await piece in reader.stream(range, chunkSize: .bytes([100, 1024, 5000][random(in: 0...2)])) {
      try check(piece, cursor..<cursor + piece.count, source, version)
      cursor += piece.count
      pieces += 1
      if pieces >= most { break }
    }
    guard pieces >= most || cursor == range.upperBound else {
      throw SimulationFault(what: "a stream of \(range) ended at \(cursor) as if it were complete")
    }
    note { $0.pieces += pieces }
  }

  private func check(_ bytes: Bytes, _ range: ByteRange, _ source: Int, _ version: UInt64) throws {
    guard isRight(bytes, range, of: source, version: version) else {
      throw SimulationFault(what: "wrong bytes for \(range) of source \(source) in version \(version)")
    }
    note { $0.trace = $0.trace &* 1_000_003 &+ UInt64(range.count) }
  }
}
