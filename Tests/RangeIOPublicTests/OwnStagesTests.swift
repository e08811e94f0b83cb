import RangeIO
import RangeIOTesting
import Synchronization
import Testing

/// Stages that need more than their one method, written with the public API alone: this target sees no more of the library
/// than its users do.
struct OwnStagesTests {
  /// Answers after the time that is next in the list, and after the last one from then on.
  private final class SlowSource: RangeSource {
    private let bytes: Bytes
    private let times: [Duration]
    private let time: ReadClock
    private let asked = Mutex((count: 0, cancelled: 0))

    init(_ bytes: Bytes, times: [Duration], time: ReadClock) {
      self.bytes = bytes
      self.times = times
      self.time = time
    }

    var count: Int { asked.withLock { $0.count } }
    var cancelled: Int { asked.withLock { $0.cancelled } }

    func describe() async throws -> SourceDescription {
      SourceDescription(id: "slow", validator: nil, byteCount: bytes.count)
    }

    func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      let number = asked.withLock { asked in
        asked.count += 1
        return asked.count - 1
      }
      do {
        try await time.sleep(for: times[min(number, times.count - 1)])
      } catch {
        asked.withLock { $0.cancelled += 1 }
        throw error
      }
      return bytes[range]
    }
  }

  private static let content = SyntheticSource.bytes(0..<10_000)

  private func run(
    _ times: [Duration], _ stage: any ReadStage,
    _ body: @escaping @Sendable (Simulation, RangeReader, SlowSource) async throws -> Void
  ) throws {
    try Simulation.run(seed: 1) { simulation in
      let source = SlowSource(Self.content, times: times, time: simulation.time)
      let reader = try await RangeReader(source, [.stage(stage)], time: simulation.time)
      try await body(simulation, reader, source)
      await reader.close()
      #expect(simulation.clock.sleeperCount == 0, "nothing is left behind")
    }
  }

  @Test func `a second try overtakes a first that hangs`() throws {
    try run([.seconds(3600), .milliseconds(10)], OwnHedging(patience: .milliseconds(50))) {
      (simulation, reader, source) async throws in
      let start = simulation.clock.now
      #expect(try await reader.read(100..<200) == Self.content[100..<200])
      #expect(start.duration(to: simulation.clock.now) == .milliseconds(60))
      await simulation.quiet()
      #expect(source.count == 2 && source.cancelled == 1)
    }
  }

  /// Reads through a stage of the library.
  private struct Through: ReadStage {
    let inner: any ReadStage

    func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
      try await inner.read(request, next: next)
    }
  }

  @Test func `a stage may read through one of the library`() throws {
    let observing = Observing()
    try run([.milliseconds(10)], Through(inner: ReadPipeline.observing(observing).stages[0])) {
      (_, reader, _) async throws in
      #expect(try await reader.read(0..<10) == Self.content[0..<10])
      #expect(observing.latency(0.5) >= .milliseconds(10))
    }
  }

  @Test func `an answer in time has no second try`() throws {
    try run([.milliseconds(10)], OwnHedging(patience: .milliseconds(50))) { (_, reader, source) async throws in
      for _ in 0..<10 { #expect(try await reader.read(0..<10) == Self.content[0..<10]) }
      #expect(source.count == 10)
    }
  }

  @Test func `a read that takes too long throws, and what it read for is cancelled`() throws {
    try run([.seconds(3600), .milliseconds(10)], OwnTimeLimit(.seconds(1))) {
      (simulation, reader, source) async throws in
      let error = await #expect(throws: ReadError.self) { _ = try await reader.read(0..<10) }
      #expect(error?.code == .timedOut)
      #expect(try await reader.read(0..<10) == Self.content[0..<10])
      await simulation.quiet()
      #expect(source.cancelled == 1)
    }
  }

  @Test(arguments: [true, false]) func `cancelling and closing end them at once`(closes: Bool) throws {
    for stage in [OwnHedging(patience: .seconds(10)), OwnTimeLimit(.seconds(60))] as [any ReadStage] {
      try run([.seconds(3600)], stage) { (simulation, reader, source) async throws in
        let read = simulation.start { try await reader.read(0..<10) }
        await simulation.quiet()
        let start = simulation.clock.now
        if closes { await reader.close() } else { read.cancel() }
        await #expect(throws: (any Error).self) { _ = try await read.value }
        #expect(simulation.clock.now == start)
      }
    }
  }

  @Test func `they keep the contract of stages`() async throws {
    try await StageConformance.check(Self.content, becomes: Self.content) { .stage(OwnHedging(patience: .seconds(10))) }
    try await StageConformance.check(Self.content, becomes: Self.content) { .stage(OwnTimeLimit(.seconds(60))) }
  }
}
