import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// One long range of a source that measures itself, read by several connections.
struct SplittingTests {
  /// 20 ms at 20 MB/s: 400 kB could come in a round trip.
  private static let cost = SourceDescription.Cost(latency: .milliseconds(20), bytesPerSecond: 20e6)

  private func run(
    isCached: Bool = true,
    _ body: @escaping @Sendable (Simulation, MeasuringSource, RangeReader) async throws -> Void
  ) throws {
    try Simulation.run(seed: 1) { simulation in
      let source = MeasuringSource(
        byteCount: 64 << 20, stating: Self.cost, costing: Self.cost, time: simulation.time)
      let caching: ReadPipeline = .caching(MemoryStore(limit: .mebibytes(64)), fill: .exact, blockSize: .kibibytes(64))
      let reader = try await RangeReader(
        source, [isCached ? caching : [], .merging()], configuration: simulation.configuration)
      try await body(simulation, source, reader)
      await reader.close()
    }
  }

  @Test(arguments: [true, false]) func `a long range is read by all connections`(isCached: Bool) throws {
    try run(isCached: isCached) { simulation, source, reader async throws in
      #expect(try await reader.isRight(0..<100))
      let began = simulation.time.now
      let range = (8 << 20) + 1000..<(15 << 20) + 500
      #expect(try await reader.isRight(range))
      #expect(source.mostReadsUnderWay == 6)
      // Blocks are not cut, and each part is about as long as the others.
      let parts = source.reads.dropFirst().sorted { $0.lowerBound < $1.lowerBound }
      #expect(parts.first?.lowerBound == range.lowerBound && parts.last?.upperBound == range.upperBound)
      #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
      #expect(parts.dropFirst().allSatisfy { $0.lowerBound % 65_536 == 0 })
      let seconds = began.duration(to: simulation.time.now) / .seconds(1)
      #expect(seconds < 0.1, "one connection takes 0.38 s, and this took \(seconds)")
    }
  }

  @Test func `not while its rate is a guess, nor a short one`() throws {
    try run { _, source, reader async throws in
      #expect(try await reader.isRight(0..<4 << 20))
      #expect(try await reader.isRight(8 << 20..<10 << 20 - 1))
      #expect(source.reads == [0..<4 << 20, 8 << 20..<10 << 20 - 1])
    }
  }

  @Test func `not while others read`() throws {
    try run { simulation, source, reader in
      #expect(try await reader.isRight(0..<100))
      let first = simulation.start { try await reader.isRight(1 << 20..<5 << 20) }
      try await simulation.clock.sleep(for: .milliseconds(1))
      #expect(try await reader.isRight(8 << 20..<12 << 20))
      #expect(try await first.value)
      #expect(source.reads.filter { $0.lowerBound >= 8 << 20 } == [8 << 20..<12 << 20])
      #expect(source.reads.count == 6)
    }
  }
}
