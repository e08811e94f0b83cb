import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Second tries over a source that hangs now and then, at exact times.
struct HedgingTests {
  /// Reads of exactly 10 ms, after which anything slower than this is late.
  private static let late = Duration.nanoseconds(
    LatencyHistogram.end(of: LatencyHistogram.bucket(Duration.milliseconds(10).nanoseconds)))
  private static let known = 20

  /// Runs `body` once as many reads have been seen as are needed; `plan` is for those that follow.
  private func run(
    _ plan: @escaping @Sendable (Int) -> ScriptedSource.Step, through pipeline: ReadPipeline,
    _ body: @escaping @Sendable (Simulation, RangeReader, ScriptedSource) async throws -> Void
  ) throws {
    try Simulation.run(seed: 2) { simulation in
      let source = ScriptedSource(time: simulation.time) {
        $0 < Self.known ? .answer(after: .milliseconds(10)) : plan($0 - Self.known)
      }
      let reader = try await RangeReader(source, pipeline, configuration: simulation.configuration)
      for _ in 0..<Self.known { #expect(try await reader.isRight(0..<100)) }
      try await body(simulation, reader, source)
      await reader.close()
      #expect(simulation.clock.sleeperCount == 0)
    }
  }

  private static func hedging(_ share: Double = 0.5) -> ReadPipeline {
    ReadPipeline.hedging(maxShare: share, minSamples: known)
  }

  private var fast: ScriptedSource.Step { .answer(after: .milliseconds(10)) }

  @Test func `a first try that hangs is overtaken by a second, and cancelled`() throws {
    let hedging = Self.hedging()
    try run({ $0 == 0 ? .hang : .answer(after: .milliseconds(10)) }, through: [hedging]) {
      (simulation, reader, source) async throws in
      let start = simulation.clock.now.offset
      #expect(try await reader.isRight(500..<600))
      #expect(source.times.suffix(2) == [start, start + Self.late])
      #expect(simulation.clock.now.offset == start + Self.late + .milliseconds(10))
      await reader.close()
      #expect(source.cancellations == 1)
    }
    #expect(
      hedging.statistics()?.figures == ["reads": Self.known + 1, "second tries": 1, "second tries that won": 1])
    #expect(hedging.statistics()?.wastedBytes == 100)
  }

  @Test func `a second try that is slower is cancelled, and counts as wasted`() throws {
    let hedging = Self.hedging()
    try run({ $0 == 0 ? .answer(after: .milliseconds(15)) : .hang }, through: [hedging]) {
      (simulation, reader, source) async throws in
      let start = simulation.clock.now.offset
      #expect(try await reader.isRight(500..<600))
      #expect(simulation.clock.now.offset == start + .milliseconds(15))
      await reader.close()
      #expect(source.cancellations == 1)
    }
    #expect(hedging.statistics()?.figures == ["reads": Self.known + 1, "second tries": 1])
    #expect(hedging.statistics()?.wastedBytes == 100)
  }

  @Test func `an answer in time has no second try`() throws {
    let hedging = Self.hedging()
    try run({ _ in .answer(after: .milliseconds(10)) }, through: [hedging]) {
      (_, reader, source) async throws in
      for _ in 0..<50 { #expect(try await reader.isRight(500..<600)) }
      #expect(source.asked.count == Self.known + 50)
    }
    #expect(hedging.statistics()?.figures == ["reads": Self.known + 50])
  }

  @Test func `second tries stay within their share, however many reads are late`() throws {
    let hedging = Self.hedging(0.05)
    try run({ _ in .answer(after: .seconds(1)) }, through: [hedging]) {
      (simulation, reader, source) async throws in
      // All at once, so that the slow ones are not learned from meanwhile.
      let reads = (0..<200).map { _ in simulation.start { try await reader.isRight(500..<600) } }
      for read in reads { #expect(try await read.value) }
      #expect(source.asked.count == Self.known + 200 + 10)
    }
    #expect(hedging.saved < 1)
  }

  @Test func `if one try fails the other is waited for`() throws {
    for plan in [
      { $0 == 0 ? .fail(Refusal.no, after: .milliseconds(15)) : .answer(after: .milliseconds(10)) },
      { $0 == 0 ? .answer(after: .milliseconds(30)) : .fail(Refusal.no, after: .milliseconds(1)) },
    ] as [@Sendable (Int) -> ScriptedSource.Step] {
      try run(plan, through: [Self.hedging()]) { (_, reader, source) async throws in
        #expect(try await reader.isRight(500..<600))
        #expect(source.asked.count == Self.known + 2)
      }
    }
  }

  @Test func `if both fail the error that came first is thrown, and if one failed early there is no second`() throws {
    let (first, second) = (ReadError(.inputOutput, "first"), ReadError(.inputOutput, "second"))
    try run(
      { $0 == 0 ? .fail(first, after: .milliseconds(30)) : .fail(second, after: .milliseconds(1)) },
      through: [Self.hedging()]
    ) { (_, reader, _) async throws in
      let error = await #expect(throws: ReadError.self) { try await reader.read(500..<600) }
      #expect(error?.message == "second")
    }
    try run({ _ in .fail(first, after: .milliseconds(5)) }, through: [Self.hedging()]) {
      (_, reader, source) async throws in
      await #expect(throws: ReadError.self) { try await reader.read(500..<600) }
      #expect(source.asked.count == Self.known + 1)
    }
  }

  @Test func `a prefetch has no second try`() throws {
    let asking = Asking()
    let pipeline: ReadPipeline = [.stage(asking), Self.hedging()]
    try run({ _ in .answer(after: .seconds(1)) }, through: pipeline) { (_, reader, source) async throws in
      asking.purpose = .prefetch
      #expect(try await reader.isRight(500..<600))
      #expect(source.asked.count == Self.known + 1)
    }
  }

  @Test func `a cancelled read cancels both tries, or has no second one`() throws {
    for (wait, tries) in [(Duration.milliseconds(1), 1), (.milliseconds(100), 2)] {
      try run({ _ in .hang }, through: [Self.hedging()]) { (simulation, reader, source) async throws in
        let read = simulation.start { try await reader.read(500..<600) }
        try await simulation.clock.sleep(for: wait)
        let now = simulation.clock.now
        read.cancel()
        await #expect(throws: CancellationError.self) { try await read.value }
        #expect(simulation.clock.now == now)
        await reader.close()
        #expect(source.asked.count == Self.known + tries)
        #expect(source.cancellations == tries)
      }
    }
  }

  @Test func `a reader that is closed answers those who wait for two tries`() throws {
    try run({ _ in .hang }, through: [Self.hedging()]) { (simulation, reader, source) async throws in
      let read = simulation.start { try await reader.read(500..<600) }
      try await simulation.clock.sleep(for: .milliseconds(100))
      await reader.close()
      let error = await #expect(throws: ReadError.self) { try await read.value }
      #expect(error?.code == .closed)
      #expect(source.cancellations == 2)
    }
  }

  @Test func `a second try waits for its permit like any other`() throws {
    let limiting: ReadPipeline = .limiting(maxConcurrentReads: 1)
    let pipeline: ReadPipeline = [Self.hedging(), limiting]
    try run({ _ in .answer(after: .milliseconds(50)) }, through: pipeline) { (_, reader, source) async throws in
      #expect(try await reader.isRight(500..<600))
      // The second was in the queue when the first came.
      #expect(source.asked.count == Self.known + 1)
    }
    #expect(limiting.occupancy == (0, 0))
  }

  @Test func `under load of a source that hangs at times, the slowest reads become about as fast as the others`() throws
  {
    // One read in 25 hangs for a second.
    func slowest(_ pipeline: ReadPipeline) throws -> (p99: Duration, asked: Int) {
      try Simulation.run(seed: 3) { simulation in
        let source = ScriptedSource(time: simulation.time) { number in
          var random = TestRandom(UInt64(number))
          return .answer(after: random.below(25) == 0 ? .seconds(1) : .milliseconds(8 + random.below(4)))
        }
        let reader = try await RangeReader(source, pipeline, configuration: simulation.configuration)
        var times: [Duration] = []
        for _ in 0..<2000 {
          let start = simulation.clock.now.offset
          #expect(try await reader.isRight(0..<100))
          times.append(simulation.clock.now.offset - start)
        }
        return (times.sorted()[1980], source.asked.count)
      }
    }
    let (without, with) = (try slowest([]), try slowest([.hedging(maxShare: 0.06)]))
    print("99th percentile of 2,000 reads without hedging \(without.p99), with \(with.p99), \(with.asked) tries")
    #expect(without.p99 == .seconds(1))
    #expect(with.p99 < .milliseconds(40))
    #expect(with.asked < 2000 * 107 / 100)
  }
}
