import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What is read ahead stays in the cache until its reader has passed it, within a quarter of the cache.
struct ReadAheadRoomTests {
  /// What streams of a source far away do to it and to a cache.
  struct Outcome {
    var seconds = 0.0
    /// The bytes that were fetched, and those that were streamed.
    var fetched = 0
    var streamed = 0
    /// Hits of the hot reads beside, and all of them.
    var hits = 0
    var hotReads = 0

    var excess: Double { Double(fetched) / Double(streamed) }
    var hitRatio: Double { Double(hits) / Double(max(1, hotReads)) }
  }

  /// Reads a source by streams, each of a part of its own, over eight connections.
  private static func stream(
    _ byteCount: Int, by streams: Int, cache: Int, milliseconds: Int = 150, rate: Double = 20e6, isHotBeside: Bool = false,
    seed: UInt64 = 1
  ) throws -> Outcome {
    try Simulation.run(seed: seed) { simulation in
      let source = MeasuringSource(
        byteCount: byteCount * streams, stating: .init(latency: .milliseconds(50), bytesPerSecond: 25e6),
        costing: .init(latency: .milliseconds(milliseconds), bytesPerSecond: rate), time: simulation.time)
      let store = MemoryStore(limit: .bytes(cache))
      let reader = try await RangeReader(
        source, [
          .readAhead(budget: .init(.mebibytes(64))), .caching(store, fill: .automatic), .merging(maxConcurrentSpans: 8),
          .limiting(maxConcurrentReads: 8),
        ], configuration: simulation.configuration)
      let start = simulation.clock.now
      let tasks = (0..<streams).map { number in
        simulation.start {
          var position = number * byteCount
          for try await piece in reader.stream(position..<position + byteCount) { position += piece.count }
          return position == (number + 1) * byteCount
        }
      }
      let isOver = Locked(false)
      let hot = simulation.start { () -> (Int, Int) in
        guard isHotBeside else { return (0, 0) }
        return try await readHot(cache / 2, store, simulation) { isOver.withLock { $0 } }
      }
      for task in tasks { #expect(try await task.value) }
      let time = start.duration(to: simulation.clock.now)
      isOver.withLock { $0 = true }
      let (hits, hotReads) = try await hot.value
      await reader.close()
      return Outcome(
        seconds: Double(time.nanoseconds) / 1e9, fetched: source.reads.reduce(0) { $0 + $1.count },
        streamed: byteCount * streams, hits: hits, hotReads: hotReads)
    }
  }

  /// Reads blocks of another source at random through the same cache, most often the first of them.
  private static func readHot(
    _ byteCount: Int, _ store: MemoryStore, _ simulation: Simulation, until isOver: () -> Bool
  ) async throws -> (hits: Int, reads: Int) {
    let source = SyntheticSource(
      byteCount: byteCount, id: "hot", latency: .milliseconds(1), bytesPerSecond: 1e9, time: simulation.time)
    let reader = try await RangeReader(source, [.caching(store)], configuration: simulation.configuration)
    var random = TestRandom(7)
    var (hits, reads) = (0, 0)
    while !isOver() {
      let block = random.below(random.below(byteCount >> 16) + 1)
      let before = source.readCount
      _ = try await reader.read(block << 16..<block << 16 + 4096)
      if source.readCount == before { hits += 1 }
      reads += 1
      try await simulation.time.sleep(for: .milliseconds(2))
    }
    await reader.close()
    return (hits, reads)
  }

  @Test func `figures`() throws {
    for rate in [20e6, 200e6] {
      for cache in [16, 32, 128, 256] {
        for streams in [1, 2, 4] {
          for isHot in [false, true] {
            let size = (256 << 20) / streams
            let outcome = try Self.stream(
              size, by: streams, cache: cache << 20, rate: rate, isHotBeside: isHot)
            let least = 0.15 + Double(size * streams) / (8 * rate)
            print(
              "\(Int(rate / 1e6)) MB/s, cache \(cache), \(streams) streams\(isHot ? ", hot" : ""): \(outcome.seconds / least) of the least time, fetched \(outcome.excess), hits \(outcome.hitRatio) of \(outcome.hotReads)"
            )
          }
        }
      }
    }
  }
}
