import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Time limits over sources that dawdle and hang, at exact times.
struct TimeLimitTests {
  private func run(
    _ plan: @escaping @Sendable (Int) -> ScriptedSource.Step, through pipeline: ReadPipeline,
    _ body: @escaping @Sendable (Simulation, RangeReader, ScriptedSource) async throws -> Void
  ) throws {
    try Simulation.run(seed: 7) { simulation in
      let source = ScriptedSource(time: simulation.time, plan: plan)
      let reader = try await RangeReader(source, pipeline, configuration: simulation.configuration)
      try await body(simulation, reader, source)
      #expect(simulation.clock.sleeperCount == 0)
    }
  }

  private func expectTimeout(_ read: () async throws -> Void) async {
    let error = await #expect(throws: ReadError.self) { try await read() }
    #expect(error?.code == .timedOut)
    #expect(error?.isTransient == true)
  }

  @Test func `a read of a source that hangs is answered at the deadline, and cancelled below`() throws {
    let stage: ReadPipeline = .timeLimit(.seconds(5))
    try run({ _ in .hang }, through: [stage]) { (simulation, reader, source) async throws in
      await expectTimeout { _ = try await reader.read(10..<20) }
      #expect(simulation.clock.now.offset == .seconds(5))
      await reader.close()
      #expect(source.cancellations == 1)
    }
    #expect(stage.statistics()?.figures == ["reads that waited": 1, "timed out": 1])
  }

  @Test func `a source that ignores cancellation delays no read beyond the deadline`() throws {
    try Simulation.run(seed: 7) { simulation in
      let source = GatedSource(SyntheticSource(byteCount: 1000))
      let reader = try await RangeReader(
        source, [.timeLimit(.seconds(5))], configuration: simulation.configuration)
      await expectTimeout { _ = try await reader.read(10..<20) }
      #expect(simulation.clock.now.offset == .seconds(5))
      source.open()
      #expect(try await reader.isRight(10..<20))
    }
  }

  @Test func `what holds up the caller's thread is late all the same`() throws {
    try Simulation.run(seed: 7) { simulation in
      // A decoder that computes for ten seconds, of what is at hand.
      let busy: ReadPipeline = .decoding(name: "busy", blockSize: .kibibytes(4)) { _, bytes in
        simulation.clock.advance(by: .seconds(10))
        return bytes
      }
      let limiting: ReadPipeline = .timeLimit(.seconds(5))
      let reader = try await RangeReader(
        SyntheticSource(byteCount: 1000),
        [limiting, busy], configuration: simulation.configuration)
      await expectTimeout { _ = try await reader.read(10..<20) }
      #expect(limiting.statistics()?.figures == ["reads that waited": 1, "timed out": 1])
      await reader.close()
    }
  }

  @Test func `what comes in time is passed on, and no timer stays behind`() throws {
    try run({ _ in .answer(after: .seconds(4)) }, through: [.timeLimit(.seconds(5))]) {
      (simulation, reader, _) async throws in
      #expect(try await reader.isRight(10..<20))
      #expect(simulation.clock.now.offset == .seconds(4))
    }
    try run({ _ in .fail(Refusal.no) }, through: [.timeLimit(.seconds(5))]) {
      (_, reader, _) async throws in
      await #expect(throws: Refusal.no) { try await reader.read(10..<20) }
    }
  }

  @Test func `a hit below it is answered without task or timer`() throws {
    let stage: ReadPipeline = .timeLimit(.seconds(5))
    let store = MemoryStore(limit: .mebibytes(1))
    let pipeline: ReadPipeline = [stage, .caching(store, blockSize: .kibibytes(4))]
    try run({ _ in .answer }, through: pipeline) { (_, reader, source) async throws in
      for _ in 0..<10 { #expect(try await reader.isRight(100..<200)) }
      #expect(source.asked.count == 1)
    }
    #expect(stage.statistics()?.figures == ["reads that waited": 1])
    func jobs(_ reads: Int) throws -> Int {
      try JobCount.of {
        let reader = try await RangeReader(SyntheticSource(byteCount: 1000), pipeline)
        for _ in 0..<reads { #expect(try await reader.isRight(0..<10)) }
      }
    }
    _ = try jobs(1)
    let (one, hundred) = (try jobs(1), try jobs(100))
    #expect(hundred == one, "no job for a hit")
  }

  @Test func `above retrying it is the limit of all tries, below it that of each`() throws {
    let retrying: ReadPipeline = .retrying(.exponentialBackoff(base: .milliseconds(100)), random: LargestNumbers())
    let each: ReadPipeline = [retrying, .timeLimit(.seconds(1))]
    try run({ $0 < 2 ? .hang : .answer }, through: each) { (_, reader, source) async throws in
      #expect(try await reader.isRight(0..<100))
      #expect(source.times == [.zero, .milliseconds(1100), .milliseconds(2300)])
      #expect(source.cancellations == 2)
    }
    let all: ReadPipeline = [.timeLimit(.seconds(1)), retrying]
    try run({ $0 < 2 ? .hang : .answer }, through: all) { (simulation, reader, source) async throws in
      await expectTimeout { _ = try await reader.read(0..<100) }
      #expect(simulation.clock.now.offset == .seconds(1))
      #expect(source.times == [.zero])
    }
    let both: ReadPipeline = [.timeLimit(.seconds(2)), retrying, .timeLimit(.seconds(1))]
    try run({ _ in .hang }, through: both) { (simulation, reader, source) async throws in
      await expectTimeout { _ = try await reader.read(0..<100) }
      #expect(simulation.clock.now.offset == .seconds(2))
      #expect(source.times == [.zero, .milliseconds(1100)])
    }
  }

  @Test(arguments: [(5, 1), (1, 5)])
  func `of two limits the earlier counts, and those below see it`(outer: Int, inner: Int) throws {
    let notes = NotingRequests()
    let pipeline: ReadPipeline = [.timeLimit(.seconds(outer)), .timeLimit(.seconds(inner)), .stage(notes)]
    try run({ _ in .hang }, through: pipeline) { (simulation, reader, _) async throws in
      await expectTimeout { _ = try await reader.read(0..<100) }
      #expect(simulation.clock.now.offset == .seconds(1))
    }
    #expect(notes.notes.all.map(\.deadline) == [ReadClock.Instant(nanoseconds: 1_000_000_000)])
  }

  @Test func `a fetch that others wait for goes on, and is there for the next try`() throws {
    let store = MemoryStore(limit: .mebibytes(1))
    try Simulation.run(seed: 7) { simulation in
      let source = ScriptedSource(time: simulation.time) { _ in .answer(after: .seconds(3)) }
      let hasty = try await RangeReader(
        source,
        [.timeLimit(.seconds(1)), .caching(store, blockSize: .kibibytes(4))],
        configuration: simulation.configuration)
      let patient = try await RangeReader(
        source, [.caching(store, blockSize: .kibibytes(4))], configuration: simulation.configuration)
      let read = simulation.start { try await patient.isRight(0..<100) }
      await expectTimeout { _ = try await hasty.read(0..<100) }
      #expect(simulation.clock.now.offset == .seconds(1))
      #expect(try await read.value)
      #expect(try await hasty.isRight(0..<100))
      #expect(simulation.clock.now.offset == .seconds(3))
      #expect(source.asked.count == 1)
      #expect(store.isQuiet)
    }
  }

  @Test func `what has arrived stays in the cache`() throws {
    let store = MemoryStore(limit: .mebibytes(1))
    let pipeline: ReadPipeline = [.timeLimit(.seconds(1)), .caching(store, blockSize: .kibibytes(4))]
    try run({ $0 == 0 ? .answer : .hang }, through: pipeline) { (_, reader, source) async throws in
      await expectTimeout { _ = try await reader.read([0..<100, 50_000..<50_100]) }
      #expect(store.cachedRanges(of: reader.source).count == 1)
      await reader.close()
      #expect(source.cancellations == 1)
      #expect(store.isQuiet)
    }
  }

  @Test func `a cancelled read and one whose reader is closed are answered at once`() throws {
    try run({ _ in .hang }, through: [.timeLimit(.seconds(5))]) {
      (simulation, reader, source) async throws in
      let reads = (0..<2).map { _ in simulation.start { try await reader.read(0..<10) } }
      try await simulation.clock.sleep(for: .seconds(1))
      reads[0].cancel()
      await #expect(throws: CancellationError.self) { try await reads[0].value }
      await reader.close()
      let error = await #expect(throws: ReadError.self) { try await reads[1].value }
      #expect(error?.code == .closed)
      #expect(simulation.clock.now.offset == .seconds(1))
      #expect(source.cancellations == 2)
    }
  }

  @Test func `a request whose time is over does not reach the source`() throws {
    let pipeline: ReadPipeline = [.stage(Ending(at: ReadClock.Instant(nanoseconds: 0))), .timeLimit(.seconds(5))]
    try run({ _ in .answer }, through: pipeline) { (_, reader, source) async throws in
      await expectTimeout { _ = try await reader.read(0..<10) }
      #expect(source.asked.isEmpty)
    }
  }
}

/// A stage that sets a deadline.
struct Ending: ReadStage {
  let instant: ReadClock.Instant
  init(at instant: ReadClock.Instant) { self.instant = instant }
  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    var request = request
    request.deadline = instant
    return try await next(request)
  }
}
