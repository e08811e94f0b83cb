import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// A thousand ranges of 4 KiB within 64 MiB, 20 ms away.
struct MergingCostTests {
  private static let size = 64 << 20
  private static let latency = 0.02

  /// A page in each of a thousand places, in no order: none touches another.
  private static func ranges(_ seed: UInt64) -> [ByteRange] {
    var random = TestRandom(seed)
    let pages = Array(0..<size / 8192).shuffled(using: &random).prefix(1000)
    return pages.map { $0 * 8192..<$0 * 8192 + 4096 }
  }

  private static func source(_ rate: Double, _ simulation: Simulation) -> SyntheticSource {
    SyntheticSource(
      byteCount: size, latency: .seconds(latency), bytesPerSecond: rate, sharesBandwidth: true, time: simulation.time)
  }

  enum Above: CaseIterable { case nothing, caching }

  private static func pipeline(
    _ above: Above, _ merging: ReadPipeline, _ notes: Noted<NotingStage.Seen>
  ) -> ReadPipeline {
    [
      above == .caching ? .caching(MemoryStore(limit: .mebibytes(256)), fill: .exact) : [], merging,
      .stage(NotingStage(name: "below", notes: notes)),
    ]
  }

  /// What the reads cost, in bytes, and what the best would.
  private static func compare(_ reads: [ByteRange], _ ranges: [ByteRange], _ rate: Double) -> (cost: Int, least: Int) {
    let gap = Int(latency * rate)
    return (
      SpanCost.of(reads, gap: gap), SpanCost.least(SpanCost.pieces(of: ranges), gap: gap, longest: 32 << 20)
    )
  }

  /// Two with which the first of eight reads that shared the rate was once taken for a long latency, and others.
  private static let seeds = [345, 15_610_925_849_622_717_927] + testSeeds.suffix(2)

  @Test(arguments: [1e6, 10e6, 100e6, 1e9], Above.allCases)
  func `they cost no more than the best spans do`(rate: Double, above: Above) throws {
    for seed in Self.seeds {
      try Simulation.run(seed: seed) { simulation in
        let ranges = Self.ranges(seed)
        let source = Self.source(rate, simulation)
        let notes = Noted<NotingStage.Seen>()
        let merging: ReadPipeline = .merging()
        let reader = try await RangeReader(
          source, Self.pipeline(above, merging, notes), configuration: simulation.configuration)
        let answers = try await reader.read(ranges)
        let (cost, least) = Self.compare(notes.all.map(\.range), ranges, rate)
        #expect(Double(cost) <= 1.2 * Double(least), "seed \(seed)")
        #expect(source.readCount == notes.all.count)
        #expect(source.mostReadsUnderWay <= 8)

        // The same as a thousand reads.
        let single = try await RangeReader(
          SyntheticSource(byteCount: Self.size), configuration: simulation.configuration)
        for (range, bytes) in zip(ranges, answers) { #expect(try await single.read(range) == bytes, "seed \(seed)") }
      }
    }
  }

  @Test(arguments: [1e6, 10e6, 100e6]) func `nor where the source says nothing of what it costs`(rate: Double) throws {
    for seed in testSeeds.suffix(2) {
      try Simulation.run(seed: seed) { simulation in
        let notes = Noted<NotingStage.Seen>()
        let reader = try await RangeReader(
          Misdescribed(Self.source(rate, simulation)), [.merging(), .stage(NotingStage(name: "below", notes: notes))],
          configuration: simulation.configuration
        )
        var random = TestRandom(seed)
        for _ in 0..<40 { _ = try await reader.read(0..<1 + random.below(1 << 20)) }
        let before = notes.all.count
        let ranges = Self.ranges(seed)
        #expect(try await reader.read(ranges) == ranges.map { SyntheticSource.bytes($0) })
        let (cost, least) = Self.compare(notes.all.dropFirst(before).map(\.range), ranges, rate)
        #expect(Double(cost) <= 1.2 * Double(least), "seed \(seed)")
      }
    }
  }

  @Test(arguments: Above.allCases) func `merging without a gap means a thousand reads`(above: Above) throws {
    try Simulation.run(seed: 1) { simulation in
      let ranges = Self.ranges(1)
      let source = Self.source(100e6, simulation)
      let notes = Noted<NotingStage.Seen>()
      let merging: ReadPipeline = .merging(maxGap: .bytes(0))
      let reader = try await RangeReader(
        source, Self.pipeline(above, merging, notes), configuration: simulation.configuration)
      #expect(try await reader.read(ranges) == ranges.map { SyntheticSource.bytes($0) })
      #expect(source.readCount == 1000)
      #expect(source.bytesRead == 4_096_000)
      #expect(source.mostReadsUnderWay == 8)
      try await allPermitsAreBack(merging)
    }
  }
}
