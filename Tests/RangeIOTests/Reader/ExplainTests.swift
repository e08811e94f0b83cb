import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// `explain`: where bytes would come from, and why not from nearer.
struct ExplainTests {
  private typealias Part = ReadExplanation.Part

  private func reader(
    _ source: some RangeSource, _ store: any ChunkStore, fill: ReadPipeline.CacheFill = .block,
    passing: ByteCount? = nil,
    onSecondRead: Bool = false
  ) async throws -> RangeReader {
    try await RangeReader(
      source, [.caching(store, fill: fill, blockSize: .kibibytes(4), maxReadSize: passing, onSecondRead: onSecondRead)])
  }

  private func why(_ part: ReadExplanation.Part, _ origin: ReadExplanation.Origin) -> String? {
    part.reasons.first { $0.origin == origin }?.why
  }

  // MARK: one tier

  @Test func `without stages all comes from the source`() async throws {
    let reader = try await RangeReader(SyntheticSource(byteCount: 100_000))
    #expect(try await reader.explain(10..<90_000).parts == [Part(10..<90_000, .source)])
  }

  @Test func `what is kept comes from memory, and the rest from the source, in whole blocks`() async throws {
    let source = SyntheticSource(byteCount: 100_000)
    let reader = try await reader(source, MemoryStore(limit: .mebibytes(1)))
    let before = try await reader.explain(5000..<20_000)
    #expect(before.parts.map(\.origin) == [.source])
    #expect(before.parts[0].detail == "as part of whole blocks, 4096..<20480")
    #expect(before.parts[0].reasons.map(\.origin) == [.memory, .flight])
    _ = try await reader.read(8192..<8193)
    let after = try await reader.explain(5000..<20_000)
    #expect(after.parts.map(\.origin) == [.source, .memory, .source])
    #expect(after.parts.map(\.range) == [5000..<8192, 8192..<12_288, 12_288..<20_000])
    #expect(after.byteCount(from: .memory) == 4096)
    #expect(after.parts[1].reasons.isEmpty)
  }

  @Test func `a block that is kept in part says so`() async throws {
    let reader = try await reader(
      SyntheticSource(byteCount: 100_000), MemoryStore(limit: .mebibytes(1)), fill: .exact)
    _ = try await reader.read(100..<200)
    let parts = try await reader.explain(0..<4096).parts
    #expect(parts.map(\.range) == [0..<100, 100..<200, 200..<4096])
    #expect(parts.map(\.origin) == [.source, .memory, .source])
    #expect(why(parts[0], .memory) == "its block is kept without these bytes")
    #expect(parts[0].detail == nil, "exactly what is missing is read")
  }

  @Test func `what has expired says so`() async throws {
    let clock = ManualClock()
    var configuration = MemoryStore.Configuration(limit: .mebibytes(1))
    configuration.time = ReadClock(clock)
    configuration.ageLimit = .seconds(60)
    // Timers do not run: what is over is still there.
    configuration.background = BackgroundWork(executor: JobCount())
    let reader = try await reader(SyntheticSource(byteCount: 100_000), MemoryStore(configuration))
    _ = try await reader.read(0..<10)
    #expect(try await reader.explain(0..<10).parts.map(\.origin) == [.memory])
    clock.advance(by: .seconds(61))
    let parts = try await reader.explain(0..<10).parts
    #expect(parts.map(\.origin) == [.source])
    #expect(why(parts[0], .memory) == "its time is over")
  }

  @Test func `what passes the cache by says why`() async throws {
    let store = MemoryStore(limit: .mebibytes(1))
    let long = try await reader(SyntheticSource(byteCount: 100_000), store, passing: .kibibytes(8))
    #expect(why(try await long.explain(0..<10_000).parts[0], .cache) == "ranges of more than 8192 bytes bypass it")
    #expect(why(try await long.explain(0..<8192).parts[0], .cache) == nil)

    let unsettled = try await reader(HeldSource(isSettled: false, isHeld: false), store)
    #expect(why(try await unsettled.explain(0..<10).parts[0], .cache)?.contains("changed a moment ago") == true)

    let twice = try await reader(
      SyntheticSource(byteCount: 100_000, id: "twice"), store, fill: .exact, onSecondRead: true)
    let first = try await twice.explain(0..<10)
    #expect(why(first.parts[0], .cache)?.contains("for the first time") == true)
    #expect(try await twice.explain(0..<10) == first, "asking is no touch")
    _ = try await twice.read(0..<10)
    #expect(why(try await twice.explain(0..<10).parts[0], .cache)?.contains("were read once") == true)
    _ = try await twice.read(0..<10)
    #expect(try await twice.explain(0..<10).parts == [Part(0..<10, .memory)])
  }

  // MARK: flights

  @Test(.simulated) func `what is on its way comes with that flight, and says whether somebody waits for it`()
    async throws
  {
    let source = HeldSource()
    let reader = try await reader(source, MemoryStore(limit: .mebibytes(1)))
    let read = start { try await reader.read(0..<10) }
    reader.advise(.willNeed, 8192..<12_288)
    await quiet()
    #expect(source.waiting.count == 2)
    let parts = try await reader.explain(0..<16_384).parts
    try #require(parts.map(\.range) == [0..<4096, 4096..<8192, 8192..<12_288, 12_288..<16_384])
    #expect(parts.map(\.origin) == [.flight, .source, .flight, .source])
    #expect(parts[0].detail == nil)
    #expect(parts[2].detail == "read ahead; no read waits for it yet")
    #expect(why(parts[1], .flight) == "no read of it is under way")
    #expect(why(parts[0], .memory) != nil)
    source.hold(false)
    _ = try await read.value
    await quiet()
    #expect((try? await reader.explain(0..<12_288).byteCount(from: .memory)) == 8192)
    await reader.close()
  }

  // MARK: tiers

  /// Reads at random through three tiers, and asks before each block where it would come from: it must come from there.
  @Test(arguments: testSeeds) func `of three tiers, what is said is what happens`(seed: UInt64) async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(1))
    var configuration = TieredStore.Configuration(memory: .kibibytes(96), compressed: .kibibytes(48))
    configuration.queueLimit = .kibibytes(64)
    let store = try await TieredStore(configuration, disk: spill.configuration)
    let source = SyntheticSource(byteCount: 400 * 4096, compressibility: 0.7)
    let reader = try await reader(source, store)
    var random = SeededGenerator(seed: seed)
    var seen: Set<ReadExplanation.Origin> = []
    for _ in 0..<600 {
      let skewed = Int.random(in: 0..<20, using: &random) * Int.random(in: 1..<20, using: &random)
      let block = skewed * 4096..<(skewed + 1) * 4096
      // Nothing is on its way while it is asked and read.
      try await store.flush()
      let before = Counts(store, source)
      let parts = try await reader.explain(block).parts
      #expect(Counts(store, source) == before, "asking is no read")
      let part = try #require(parts.count == 1 ? parts[0] : nil, "a block is kept as a whole, seed \(seed)")
      #expect(try await reader.read(block) == source.expected(block))
      let after = Counts(store, source)
      let came: ReadExplanation.Origin
      if after.source > before.source {
        came = .source
      } else if after.spill > before.spill {
        came = .disk
      } else if after.compressed > before.compressed {
        came = .compressed
      } else {
        came = .memory
      }
      #expect(part.origin == came, "seed \(seed), block \(skewed)")
      if came == .source { #expect(part.reasons.map(\.origin) == [.memory, .compressed, .disk, .flight]) }
      if came == .disk { #expect(part.reasons.map(\.origin) == [.memory, .compressed]) }
      seen.insert(part.origin)
    }
    #expect(seen == [.memory, .compressed, .disk, .source])
    await reader.close()
    try await store.close()
  }

  private struct Counts: Equatable {
    let source: Int
    let spill: Int
    let compressed: Int
    let memory: Int

    init(_ store: TieredStore, _ source: SyntheticSource) {
      let statistics = store.counts()
      self.source = source.readCount
      spill = statistics.disk!.hits
      compressed = statistics.compressed.hits
      memory = statistics.memory.hits
    }
  }

  /// Has a block written: bytes 1024 to 2047.
  private func offerBlock(to store: SpillStore) -> ChunkToken {
    let (token, _) = store.sources.token(
      for: TieredSource.description(0), grid: BlockGrid(blockSize: 1024)!, reading: false)
    let chunk = Chunk(
      ticket: token.ticket(fetchedAt: store.now), block: 1,
      piece: RangedBytes(1024..<2048, SyntheticSource.bytes(1024..<2048)))
    #expect(store.insertDemoted(chunk))
    return token
  }

  @Test func `what is on its way down is in memory, and says so`() async throws {
    let tiered = TieredSource()
    tiered.put(tiered.block(3))
    tiered.evictAll()
    func explained() -> [ReadExplanation.Part] {
      tiered.store.explain(0..<8192, token: tiered.token.number, grid: tiered.token.grid).joined()
    }
    let moving = explained()
    try #require(moving.map(\.range) == [0..<3072, 3072..<4096, 4096..<8192])
    #expect(moving.map(\.origin) == [.source, .memory, .source])
    #expect(moving[1].detail == "on its way to the tier below")
    #expect(moving[0].reasons.map(\.origin) == [.memory, .compressed])
    tiered.executor.run()
    #expect(explained().map(\.origin) == [.source, .compressed, .source])

    // What waits to be written to a disk, too.
    let spill = try SpillOnDisk(limit: .mebibytes(1)) { $0.writeDelay = .seconds(3600) }
    let store = try await spill.open()
    let token = offerBlock(to: store)
    let staged = store.explain(0..<3072, token: token.number, grid: token.grid)
    try #require(staged.map(\.origin) == [.source, .memory, .source])
    #expect(staged[1].detail == "waits to be written to the disk")
    try await store.flush()
    #expect(store.explain(1024..<2048, token: token.number, grid: token.grid).map(\.origin) == [.disk])
    try await store.close()
  }

  @Test func `a disk that is left alone says so`() async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(1))
    let store = try await spill.open()
    let token = offerBlock(to: store)
    try await store.flush()
    store.state.withLock { state in
      for _ in 0..<3 { state.breaker.failed(.go, now: store.now) }
    }
    let parts = store.explain(1024..<2048, token: token.number, grid: token.grid)
    #expect(parts.map(\.origin) == [.source])
    #expect(why(parts[0], .disk)?.contains("left alone") == true)
    try await store.close()
  }

  @Test func `a directory that is closed, and a source that is too near for one, say so`() async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(1)) { $0.keepsFastSources = false }
    let store = try await TieredStore(memory: .kibibytes(96), disk: spill.configuration)
    let near = try await reader(SyntheticSource(byteCount: 100_000), store)
    #expect(why(try await near.explain(0..<10).parts[0], .disk)?.contains("no more to read than a disk") == true)
    let far = try await reader(
      SyntheticSource(byteCount: 100_000, id: "far", latency: .milliseconds(20), time: ReadClock(ManualClock())), store
    )
    #expect(why(try await far.explain(0..<10).parts[0], .disk)?.contains("not kept") == true)
    try await store.close()
    #expect(why(try await far.explain(0..<10).parts[0], .disk) == "the store was closed")
  }

  // MARK: other stages and stores

  @Test func `a decoded block comes from where its farthest byte does`() async throws {
    let source = SyntheticSource(byteCount: 40 + 10 * 1100)
    let reader = try await RangeReader(
      source,
      [
        .decoding(
          name: "cut", blockSize: .bytes(1000), encodedBlockSize: .bytes(1100), headerSize: .bytes(40)
        ) { _, encoded in encoded.slice(0..<encoded.count - 100) },
        .caching(MemoryStore(limit: .mebibytes(1)), fill: .exact, blockSize: .kibibytes(1)),
      ])
    // Blocks 2 and 3, as they are encoded.
    _ = try await reader.read(2500..<3500)
    let parts = try await reader.explain(1999..<4500).parts
    #expect(parts.map(\.range) == [1999..<2000, 2000..<4000, 4000..<4500])
    #expect(parts.map(\.origin) == [.source, .memory, .source])
    let all = try await reader.explain(0..<10_000)
    #expect(all.parts.filter { $0.origin == .memory }.map(\.range) == [2000..<4000])
    #expect(all.byteCount(from: .source) == 8000)
  }

  @Test func `where a stage of others shows other bytes, there is no telling`() async throws {
    let reader = try await RangeReader(
      SyntheticSource(byteCount: 1000),
      [.stage(NotingStage(name: "skipping", notes: Noted(), header: 100)), .caching(MemoryStore(limit: .mebibytes(1)))])
    let parts = try await reader.explain(0..<900).parts
    #expect(parts.map(\.origin) == [.unknown])
    #expect(parts[0].detail?.contains("NotingStage") == true)
    // One that changes nothing is looked through.
    let plain = try await RangeReader(
      SyntheticSource(byteCount: 1000), [.stage(NotingStage(name: "plain", notes: Noted()))])
    #expect(try await plain.explain(0..<900).parts.map(\.origin) == [.source])
  }

  @Test func `a store that does not explain itself is asked block by block what it holds`() throws {
    let stored = StoredSource(MemoryStore(limit: .mebibytes(1)))
    stored.put(stored.block(1))
    let plain = PlainStore(stored.store)
    let parts = plain.full.explain(0..<12_288, token: stored.token.number, grid: stored.token.grid)
    #expect(parts.map(\.range) == [0..<4096, 4096..<8192, 8192..<12_288])
    #expect(parts.map(\.origin.description) == ["source", "PlainStore", "source"])
  }

  /// Another's store: only what has to be written.
  private final class PlainStore: ChunkStore {
    private let base: MemoryStore
    init(_ base: MemoryStore) { self.base = base }
    var sources: ChunkSources { base.sources }
    func lookUp(_ range: ByteRange, of token: ChunkToken) -> ChunkLookup { base.lookUp(range, of: token) }
    func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? {
      base.reserve(range, ofRun: run, for: token)
    }
    func insert(
      _ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation
    ) -> Bool { base.insert(bytes, at: range, ticket: ticket, reservation: reservation) }
    func cancel(_ reservation: ChunkReservation) { base.cancel(reservation) }
    func erase(_ range: ByteRange, of token: ChunkToken) { base.erase(range, of: token) }
  }

  // MARK: bad input, and the form

  @Test func `ranges that there are not, none, and a closed reader`() async throws {
    let reader = try await RangeReader(SyntheticSource(byteCount: 1000))
    #expect(try await reader.explain(0..<0).parts == [])
    #expect(try await reader.explain(1000..<1000).parts == [])
    for range in [-1..<5, 0..<1001, Int.max - 1..<Int.max] {
      let error = await #expect(throws: ReadError.self) { try await reader.explain(range) }
      #expect(error?.code == .rangeNotSatisfiable)
    }
    await reader.close()
    let error = await #expect(throws: ReadError.self) { try await reader.explain(0..<1) }
    #expect(error?.code == .closed)
  }

  @Test func `it can be printed`() async throws {
    let reader = try await reader(SyntheticSource(byteCount: 100_000), MemoryStore(limit: .mebibytes(1)))
    _ = try await reader.read(0..<10)
    let explanation = try await reader.explain(0..<10_000)
    #expect(
      explanation.description == """
        0..<4096      4096 B  memory
        4096..<10000  5904 B  source  as part of whole blocks, 4096..<12288; not memory: not kept (never read through it, \
        or too seldom, evicted or removed); not flight: no read of it is under way
        """)
  }
}
