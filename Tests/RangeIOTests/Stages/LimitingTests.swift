import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Limits of reads at once and of bytes a second, at exact times.
struct LimitingTests {
  private func run(
    _ plan: @escaping @Sendable (Int) -> ScriptedSource.Step, through pipeline: ReadPipeline, seed: UInt64 = 1,
    _ body: @escaping @Sendable (Simulation, RangeReader, ScriptedSource) async throws -> Void
  ) throws {
    try Simulation.run(seed: seed) { simulation in
      let source = ScriptedSource(time: simulation.time, plan: plan)
      let reader = try await RangeReader(source, pipeline, configuration: simulation.configuration)
      try await body(simulation, reader, source)
      #expect(simulation.clock.sleeperCount == 0)
    }
  }

  private func expectEmpty(_ limiting: ReadPipeline) {
    #expect(limiting.occupancy == (0, 0))
  }

  @Test func `no more reads are under way than permits, and all are served`() throws {
    for seed in 0..<10 as Range<UInt64> {
      let limiting: ReadPipeline = .limiting(maxConcurrentReads: 3)
      try Simulation.run(seed: seed) { simulation in
        let source = SyntheticSource(byteCount: 100_000, latency: .milliseconds(10), time: simulation.time)
        let reader = try await RangeReader(
          source, [limiting], configuration: simulation.configuration)
        let reads = (0..<31).map { number in simulation.start { try await reader.isRight(number..<number + 100) } }
        for read in reads { #expect(try await read.value) }
        #expect(source.mostReadsUnderWay == 3)
        #expect(simulation.clock.now.offset == .milliseconds(110))
      }
      expectEmpty(limiting)
      let figures = limiting.statistics()?.figures
      #expect(figures?["reads"] == 31 && figures?["waited"] == 28 && figures?["longest queue"] == 28)
      // Three waited 10 ms, three 20 ms, and so on; one 100 ms.
      #expect(figures?["microseconds waited"] == 3 * 450_000 + 100_000)
    }
  }

  /// Shows what another reader reads.
  private struct Showing: RangeSource {
    let reader: RangeReader
    func describe() async throws -> SourceDescription {
      SourceDescription(id: "outer", validator: HeldSource.Version(number: 0), byteCount: reader.byteCount)
    }
    func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes { try await reader.read(range) }
  }

  @Test func `a read through another reader of the same limits has its permit already`() throws {
    let limiting: ReadPipeline = .limiting(maxConcurrentReads: 1, bytesPerSecond: .bytes(1000), burst: .bytes(100))
    try Simulation.run(seed: 3) { simulation in
      let below = SyntheticSource(byteCount: 100_000, latency: .milliseconds(10), time: simulation.time)
      let inner = try await RangeReader(
        below, [limiting], configuration: simulation.configuration)
      let outer = try await RangeReader(
        Showing(reader: inner), [limiting], configuration: simulation.configuration)
      let reads = (0..<5).map { number in simulation.start { try await outer.isRight(number..<number + 10) } }
      for read in reads { #expect(try await read.value) }
      // Its bytes are paid for once, and one read goes after the other.
      #expect(below.mostReadsUnderWay == 1)
      #expect(simulation.clock.now.offset == .milliseconds(50))
      // A read by itself waits for a permit as ever.
      let own = (0..<2).map { number in simulation.start { try await inner.isRight(number..<number + 10) } }
      for read in own { #expect(try await read.value) }
      #expect(below.mostReadsUnderWay == 1)
    }
    expectEmpty(limiting)
    #expect(limiting.statistics()?.figures["reads"] == 7)
  }

  @Test func `bytes go at the rate, after what was saved up`() throws {
    let limiting: ReadPipeline = .limiting(bytesPerSecond: .bytes(1000), burst: .bytes(500))
    try run({ _ in .answer }, through: [limiting]) { (_, reader, source) async throws in
      for _ in 0..<4 { #expect(try await reader.isRight(0..<250)) }
      #expect(source.times == [.zero, .zero, .milliseconds(250), .milliseconds(500)])
      // More than the burst: when the bucket is full; and what comes next waits for its debt.
      #expect(try await reader.isRight(0..<2000))
      #expect(try await reader.isRight(0..<100))
      #expect(source.times.suffix(2) == [.seconds(1), .milliseconds(2600)])
    }
    expectEmpty(limiting)
  }

  @Test func `a vectored read counts once, with all its bytes`() throws {
    let limiting: ReadPipeline = .limiting(maxConcurrentReads: 1, bytesPerSecond: .bytes(1000), burst: .bytes(500))
    try run({ _ in .answer }, through: [limiting]) { (_, reader, source) async throws in
      _ = try await reader.read([0..<100, 200..<300, 1000..<1300])
      _ = try await reader.read(0..<100)
      #expect(source.times == [.zero, .milliseconds(100)])
    }
  }

  @Test func `readers that share a limit share it, each by its own clock`() throws {
    let limiting: ReadPipeline = .limiting(maxConcurrentReads: 1, bytesPerSecond: .bytes(1000), burst: .bytes(100))
    try Simulation.run(seed: 4) { simulation in
      var readers: [RangeReader] = []
      let source = ScriptedSource(time: simulation.time) { _ in .answer }
      for _ in 0..<3 {
        // Each reader's clock began at another moment.
        readers.append(
          try await RangeReader(source, [limiting], configuration: simulation.configuration))
        try await simulation.clock.sleep(for: .seconds(1))
      }
      for number in 0..<9 { #expect(try await readers[number % 3].isRight(0..<100)) }
      #expect(source.times == (0..<9).map { .milliseconds(3000 + 100 * $0) })
    }
    expectEmpty(limiting)
  }

  @Test func `a read that is cancelled in the queue goes at once and takes nothing`() throws {
    let limiting: ReadPipeline = .limiting(maxConcurrentReads: 1, bytesPerSecond: .bytes(1000), burst: .bytes(100))
    try run({ _ in .answer(after: .milliseconds(10)) }, through: [limiting]) {
      (simulation, reader, source) async throws in
      let reads = (0..<3).map { _ in simulation.start { try await reader.isRight(0..<100) } }
      try await simulation.clock.sleep(for: .milliseconds(5))
      let waiting = simulation.start { try await reader.isRight(0..<100) }
      try await simulation.clock.sleep(for: .milliseconds(1))
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      #expect(simulation.clock.now.offset == .milliseconds(6))
      for read in reads { #expect(try await read.value) }
      #expect(source.times == [.zero, .milliseconds(100), .milliseconds(200)])
    }
    expectEmpty(limiting)
  }

  @Test func `reads whose reader is closed leave the queue, and those of others move up`() throws {
    let limiting: ReadPipeline = .limiting(maxConcurrentReads: 1)
    try Simulation.run(seed: 5) { simulation in
      let source = ScriptedSource(time: simulation.time) { _ in .answer(after: .milliseconds(10)) }
      let configuration = simulation.configuration
      let closing = try await RangeReader(source, [limiting], configuration: configuration)
      let staying = try await RangeReader(source, [limiting], configuration: configuration)
      let first = simulation.start { try await staying.isRight(0..<10) }
      try await simulation.clock.sleep(for: .milliseconds(1))
      let gone = (0..<5).map { _ in simulation.start { try await closing.isRight(0..<10) } }
      try await simulation.clock.sleep(for: .milliseconds(1))
      let last = simulation.start { try await staying.isRight(0..<10) }
      try await simulation.clock.sleep(for: .milliseconds(1))
      await closing.close()
      for read in gone {
        let error = await #expect(throws: ReadError.self) { try await read.value }
        #expect(error?.code == .closed)
      }
      #expect(simulation.clock.now.offset == .milliseconds(3))
      #expect(try await first.value)
      #expect(try await last.value)
      #expect(source.times == [.zero, .milliseconds(10)])
    }
    expectEmpty(limiting)
  }

  @Test func `a read whose deadline passes in the queue leaves it then`() throws {
    let limiting: ReadPipeline = .limiting(maxConcurrentReads: 1)
    let pipeline: ReadPipeline = [.stage(Ending(at: ReadClock.Instant(nanoseconds: 5_000_000))), limiting]
    try run({ _ in .answer(after: .milliseconds(10)) }, through: pipeline) {
      (simulation, reader, source) async throws in
      let first = simulation.start { try await reader.isRight(0..<10) }
      try await simulation.clock.sleep(for: .milliseconds(1))
      let error = await #expect(throws: ReadError.self) { try await reader.read(0..<10) }
      #expect(error?.code == .timedOut)
      #expect(simulation.clock.now.offset == .milliseconds(5))
      #expect(try await first.value)
      #expect(source.asked.count == 1)
    }
    expectEmpty(limiting)
  }

  @Test func `demands go before prefetches, which do not starve`() throws {
    let limiting: ReadPipeline = .limiting(maxConcurrentReads: 1)
    let asking = Asking()
    let pipeline: ReadPipeline = [.stage(asking), limiting]
    try run({ _ in .answer(after: .milliseconds(10)) }, through: pipeline) {
      (simulation, reader, source) async throws in
      func read(_ number: Int, _ purpose: ReadUrgency.Purpose) async throws -> Task<Bool, any Error> {
        asking.purpose = purpose
        let read = simulation.start { try await reader.isRight(number..<number + 1) }
        try await simulation.clock.sleep(for: .microseconds(1))
        return read
      }
      var reads = [try await read(0, .demand), try await read(100, .prefetch)]
      for number in 1...10 { reads.append(try await read(number, .demand)) }
      for read in reads { #expect(try await read.value) }
      #expect(source.asked.map { $0.ranges[0].lowerBound } == [0, 1, 2, 3, 4, 5, 6, 7, 8, 100, 9, 10])
    }
    expectEmpty(limiting)
  }

  @Test func `a demand that joins a queued prefetch raises it`() throws {
    let limiting: ReadPipeline = .limiting(maxConcurrentReads: 1)
    let asking = Asking()
    let store = MemoryStore(limit: .mebibytes(1))
    let pipeline: ReadPipeline = [.stage(asking), .caching(store, blockSize: .bytes(1024)), limiting]
    try run({ _ in .answer(after: .milliseconds(10)) }, through: pipeline) {
      (simulation, reader, source) async throws in
      func read(_ block: Int, _ purpose: ReadUrgency.Purpose) async throws -> Task<Bool, any Error> {
        asking.purpose = purpose
        let read = simulation.start { try await reader.isRight(block * 1024..<block * 1024 + 10) }
        try await simulation.clock.sleep(for: .microseconds(1))
        return read
      }
      var reads = [try await read(0, .demand)]
      for block in [10, 11] { reads.append(try await read(block, .prefetch)) }
      for block in [1, 2] { reads.append(try await read(block, .demand)) }
      reads.append(try await read(11, .demand))
      reads.append(try await read(3, .demand))
      for read in reads { #expect(try await read.value) }
      #expect(source.asked.map { $0.ranges[0].lowerBound / 1024 } == [0, 1, 2, 11, 3, 10])
    }
    expectEmpty(limiting)
    #expect(store.isQuiet)
  }

  @Test func `a failed and a cancelled read give their permits back`() throws {
    let limiting: ReadPipeline = .limiting(maxConcurrentReads: 1)
    try run({ $0 == 0 ? .fail(Refusal.no) : $0 == 1 ? .hang : .answer }, through: [limiting]) {
      (simulation, reader, source) async throws in
      await #expect(throws: Refusal.no) { try await reader.read(0..<10) }
      let hanging = simulation.start { try await reader.read(0..<10) }
      try await simulation.clock.sleep(for: .milliseconds(1))
      let waiting = simulation.start { try await reader.isRight(0..<10) }
      try await simulation.clock.sleep(for: .milliseconds(1))
      #expect(limiting.occupancy == (1, 1))
      hanging.cancel()
      #expect(try await waiting.value)
    }
    expectEmpty(limiting)
  }

  @Test func `without limits nothing waits`() throws {
    let limiting: ReadPipeline = .limiting()
    try run({ _ in .answer }, through: [limiting]) { (_, reader, _) async throws in
      for _ in 0..<10 { #expect(try await reader.isRight(0..<10_000)) }
    }
    #expect(limiting.statistics()?.figures == ["reads": 10])
  }
}
