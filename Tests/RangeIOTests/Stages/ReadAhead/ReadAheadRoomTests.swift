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
    /// Of the reads beside of blocks that were read before: those that hit, and all.
    var hits = 0
    var hotReads = 0

    var excess: Double { Double(fetched) / Double(streamed) }
    var hitRatio: Double { Double(hits) / Double(max(1, hotReads)) }
  }

  /// Reads a source by streams, each of a part of its own, over eight connections.
  static func stream(
    _ byteCount: Int, by streams: Int, _ store: MemoryStore, milliseconds: Int = 150, rate: Double = 20e6,
    isHotBeside: Bool = false
  ) throws -> Outcome {
    try Simulation.run(seed: 1) { simulation in
      let source = MeasuringSource(
        byteCount: streams << 30, stating: .init(latency: .milliseconds(50), bytesPerSecond: 25e6),
        costing: .init(latency: .milliseconds(milliseconds), bytesPerSecond: rate), time: simulation.time)
      let reader = try await RangeReader(
        source,
        [
          .readAhead(budget: .init(.mebibytes(64))), .caching(store, fill: .automatic),
          .merging(maxConcurrentSpans: 8), .limiting(maxConcurrentReads: 8),
        ], configuration: simulation.configuration)
      let start = simulation.clock.now
      let tasks = (0..<streams).map { number in
        simulation.start {
          var position = number << 30
          for try await piece in reader.stream(position..<position + byteCount) { position += piece.count }
          return position == number << 30 + byteCount
        }
      }
      let isOver = Locked(false)
      let hot = simulation.start { () -> (Int, Int) in
        guard isHotBeside else { return (0, 0) }
        return try await readHot(store.counts().limit / 2, store, simulation) { isOver.withLock { $0 } }
      }
      for task in tasks { #expect(try await task.value) }
      let time = start.duration(to: simulation.clock.now)
      isOver.withLock { $0 = true }
      let (hits, hotReads) = try await hot.value
      #expect(store.ahead.bytes == 0)
      #expect(store.chunksAhead == 0)
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
    var (hits, reads, seen) = (0, 0, Set<Int>())
    while !isOver() {
      let block = random.below(random.below(byteCount >> 16) + 1)
      let before = source.readCount
      _ = try await reader.read(block << 16..<block << 16 + 4096)
      if !seen.insert(block).inserted {
        reads += 1
        if source.readCount == before { hits += 1 }
      }
      try await simulation.time.sleep(for: .milliseconds(2))
    }
    await reader.close()
    return (hits, reads)
  }

  // MARK: streams

  /// A stream begins before its source has measured anything, when what is merged brings up to a mebibyte twice: a 24th of each of
  /// four streams. In 16 MiB their windows alone are 20.
  @Test(arguments: [16, 32, 128])
  func `hardly a byte of a stream is fetched twice, in a cache of any size`(mebibytes: Int) throws {
    for (rate, streams) in [(20e6, 1), (20e6, 2), (20e6, 4), (200e6, 1), (200e6, 4)] {
      let byteCount = (mebibytes == 128 ? 256 << 20 : 96 << 20) / streams
      for isHotBeside in [false, true] {
        let store = MemoryStore(limit: .mebibytes(mebibytes))
        let outcome = try Self.stream(byteCount, by: streams, store, rate: rate, isHotBeside: isHotBeside)
        let least = 0.15 + Double(byteCount * streams) / (8 * rate)
        print(
          "\(streams) streams at \(Int(rate / 1e6)) MB/s in \(mebibytes) MiB: \(outcome.seconds / least) of the least",
          "time, \(outcome.excess) of the bytes, hits beside \(outcome.hitRatio) of \(outcome.hotReads)")
        #expect(outcome.excess <= (streams < 4 || mebibytes > 16 ? 1.02 : 1.08))
        #expect(store.ahead.peakBytes <= mebibytes << 18)
      }
    }
  }

  @Test func `two streams of the same bytes fetch them once`() throws {
    try Simulation.run(seed: 2) { simulation in
      let byteCount = 64 << 20
      let source = MeasuringSource(
        byteCount: byteCount, stating: .init(latency: .milliseconds(50), bytesPerSecond: 25e6),
        costing: .init(latency: .milliseconds(150), bytesPerSecond: 20e6), time: simulation.time)
      let store = MemoryStore(limit: .mebibytes(32))
      let readers = [
        try await RangeReader(
          source, [.readAhead(budget: .init(.mebibytes(64))), .caching(store)],
          configuration: simulation.configuration),
        try await RangeReader(
          source, [.readAhead(budget: .init(.mebibytes(64))), .caching(store)],
          configuration: simulation.configuration),
      ]
      let tasks = readers.map { reader in
        simulation.start {
          var count = 0
          for try await piece in reader.stream() { count += piece.count }
          return count
        }
      }
      for task in tasks { #expect(try await task.value == byteCount) }
      for reader in readers { await reader.close() }
      #expect(source.reads.reduce(0) { $0 + $1.count } <= byteCount / 50 * 51)
      #expect(store.chunksAhead == 0)
    }
  }

  @Test func `for a slow reader little is held`() throws {
    try Simulation.run(seed: 3) { simulation in
      let source = MeasuringSource(
        byteCount: 256 << 20, stating: .init(latency: .milliseconds(50), bytesPerSecond: 25e6),
        costing: .init(latency: .milliseconds(150), bytesPerSecond: 20e6), time: simulation.time)
      let store = MemoryStore(limit: .mebibytes(256))
      let reader = try await RangeReader(
        source, [.readAhead(budget: .init(.mebibytes(64))), .caching(store)], configuration: simulation.configuration)
      var (position, most) = (0, 0)
      for try await piece in reader.stream() {
        position += piece.count
        // 4 MB a second: in the 160 ms that a piece takes, less than one.
        try await simulation.time.sleep(for: .milliseconds(65))
        if position > 192 << 20 { most = max(most, store.ahead.bytes) }
      }
      print("a slow reader has \(most) bytes ahead, at most \(store.ahead.peakBytes)")
      #expect(most <= 8 << 20)
      await reader.close()
    }
  }

  /// Also when it has just begun a window, which is cancelled before any stage sees it.
  @Test func `a stream that is left holds nothing, whichever piece was its last`() throws {
    try Simulation.run(seed: 4) { simulation in
      let source = MeasuringSource(
        byteCount: 2 << 30, stating: .init(latency: .milliseconds(50), bytesPerSecond: 25e6),
        costing: .init(latency: .milliseconds(150), bytesPerSecond: 20e6), time: simulation.time)
      let store = MemoryStore(limit: .mebibytes(128))
      let budget = ReadAheadBudget(.mebibytes(64))
      let reader = try await RangeReader(
        source, [.readAhead(budget: budget), .caching(store), .merging(), .limiting(maxConcurrentReads: 8)],
        configuration: simulation.configuration)
      for pieces in 1...40 {
        var count = 0
        for try await _ in reader.stream(pieces << 25..<(pieces << 25) + (16 << 20)) {
          count += 1
          if count == pieces { break }
        }
        try await simulation.time.sleep(for: .seconds(5))
        #expect(store.chunksAhead == 0 && store.ahead.bytes == 0 && budget.bytes == 0, "after \(pieces) pieces")
      }
      #expect(budget.peakBytes > 0)
      await reader.close()
    }
  }

  @Test func `a stream that is left holds nothing, also when another reader of the same version shares its stages`()
    throws
  {
    try Simulation.run(seed: 5) { simulation in
      let store = MemoryStore(limit: .mebibytes(128))
      let budget = ReadAheadBudget(.mebibytes(64))
      let pipeline: ReadPipeline = [.readAhead(budget: budget), .caching(store)]
      func open() async throws -> RangeReader {
        let source = SyntheticSource(
          byteCount: 1 << 30, latency: .milliseconds(50), bytesPerSecond: 20e6, time: simulation.time)
        return try await RangeReader(source, pipeline, configuration: simulation.configuration)
      }
      let (reader, other) = (try await open(), try await open())
      var position = 0
      for try await piece in reader.stream(0..<64 << 20) {
        position += piece.count
        if position == 6 << 20 {
          #expect(budget.bytes > 0 && store.ahead.bytes > 0)
          _ = try await other.read(512 << 20..<512 << 20 + 1)
          break
        }
      }
      try await simulation.time.sleep(for: .seconds(5))
      #expect(budget.bytes == 0 && store.chunksAhead == 0)
      await reader.close()
      await other.close()
    }
  }

  // MARK: holds

  @Test func `what is held is not evicted, and what no longer is like any newcomer`() throws {
    let store = MemoryStore(limit: MemoryStore.charge(blocks: 100))
    let (source, others) = (StoredSource(store, id: "a"), ["b", "c"].map { StoredSource(store, id: $0) })
    let holder = Holder()
    let room = store.aheadBudget!
    #expect(room.limit.bytes == MemoryStore.charge(blocks: 25).bytes)
    #expect(room.hold(26 * 4096, for: holder) == nil)
    let hold = room.hold(10 * 4096, for: holder)!
    source.put(0..<10 * 4096, hold)
    for block in 0..<250 { others[0].put(others[0].block(block)) }
    #expect(store.chunksAhead == 10)
    #expect(store.counts().pinnedBytes == 0)
    #expect(store.contains(0..<10 * 4096, of: source.source))
    // Pinned by the user meanwhile, a block stays pinned.
    try store.pin(0..<4096, of: source.source)
    hold.pass()
    #expect(room.bytes == 0)
    #expect(store.chunksAhead == 10)
    hold.end()
    #expect(store.chunksAhead == 0)
    #expect(store.counts().pinnedBytes == MemoryStore.charge(blocks: 1).bytes)
    for block in 0..<250 { others[1].put(others[1].block(block)) }
    #expect(store.contains(0..<4096, of: source.source))
    #expect(!store.contains(4096..<10 * 4096, of: source.source))
    // What comes when its hold has ended has none.
    source.put(4096..<8192, hold)
    #expect(store.chunksAhead == 0)
    #expect(MemoryRecount(store).faults.isEmpty)
  }

  @Test func `a lower limit waits for no reader`() async throws {
    let store = MemoryStore(limit: MemoryStore.charge(blocks: 100))
    let source = StoredSource(store)
    let holder = Holder()
    let hold = store.aheadBudget!.hold(20 * 4096, for: holder)!
    holder.holds.withLock { $0 = [hold] }
    source.put(0..<20 * 4096, hold)
    try await store.resize(to: MemoryStore.charge(blocks: 10))
    #expect(store.counts().bytes <= MemoryStore.charge(blocks: 10).bytes)
    #expect(store.chunksAhead == 0)
    #expect(store.ahead.bytes == 0)
  }

  @Test func `one that was refused has a share again, however long ago that was`() {
    let budget = ReadAheadBudget(.bytes(1000))
    let (refused, other) = (Holder(), Holder())
    #expect(budget.take(1000, for: other))
    #expect(!budget.take(1, for: refused))
    #expect(budget.share(of: refused) == 500)
    // More often than the budget remembers who wants some.
    for _ in 0..<100 {
      budget.give(1000, by: other)
      #expect(budget.take(1000, for: other))
    }
    #expect(budget.share(of: other) == 1000)
    #expect(budget.share(of: refused) == 500)
    budget.give(1000, by: other)
    #expect(budget.share(of: refused) == 1000)
    withExtendedLifetime((refused, other)) {}
  }

  @Test func `of many that are refused few are noted`() {
    let budget = ReadAheadBudget(.bytes(1_000_000))
    let holders = (0..<1000).map { _ in Holder() }
    #expect(budget.take(1_000_000, for: holders[0]))
    for holder in holders[1...] { #expect(!budget.take(1, for: holder)) }
    #expect(budget.share(of: holders[999]) >= 1_000_000 / 66)
    budget.give(1_000_000, by: holders[0])
    for holder in holders { #expect(budget.take(1000, for: holder)) }
    for holder in holders { budget.give(1000, by: holder) }
    #expect(budget.bytes == 0)
  }

  private final class Holder: ReadAheadHolder {
    let holds = Locked<[ReadAheadHold]>([])

    func giveUp() { for hold in holds.withLock({ $0 }) { hold.end() } }
  }
}

extension StoredSource {
  /// Stores bytes that are read ahead.
  fileprivate func put(_ range: ByteRange, _ hold: ReadAheadHold) {
    guard var reservation = reserve(range) else { return }
    reservation.hold = hold
    insert(range, reservation, ticket)
  }
}

extension MemoryStore {
  /// The blocks that stay since they were read ahead.
  var chunksAhead: Int {
    (0..<shards.count).reduce(0) { sum, shard in
      sum
        + shards.withLock(shard) { state in
          (1..<max(1, state.table.slotsUsed)).count { state.table.isUsed($0) && state.table[$0].pins.contains(.ahead) }
        }
    }
  }
}
