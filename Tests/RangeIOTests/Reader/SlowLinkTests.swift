import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Streams over a link that all their windows share, on a clock that a simulation moves.
struct SlowLinkTests {
  private typealias Arrival = (time: Duration, byteCount: Int)

  /// Streams a source over a link of `rate` bytes a second and 40 ms.
  ///
  /// - Returns: when each piece came, and what was asked for.
  private func stream(
    _ byteCount: Int, _ rate: Double, _ stages: @escaping @Sendable () -> ReadPipeline
  ) throws -> (arrivals: [Arrival], reads: [ByteRange]) {
    try Simulation.run(seed: 1) { simulation in
      let stated = SourceDescription.Cost(latency: .milliseconds(50), bytesPerSecond: 25e6)
      let source = MeasuringSource(
        byteCount: byteCount, stating: stated, costing: .init(latency: .milliseconds(40), bytesPerSecond: rate),
        sharesBandwidth: true, time: simulation.time)
      let reader = try await RangeReader(source, stages(), configuration: simulation.configuration)
      var arrivals: [Arrival] = []
      var offset = 0
      for try await piece in reader.stream(chunkSize: .kibibytes(64)) {
        #expect(piece == SyntheticSource.bytes(offset..<offset + piece.count))
        offset += piece.count
        arrivals.append((simulation.clock.now.offset, offset))
      }
      #expect(offset == byteCount)
      await reader.close()
      return (arrivals, source.reads)
    }
  }

  private static let pipelines: [(name: String, stages: @Sendable () -> ReadPipeline)] = [
    ("alone", { [.limiting(maxConcurrentReads: 8)] }),
    ("cached", { .remoteObject(cache: MemoryStore(limit: .mebibytes(64))) }),
  ]

  @Test(arguments: [30, 60, 160, 300], [0, 1]) func `windows that share a slow link arrive one after the other`(
    kibibytes: Int, number: Int
  ) throws {
    let rate = Double(kibibytes) * 1024
    let (arrivals, reads) = try stream(8 << 20, rate, Self.pipelines[number].stages)
    let name = Self.pipelines[number].name
    let total = Duration.seconds(Double(8 << 20) / rate)
    let last = try #require(arrivals.last?.time)
    #expect(last <= total * 1.1, "\(name): \(last)")
    // Nothing is read twice.
    #expect(reads.reduce(0) { $0 + $1.count } == 8 << 20, "\(name)")
    // Half of the time brings half of the bytes, or nearly; what is read ahead before the rate is known comes at once.
    let half = try #require(arrivals.last { $0.time <= total / 2 })
    #expect(half.byteCount >= 5 << 19, "\(name): \(half)")
    if number == 0 {
      #expect(try #require(arrivals.first?.time) < .seconds(3), "\(name)")
    }
    #expect(reads.suffix(4).allSatisfy { $0.count <= max(131_072, Int(4 * rate)) }, "\(name): \(reads.suffix(4))")
  }

  @Test(arguments: [2e6, 25e6, 1e9], [0, 1]) func `over a quick link they are as long as before, and lose nothing`(
    rate: Double, number: Int
  ) throws {
    let (arrivals, reads) = try stream(64 << 20, rate, Self.pipelines[number].stages)
    let last = try #require(arrivals.last?.time)
    // Two round trips, and windows that begin small.
    #expect(last <= .seconds(Double(64 << 20) / rate) * 1.05 + .milliseconds(number == 0 ? 700 : 400))
    #expect(reads.dropFirst(12).contains { $0.count >= (rate > 1e7 ? 1 << 20 : 1 << 18) }, "\(reads.map(\.count))")
  }
}
