import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Reading ahead of a source with latency and one link, on a clock that a simulation moves.
struct ReadAheadTests {
  private static let rate = 200e6

  private static func source(_ simulation: Simulation, _ byteCount: Int, id: String = "far") -> SyntheticSource {
    SyntheticSource(
      byteCount: byteCount, id: id, latency: .milliseconds(20), bytesPerSecond: rate, sharesBandwidth: true,
      time: simulation.time)
  }

  /// With a budget of its own: readers of other tests would take of the one that the process shares, and have it give up.
  private static func readAhead() -> ReadPipeline { ReadPipeline.readAhead(budget: .init(.mebibytes(64))) }

  private static func count(_ name: String, _ stage: ReadPipeline) -> Int { stage.statistics()![name]! }

  // MARK: how far

  @Test func `it reads four times ahead what a wait could bring, within bounds, whatever a source says it costs`() {
    let costs: [(Duration, Double, Int)] = [
      (.milliseconds(20), 200e6, 16_000_000), (.zero, 1e9, 2 << 20), (.seconds(10), 1e9, 32 << 20),
      (.zero, .infinity, 2 << 20), (.seconds(1), .infinity, 32 << 20), (.seconds(-1), .infinity, 2 << 20),
      (.seconds(1), -.infinity, 2 << 20), (.seconds(1), .nan, 2 << 20), (.seconds(1), 0, 2 << 20),
    ]
    for (latency, rate, longest) in costs {
      #expect(
        ReadAheadExtent.adaptive.longest(for: SourceDescription.Cost(latency: latency, bytesPerSecond: rate))
          == longest)
    }
  }

  @Test func `what is measured counts, over several connections, and of a slow link what comes in eight seconds`() {
    let stated = SourceDescription.Cost(latency: .milliseconds(50), bytesPerSecond: 25e6)
    let cases =
      [
        (25e6, 50_000_000), (5e6, 10_000_000), (4e6, 8 << 20), (300_000, 2_400_000), (10_000, 128 << 10),
        (.infinity, 64 << 20),
      ] as [(Double, Int)]
    for (rate, longest) in cases {
      for isGuess in [false, true] {
        let measured = SourceDescription.Measurement(
          .init(latency: .milliseconds(50), bytesPerSecond: rate), isGuess: isGuess)
        #expect(
          ReadAheadExtent.adaptive.longest(for: stated, measured: measured) == (isGuess ? 5_000_000 : longest))
        // Where it may be evicted before it is read.
        #expect(
          ReadAheadExtent.adaptive.longest(for: stated, measured: measured, isHeld: false)
            == (isGuess ? 5_000_000 : min(longest, 16 << 20)))
      }
    }
  }

  // MARK: what it gains

  @Test func `a scan gets nearly all of the bandwidth`() throws {
    let byteCount = 3 << 30
    let (seconds, wasted, read) = try Simulation.run(seed: 1) { simulation in
      let (source, stage) = (Self.source(simulation, byteCount), Self.readAhead())
      let reader = try await RangeReader(
        source, [stage, .caching(MemoryStore(limit: .mebibytes(256)))], configuration: simulation.configuration)
      let start = simulation.clock.now
      for piece in stride(from: 0, to: byteCount, by: 1 << 20) {
        let bytes = try await reader.read(piece..<piece + 1 << 20)
        // Some of it, since making a gigabyte to compare takes long.
        let sample = piece..<piece + 4096
        #expect(bytes.slice(0..<4096) == source.expected(sample))
      }
      let time = start.duration(to: simulation.clock.now)
      await reader.close()
      return (Double(time.nanoseconds) / 1e9, stage.statistics()!.wastedBytes, source.bytesRead)
    }
    let best = Double(byteCount) / Self.rate
    print("a scan of \(byteCount) bytes: \(best / seconds) of the bandwidth")
    #expect(best / seconds >= 0.95)
    #expect(wasted == 0)
    #expect(read == byteCount)
  }

  @Test func `of a range that is streamed nothing is read beyond its end`() throws {
    try Simulation.run(seed: 3) { simulation in
      let (source, stage) = (Self.source(simulation, 1 << 30), Self.readAhead())
      let reader = try await RangeReader(
        source, [stage, .caching(MemoryStore(limit: .mebibytes(256)), fill: .exact)],
        configuration: simulation.configuration)
      let snapshot = try await reader.snapshot()
      var asked = 0
      for (place, isOfSnapshot) in [(5_000_001, false), (300_000_000, true), (17, false), (700_000_000, true)] {
        let range = place..<place + 4_500_000
        var position = place
        for try await piece in isOfSnapshot ? snapshot.stream(range) : reader.stream(range) {
          // Some of it, since making megabytes to compare takes long.
          let count = min(64, piece.count)
          #expect(piece.slice(0..<count) == source.expected(position..<position + count))
          position += piece.count
        }
        #expect(position == range.upperBound)
        asked += range.count
      }
      #expect(source.bytesRead == asked)
      #expect(Self.count("bytes asked for", stage) > asked / 2)
      await reader.close()
    }
  }

  @Test(arguments: [20, 150]) func `a stream of a source that measures keeps eight connections busy`(
    _ milliseconds: Int
  ) throws {
    let (byteCount, rate) = (128 << 20, 20e6)
    let (seconds, atOnce, reads) = try Simulation.run(seed: 4) { simulation in
      let source = MeasuringSource(
        byteCount: byteCount, stating: .init(latency: .milliseconds(50), bytesPerSecond: 25e6),
        costing: .init(latency: .milliseconds(milliseconds), bytesPerSecond: rate), time: simulation.time)
      let reader = try await RangeReader(
        source, [Self.readAhead(), .caching(MemoryStore(limit: .mebibytes(256))), .merging()],
        configuration: simulation.configuration)
      let start = simulation.clock.now
      var position = 0
      for try await piece in reader.stream() { position += piece.count }
      #expect(position == byteCount)
      let time = start.duration(to: simulation.clock.now)
      await reader.close()
      return (Double(time.nanoseconds) / 1e9, source.mostReadsUnderWay, source.reads)
    }
    let least = Double(milliseconds) / 1e3 + Double(byteCount) / (8 * rate)
    print("a stream over \(milliseconds) ms takes \(seconds / least) of the least time, \(atOnce) requests at once")
    #expect(seconds < (milliseconds == 20 ? 1.1 : 1.9) * least)
    #expect(reads.reduce(0) { $0 + $1.count } == byteCount)
    // Most pieces are an eighth of the window, in blocks, which is what eight connections send in five times the wait, or a
    // quarter of the cache.
    let window = min(Int(rate) * 8 * 5 * milliseconds / 1000, 64 << 20)
    let pieces = reads.count { $0.count == (window / 8) & ~0xFFFF }
    #expect(pieces * window / 8 > byteCount / 2, "\(pieces) of \(reads.map(\.count))")
  }

  @Test func `random reads waste hardly a byte`() throws {
    func bytesRead(_ isAhead: Bool) throws -> Int {
      try Simulation.run(seed: 2) { simulation in
        let source = Self.source(simulation, 1 << 30)
        let pipeline: ReadPipeline = [isAhead ? Self.readAhead() : [], .caching(MemoryStore(limit: .mebibytes(16)))]
        let reader = try await RangeReader(source, pipeline, configuration: simulation.configuration)
        var random = TestRandom(11)
        for _ in 0..<3000 {
          let place = random.below(1 << 30 - 4096)
          let range = place..<place + 4096
          #expect(try await reader.read(range) == source.expected(range))
        }
        await reader.close()
        return source.bytesRead
      }
    }
    let (without, with) = (try bytesRead(false), try bytesRead(true))
    print("random reads: \(with) bytes with reading ahead, \(without) without")
    #expect(Double(with) <= Double(without) * 1.05)
  }

  @Test func `two scans and a strided run, interleaved, each get their window`() throws {
    let (seconds, asked) = try Simulation.run(seed: 3) { simulation in
      let (source, stage) = (Self.source(simulation, 1 << 30), Self.readAhead())
      let reader = try await RangeReader(
        source, [stage, .caching(MemoryStore(limit: .mebibytes(256)), blockSize: .kibibytes(16))],
        configuration: simulation.configuration)
      let start = simulation.clock.now
      for step in 0..<500 {
        let (first, second, strided) = (step << 16, 256 << 20 + step << 16, 512 << 20 + step << 19)
        for range in [first..<first + 65_536, second..<second + 65_536, strided..<strided + 4096] {
          #expect(try await reader.read(range) == source.expected(range))
        }
      }
      let time = start.duration(to: simulation.clock.now)
      await reader.close()
      return (Double(time.nanoseconds) / 1e9, Self.count("runs", stage))
    }
    print("three runs: \(seconds) s, \(asked) noticed")
    #expect(asked == 3)
    // Without, 1,500 reads take 20 ms each.
    #expect(seconds < 1500 * 0.020 / 10)
  }

  /// Of some pieces the last byte lies in what is skipped, and of others all.
  @Test(arguments: [(96 << 10, 100 << 10), (64 << 10, 100 << 10), (256 << 10, 400 << 10)])
  func `what a reader skips does not fill the budget`(_ count: Int, _ step: Int) throws {
    let (seconds, held) = try Simulation.run(seed: 17) { simulation in
      let source = Self.source(simulation, 2 << 30)
      let budget = ReadAheadBudget(.mebibytes(4))
      let reader = try await RangeReader(
        source, [.readAhead(budget: budget), .caching(MemoryStore(limit: .mebibytes(256)))],
        configuration: simulation.configuration)
      let start = simulation.clock.now
      for number in 0..<3000 { _ = try await reader.read(number * step..<number * step + count) }
      let time = start.duration(to: simulation.clock.now)
      let held = budget.bytes
      await reader.close()
      return (Double(time.nanoseconds) / 1e9, held)
    }
    print("3000 reads of \(count) in \(step) bytes take \(seconds) s, and \(held) bytes are ahead")
    // Each waits for 20 ms if nothing is read ahead, and for its bytes.
    #expect(seconds < 3000 * (0.020 + Double(step) / Self.rate) / 3)
  }

  @Test func `a thousand readers stay within the one budget`() throws {
    let limit = 16 << 20
    try Simulation.run(seed: 4) { simulation in
      let budget = ReadAheadBudget(.bytes(limit))
      let store = MemoryStore(limit: .mebibytes(128))
      let tasks = (0..<1000).map { number in
        simulation.start {
          let source = Self.source(simulation, 4 << 20, id: "source \(number)")
          let reader = try await RangeReader(
            source, [.readAhead(budget: budget), .caching(store)], configuration: simulation.configuration)
          for step in 0..<24 {
            let range = step << 14..<(step + 1) << 14
            guard try await reader.read(range) == source.expected(range) else { return false }
          }
          await reader.close()
          return true
        }
      }
      for task in tasks {
        let isRight = try await task.value
        #expect(isRight)
      }
      #expect(budget.peakBytes <= limit)
      #expect(budget.peakBytes > limit / 2)
      #expect(budget.bytes == 0)
    }
  }

  // MARK: what it leaves alone

  @Test func `what is cached is not asked for again`() throws {
    try Simulation.run(seed: 5) { simulation in
      let (source, stage) = (Self.source(simulation, 8 << 20), Self.readAhead())
      let reader = try await RangeReader(
        source, [stage, .caching(MemoryStore(limit: .mebibytes(64)))], configuration: simulation.configuration)
      _ = try await reader.read(0..<8 << 20)
      let before = source.bytesRead
      for step in 0..<128 { _ = try await reader.read(step << 16..<(step + 1) << 16) }
      await reader.close()
      #expect(source.bytesRead == before)
      #expect(Self.count("bytes asked for", stage) == 0)
    }
  }

  @Test func `nothing is read twice`() throws {
    for seed in UInt64(0)..<20 {
      try Simulation.run(seed: seed) { simulation in
        let source = Self.source(simulation, 16 << 20)
        let reader = try await RangeReader(
          source, [Self.readAhead(), .caching(MemoryStore(limit: .mebibytes(64)))],
          configuration: simulation.configuration)
        for piece in stride(from: 0, to: 16 << 20, by: 100_000) {
          let range = piece..<min(16 << 20, piece + 100_000)
          #expect(try await reader.read(range) == source.expected(range))
        }
        await reader.close()
        #expect(source.bytesRead == 16 << 20)
      }
    }
  }

  @Test func `a failing source fails no read that would not have failed, and the budget comes back`() throws {
    for seed in UInt64(0)..<50 {
      try Simulation.run(seed: seed) { simulation in
        let source = Self.source(simulation, 8 << 20)
        let faulty = FaultySource(source) { number, _ in
          SeededGenerator.mix(seed << 32 + UInt64(number)) % 5 == 0
            ? .fail(ReadError(.inputOutput, "made up", isTransient: true)) : nil
        }
        let budget = ReadAheadBudget(.mebibytes(4))
        let reader = try await RangeReader(
          faulty, [.readAhead(budget: budget), .caching(MemoryStore(limit: .mebibytes(64)))],
          configuration: simulation.configuration)
        for piece in stride(from: 0, to: 8 << 20, by: 1 << 16) {
          let range = piece..<piece + 1 << 16
          var bytes: Bytes?
          while bytes == nil { bytes = try? await reader.read(range) }
          #expect(bytes == source.expected(range))
        }
        await reader.close()
        #expect(budget.bytes == 0)
      }
    }
  }

  @Test func `closing gives up what is on its way`() throws {
    try Simulation.run(seed: 6) { simulation in
      let source = Self.source(simulation, 1 << 30)
      let budget = ReadAheadBudget(.mebibytes(64))
      let reader = try await RangeReader(
        source, [.readAhead(budget: budget), .caching(MemoryStore(limit: .mebibytes(64)))],
        configuration: simulation.configuration)
      for step in 0..<20 { _ = try await reader.read(step << 16..<(step + 1) << 16) }
      #expect(budget.bytes > 0)
      let start = simulation.clock.now
      await reader.close()
      #expect(budget.bytes == 0)
      #expect(start.duration(to: simulation.clock.now) < .milliseconds(40))
    }
  }

  @Test func `without a cache below it is refused`() async throws {
    for pipeline: ReadPipeline in [.readAhead(), [.caching(MemoryStore(limit: .mebibytes(1))), .readAhead()]] {
      let error = await #expect(throws: ReadError.self) {
        _ = try await RangeReader(SyntheticSource(byteCount: 100), pipeline)
      }
      #expect(error?.code == .invalidConfiguration)
    }
  }

  // MARK: the budget

  @Test func `what has ended holds nothing of the budget, and delays no other run`() throws {
    try Simulation.run(seed: 12) { simulation in
      let budget = ReadAheadBudget(.mebibytes(1))
      // Its stage remembers other sources instead, just when a read has noticed a run.
      let ended = ReadAheadReads(budget, ReadAheadCounters())
      ended.end()
      #expect(ended.begin([0..<4096]) == nil)
      #expect(budget.bytes == 0)
      // One that was dropped and never gave back: whoever is asked next is one that is there.
      let idle = ReadAheadReads(budget, ReadAheadCounters())
      do {
        let lost = Dropped()
        #expect(budget.take(100_000, for: lost))
      }
      #expect(idle.begin([0..<100_000]) != nil)
      let other = ReadAheadReads(budget, ReadAheadCounters())
      for number in 0..<1000 where other.begin([number << 20..<number << 20 + 50_000]) != nil {}
      #expect(budget.bytes == 600_000, "those of the lost one, and ten of the other's: the idle one gave up")
      withExtendedLifetime(idle) {}
    }
  }

  private final class Dropped: ReadAheadHolder {
    func giveUp() {}
  }

  @Test func `many small hints are bounded as well`() throws {
    try Simulation.run(seed: 13) { simulation in
      let source = Self.source(simulation, 1 << 30)
      let budget = ReadAheadBudget(.mebibytes(1))
      let stage: ReadPipeline = .readAhead(budget: budget)
      let reader = try await RangeReader(
        source, [stage, .caching(MemoryStore(limit: .mebibytes(64)), fill: .exact, blockSize: .kibibytes(4))],
        configuration: simulation.configuration)
      for number in 0..<1000 { reader.advise(.willNeed, number * 100_000..<number * 100_000 + 100) }
      try await simulation.time.sleep(for: .seconds(1))
      #expect(source.readCount == 64, "as many as a piece of a 64th each")
      #expect(budget.bytes <= 1 << 20)
      await reader.close()
      #expect(budget.bytes == 0)
    }
  }

  @Test func `closing one of the readers that share it takes nothing from the others`() throws {
    try Simulation.run(seed: 14) { simulation in
      let store = MemoryStore(limit: .mebibytes(256))
      let stage: ReadPipeline = .readAhead(budget: ReadAheadBudget(.mebibytes(64)))
      let pipeline: ReadPipeline = [stage, .caching(store)]
      let source = Self.source(simulation, 1 << 30)
      let reader = try await RangeReader(source, pipeline, configuration: simulation.configuration)
      for step in 0..<200 {
        let short = try await RangeReader(
          Self.source(simulation, 1 << 20, id: "other"), pipeline, configuration: simulation.configuration)
        _ = try await reader.read(step << 18..<(step + 1) << 18)
        await short.close()
      }
      let statistics = stage.statistics()
      #expect(statistics?["runs"] == 1)
      #expect(statistics?.wastedBytes == 0)
      // One after the other they would take 4 s and the time of 50 MiB.
      #expect(simulation.clock.now.offset < .seconds(1))
      await reader.close()
    }
  }

  @Test func `a reader that is closed holds nothing in what others share with it`() throws {
    try Simulation.run(seed: 18) { simulation in
      let store = MemoryStore(limit: .mebibytes(256))
      let budget = ReadAheadBudget(.mebibytes(64))
      let pipeline: ReadPipeline = [.readAhead(budget: budget), .caching(store)]
      func open(_ id: String) async throws -> RangeReader {
        try await RangeReader(
          Self.source(simulation, 1 << 30, id: id), pipeline, configuration: simulation.configuration)
      }
      let other = try await open("other")
      for id in ["own", "other"] {
        let reader = try await open(id)
        for step in 0..<20 { _ = try await reader.read(step << 18..<(step + 1) << 18) }
        #expect(budget.bytes > 0 && store.ahead.bytes > 0)
        await reader.close()
        #expect(budget.bytes == 0 && store.ahead.bytes == 0, "\(id)")
      }
      await other.close()
    }
  }

  // MARK: hints

  @Test func `what will be read is fetched ahead, and used`() throws {
    try Simulation.run(seed: 7) { simulation in
      let (source, stage) = (Self.source(simulation, 1 << 30), Self.readAhead())
      let reader = try await RangeReader(
        source, [stage, .caching(MemoryStore(limit: .mebibytes(64)))], configuration: simulation.configuration)
      reader.advise(.willNeed, 500 << 20..<501 << 20)
      try await simulation.time.sleep(for: .milliseconds(100))
      let reads = source.readCount
      #expect(source.bytesRead == 1 << 20)
      let range = 500 << 20..<501 << 20
      #expect(try await reader.read(range) == source.expected(range))
      #expect(source.readCount == reads)
      #expect(Self.count("bytes used", stage) == 1 << 20)
      await reader.close()
    }
  }

  @Test func `of a small store a hint fetches what that keeps, with its bookkeeping`() throws {
    for limit in [1 << 20, 8 << 20, 16 << 20] {
      try Simulation.run(seed: 15) { simulation in
        let source = Self.source(simulation, 1 << 30)
        let store = MemoryStore(limit: .bytes(limit))
        let reader = try await RangeReader(source, [.caching(store)], configuration: simulation.configuration)
        // A half of it, and more than it can hold.
        for count in [limit / 2, limit * 2] {
          let begin = count << 4
          reader.advise(.willNeed, begin..<begin + count)
          try await simulation.time.sleep(for: .seconds(60))
          #expect(store.contains(begin..<begin + limit / 8, of: reader.source), "\(count) of \(limit)")
        }
        await reader.close()
      }
    }
  }

  @Test func `what is counted as cached is of what was asked for`() throws {
    try Simulation.run(seed: 16) { simulation in
      let (source, stage) = (Self.source(simulation, 1 << 30), Self.readAhead())
      let reader = try await RangeReader(
        source, [stage, .caching(MemoryStore(limit: .mebibytes(64)))], configuration: simulation.configuration)
      for step in 0..<100 {
        let range = step * 100_000..<(step + 1) * 100_000
        #expect(try await reader.read(range) == source.expected(range))
        #expect(Self.count("bytes cached already", stage) >= 0)
      }
      await reader.close()
    }
  }

  @Test(arguments: [false, true])
  func `of a hint as much is fetched as the cache keeps, and no more`(isCountedByReadAhead: Bool) throws {
    try Simulation.run(seed: 10) { simulation in
      let source = Self.source(simulation, 1 << 30)
      let store = MemoryStore(limit: .mebibytes(64))
      let notes = Noted<NotingStage.Seen>()
      let reader = try await RangeReader(
        source,
        [
          isCountedByReadAhead ? .readAhead(budget: ReadAheadBudget(.mebibytes(20))) : [], .caching(store),
          .stage(NotingStage(name: "source", notes: notes)),
        ], configuration: simulation.configuration)
      reader.advise(.willNeed, 100..<1 << 30)
      try await simulation.time.sleep(for: .seconds(60))
      // Parts of 8 MiB, of which the budget allows two; of the whole a half of the store.
      let count = isCountedByReadAhead ? 16 << 20 : 1 << 24 | 1 << 20
      #expect(source.bytesRead >= count && source.bytesRead <= 33 << 20, "\(source.bytesRead)")
      #expect(store.counts().bytes >= source.bytesRead)
      // Which of the parts come first is not said, but what was fetched is what is kept.
      let reads = source.readCount
      for range in notes.all.map(\.range) { #expect(try await reader.read(range) == source.expected(range)) }
      #expect(source.readCount == reads)
      await reader.close()
    }
  }

  @Test func `a hint is bounded also where a stage decodes, and by the upper of two caches`() throws {
    try Simulation.run(seed: 15) { simulation in
      let decoding: ReadPipeline = .decoding(name: "same", blockSize: .kibibytes(64)) { $1 }
      let pipelines: [ReadPipeline] = [
        [decoding, .caching(MemoryStore(limit: .mebibytes(64)))],
        [.caching(MemoryStore(limit: .mebibytes(64))), .caching(MemoryStore(limit: .kibibytes(256)))],
      ]
      for pipeline in pipelines {
        let source = Self.source(simulation, 1 << 30)
        let reader = try await RangeReader(source, pipeline, configuration: simulation.configuration)
        reader.advise(.willNeed, 0..<1 << 30)
        try await simulation.time.sleep(for: .seconds(60))
        #expect(source.bytesRead >= 16 << 20 && source.bytesRead <= 33 << 20, "\(source.bytesRead)")
        let before = source.bytesRead
        #expect(try await reader.read(1 << 20..<2 << 20) == source.expected(1 << 20..<2 << 20))
        #expect(source.bytesRead == before)
        await reader.close()
      }
    }
  }

  @Test func `what there is no room for is not read ahead, and read all the same`() throws {
    try Simulation.run(seed: 11) { simulation in
      let source = Self.source(simulation, 1 << 30)
      // Not one block of 64 KiB.
      let store = MemoryStore(limit: .kibibytes(16))
      let reader = try await RangeReader(source, [.caching(store)], configuration: simulation.configuration)
      reader.advise(.willNeed, 0..<1 << 20)
      try await simulation.time.sleep(for: .seconds(1))
      #expect(source.readCount == 0)
      #expect(try await reader.read(0..<100) == source.expected(0..<100))
      #expect(source.readCount == 1)
      await reader.close()
    }
  }

  @Test func `hints beyond the end, empty ones and those to a closed reader do nothing`() throws {
    try Simulation.run(seed: 8) { simulation in
      let source = Self.source(simulation, 1000)
      let reader = try await RangeReader(
        source, [.caching(MemoryStore(limit: .mebibytes(1)))], configuration: simulation.configuration)
      reader.advise(.willNeed, 2000..<3000)
      reader.advise(.willNeed, 5..<5)
      reader.advise(.willNeed, -10..<0)
      reader.advise(.dontNeed, -10..<5000)
      try await simulation.time.sleep(for: .seconds(1))
      #expect(source.readCount == 0)
      reader.advise(.willNeed, 900..<5000)
      try await simulation.time.sleep(for: .seconds(1))
      #expect(source.bytesRead == 1000)
      await reader.close()
      reader.advise(.willNeed, 0..<100)
      reader.advise(.dontNeed, 0..<100)
    }
  }

  @Test func `what will not be read again is dropped, and its neighbours stay`() throws {
    try Simulation.run(seed: 9) { simulation in
      let source = Self.source(simulation, 1 << 20)
      let store = MemoryStore(limit: .mebibytes(64))
      let reader = try await RangeReader(source, [.caching(store)], configuration: simulation.configuration)
      _ = try await reader.read(0..<1 << 20)
      reader.advise(.dontNeed, 100..<200_000)
      // Two whole blocks of 64 KiB lie within.
      #expect(store.counts().bytes < 15 << 16)
      let before = source.bytesRead
      #expect(try await reader.read(0..<65536) == source.expected(0..<65536))
      #expect(source.bytesRead == before)
      #expect(try await reader.read(65536..<131_072) == source.expected(65536..<131_072))
      #expect(source.bytesRead == before + 65536)
      await reader.close()
    }
  }
}
