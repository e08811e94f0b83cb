import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Random streams and reads through small caches, which seek, are cancelled, and whose readers are closed.
struct ReadAheadModelTests {
  private static let byteCount = 16 << 20

  @Test func `every byte is right, and nothing is held when all have ended`() throws {
    var peak = 0
    for seed in UInt64(0)..<24 { peak = max(peak, try Self.run(seed)) }
    print("seeds 0 to 23: at most \(peak) blocks were held at once")
    #expect(peak > 10)
  }

  /// Returns the most blocks that were held, as far as was looked.
  private static func run(_ seed: UInt64) throws -> Int {
    try Simulation.run(seed: seed) { simulation in
      var random = TestRandom(seed &* 7919 &+ 3)
      let store = MemoryStore(limit: .kibibytes(256 << random.below(6)))
      let budget = ReadAheadBudget(.mebibytes(1 + random.below(16)))
      var readers: [RangeReader] = []
      for number in 0..<3 {
        let source = MeasuringSource(
          byteCount: byteCount, stating: .init(latency: .milliseconds(50), bytesPerSecond: 25e6),
          costing: .init(latency: .milliseconds(1 + random.below(200)), bytesPerSecond: 20e6),
          id: "source \(number % 2)",
          time: simulation.time)
        let fill: ReadPipeline.CacheFill = random.below(2) == 0 ? .automatic : .exact
        readers.append(
          try await RangeReader(
            source,
            [.readAhead(budget: budget), .caching(store, fill: fill), .merging(), .limiting(maxConcurrentReads: 8)],
            configuration: simulation.configuration))
      }
      let most = Noted<Int>()
      let tasks = (0..<6).map { number in
        let own = SeededGenerator.mix(seed << 8 + UInt64(number))
        return simulation.start {
          [reader = readers[number % 3]] in
          try await use(reader, TestRandom(own)) { most.add(store.chunksAhead) }
        }
      }
      for task in tasks where random.below(4) == 0 {
        try await simulation.time.sleep(for: .milliseconds(random.below(900)))
        task.cancel()
      }
      if random.below(3) == 0 {
        try await simulation.time.sleep(for: .milliseconds(random.below(2000)))
        await readers[2].close()
      }
      if random.below(4) == 0 { try await store.resize(to: .kibibytes(256)) }
      if random.below(4) == 0 { store.remove(0..<byteCount / 2, of: readers[0].source) }
      for task in tasks {
        // A cancelled one, or one whose reader is closed, has read right until then.
        do { try await task.value } catch is CancellationError {} catch let error as ReadError
          where error.code == .closed
        {}
      }
      // Nothing is on its way, and no stream is left.
      try await simulation.time.sleep(for: .seconds(5))
      for reader in readers { await reader.close() }
      let recount = MemoryRecount(store)
      #expect(recount.faults.isEmpty, "seed \(seed)")
      #expect(store.chunksAhead == 0 && store.ahead.bytes == 0 && budget.bytes == 0, "seed \(seed)")
      #expect(store.counts().bytes == recount.bytes && store.counts().reservedBytes == 0, "seed \(seed)")
      return most.all.max() ?? 0
    }
  }

  /// Streams and reads for a while. Some streams are left early.
  private static func use(_ reader: RangeReader, _ seeded: TestRandom, _ look: @Sendable () -> Void) async throws {
    var random = seeded
    for _ in 0..<4 {
      let start = random.below(byteCount)
      let end = min(byteCount, start + 1 + random.below(4 << 20))
      var position = start
      let most = random.below(3) == 0 ? start + random.below(end - start) : end
      for try await piece in reader.stream(start..<end) {
        check(piece, at: position)
        position += piece.count
        look()
        if position > most { break }
      }
      #expect(position == end || position > most)
      for _ in 0..<random.below(20) {
        let offset = random.below(byteCount - 100_000)
        check(try await reader.read(offset..<offset + 1 + random.below(100_000)), at: offset)
      }
    }
  }

  /// Some of the bytes, since making all to compare takes long.
  private static func check(_ bytes: Bytes, at offset: Int) {
    for part in [0..<min(64, bytes.count), max(0, bytes.count - 64)..<bytes.count] {
      #expect(bytes.slice(part) == SyntheticSource.bytes(offset + part.lowerBound..<offset + part.upperBound))
    }
  }
}
