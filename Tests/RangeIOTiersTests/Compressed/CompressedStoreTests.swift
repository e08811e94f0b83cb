import RangeIOTesting
import Synchronization
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// A compressed store by itself, chunks moved in by hand.
struct CompressedStoreTests {
  private static func store(
    _ limit: ByteCount, codec: any ChunkCodec = FillCodec(), shards: Int = 1,
    change: (inout CompressedStore.Configuration)
      -> Void = { _ in }
  ) -> CompressedStore {
    var configuration = CompressedStore.Configuration(limit: limit)
    configuration.codec = codec
    configuration.shards = shards
    change(&configuration)
    return CompressedStore(configuration, sources: ChunkSources())
  }

  private func isSound(_ store: CompressedStore) -> Bool {
    let faults = CompressedRecount(store).faults
    #expect(faults.isEmpty)
    #expect(store.counts().peakBytes <= store.counts().limit)
    return faults.isEmpty
  }

  // MARK: keeping

  @Test func `a chunk that shrinks is found, and brought back`() throws {
    let store = Self.store(.mebibytes(1))
    let source = FillSource(store.sources)
    #expect(source.put(3, in: store))
    let piece = try #require(
      source.held(source.block(3).lowerBound + 10..<source.block(3).lowerBound + 20, in: store).first)
    #expect(piece.range == source.block(3))
    #expect(piece.wanted.count == 10)
    #expect(!piece.shouldPromote)
    #expect(piece.loader.isQuick)
    #expect(piece.loader.answeredBytes == source.expected(piece.range))
    #expect(source.held(source.block(3), in: store).map(\.shouldPromote) == [true])
    #expect(source.read(source.block(2).lowerBound..<source.block(5).upperBound, in: store) == [source.block(3)])
    let statistics = store.counts()
    #expect(statistics.blocks == 1)
    #expect(statistics.storedBytes == 1024)
    #expect(statistics.rawBytes == 4096)
    #expect(statistics.ratio == 4)
    #expect(statistics.hits == 3)
    #expect(statistics.misses == 3)
    #expect(isSound(store))
  }

  @Test func `what does not shrink by an eighth is handed back and not kept`() {
    let chunk = { (store: CompressedStore) in FillSource(store.sources).chunk(0, at: store.now) }
    let most = Self.store(.mebibytes(1), codec: FillCodec(ratio: 8, extra: 6 * 512))
    #expect(most.insertDemoted(chunk(most)))
    let more = Self.store(.mebibytes(1), codec: FillCodec(ratio: 8, extra: 6 * 512 + 1))
    let evicted = NotedEvictions()
    more.sendEvictions(to: evicted)
    #expect(!more.insertDemoted(chunk(more)))
    #expect(evicted.takeAll().map(\.byteCount) == [4096])
    #expect(more.counts().incompressible == 1)
    #expect(more.counts().bytes == 0)
    // Seven bytes cannot shrink by an eighth, whatever the codec.
    let tiny = Self.store(.mebibytes(1))
    #expect(!FillSource(tiny.sources).put(0, 0..<7, in: tiny))
    #expect(FillSource(tiny.sources).put(0, 0..<8, in: tiny))
  }

  @Test func `no codec is believed that says it wrote nothing, or more than there was room for`() {
    struct Liar: ChunkCodec {
      let count: Int
      var id: UInt8 { 101 }
      func encode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Int? { count }
      func decode(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) -> Bool { false }
    }
    for count in [-1, 0, 3585, Int.max] {
      let store = Self.store(.mebibytes(1), codec: Liar(count: count))
      #expect(!FillSource(store.sources).put(0, in: store))
      #expect(store.counts().incompressible == 1)
      #expect(store.counts().bytes == 0)
    }
  }

  @Test func `pieces of a block are found beside each other, in order, with the gaps between them`() {
    let store = Self.store(.mebibytes(1))
    let source = FillSource(store.sources)
    for part in [3000..<4000, 0..<1000, 2000..<2500] { #expect(source.put(0, part, in: store)) }
    #expect(source.read(0..<4096, in: store) == [0..<1000, 2000..<2500, 3000..<4000])
    #expect(source.read(500..<3500, in: store) == [500..<1000, 2000..<2500, 3000..<3500])
    // What is there already is not stored again; what covers it takes its place.
    #expect(source.put(0, 100..<200, in: store))
    #expect(store.counts().blocks == 3)
    #expect(source.put(0, 0..<3000, in: store))
    #expect(source.read(0..<4096, in: store) == [0..<4000])
    #expect(store.counts().blocks == 2)
    for lower in stride(from: 0, to: 4000, by: 100) { source.put(1, lower..<lower + 50, in: store) }
    #expect(store.counts().blocks == 2 + PieceList.maxCount)
    #expect(isSound(store))
  }

  @Test func `chunks of several pieces are kept piece by piece`() {
    let store = Self.store(.mebibytes(1))
    let source = FillSource(store.sources)
    let pieces = [100..<300, 1000..<1010, 2000..<4096].map { RangedBytes($0, source.expected($0)) }
    let chunk = Chunk(
      ticket: source.token.ticket(fetchedAt: store.now), block: 0, piece: pieces[0], morePieces: Array(pieces[1...]))
    #expect(store.insertDemoted(chunk))
    #expect(source.read(0..<4096, in: store) == pieces.map(\.range))
  }

  @Test func `overlapping pieces are found once`() {
    let store = Self.store(.mebibytes(1))
    let source = FillSource(store.sources)
    for part in [0..<2000, 1000..<3000, 1500..<4000] { source.put(0, part, in: store) }
    let held = source.held(500..<3500, in: store)
    #expect(held.map(\.wanted) == [500..<2000, 2000..<3000, 3000..<3500])
    #expect(source.read(500..<3500, in: store) == [500..<3500])
  }

  @Test func `blocks of a gibibyte have places that fit, and larger ones are not kept`() {
    let store = Self.store(.gibibytes(1), codec: FillCodec(ratio: 4096))
    let source = FillSource(store.sources, byteCount: 1 << 40, blockSize: 1 << 30)
    let last = (1 << 30) - 4096..<1 << 30
    #expect(source.put(7, last, in: store))
    #expect(source.read(source.block(7), in: store) == [source.block(7).upperBound - 4096..<source.block(7).upperBound])
    let huge = FillSource(store.sources, id: "huge", byteCount: 1 << 50, blockSize: 1 << 40)
    #expect(!huge.put(0, (1 << 40) - 4096..<1 << 40, in: store))
    #expect(store.counts().dropped == 1)
  }

  // MARK: limits

  @Test(arguments: [0, 1, 4096, 8192, 16_384, 65_536, 1 << 20]) func `the limit is never exceeded`(_ limit: Int) {
    let store = Self.store(.bytes(limit), shards: 2)
    let source = FillSource(store.sources)
    var random = TestRandom(UInt64(limit))
    for block in 0..<2000 {
      source.put(block, in: store)
      if random.below(3) == 0 { #expect(source.read(source.block(random.below(block + 1)), in: store) != nil) }
      #expect(store.ledger.bytes <= limit)
    }
    #expect((store.counts().blocks > 0) == (limit > 8192))
    #expect(store.counts().dropped == (limit > 8192 ? 0 : 2000))
    #expect(isSound(store))
    store.removeAll()
    #expect(store.counts().blocks == 0)
    #expect(isSound(store))
  }

  @Test func `a limit without end overflows nothing`() async throws {
    let store = Self.store(.bytes(.max))
    let source = FillSource(store.sources)
    for block in 0..<100 { #expect(source.put(block, in: store)) }
    #expect(source.read(0..<100 * 4096, in: store) == [0..<100 * 4096])
    try await store.resize(to: .bytes(0))
    #expect(store.counts().bytes == 0)
    try await store.resize(to: .bytes(.max))
    #expect(source.put(0, in: store))
  }

  @Test func `large pieces have segments of their own, and go whole`() {
    let store = Self.store(.kibibytes(256), codec: FillCodec(ratio: 2))
    let source = FillSource(store.sources, blockSize: 65_536)
    for block in 0..<20 { #expect(source.put(block, in: store)) }
    let kept = (0..<20).filter { source.isIn(store, $0) }
    #expect(kept == Array(20 - kept.count..<20), "the oldest have gone")
    #expect(kept.count >= 5)
    // More than there is room for at all.
    let large = FillSource(store.sources, id: "large", blockSize: 1 << 20)
    #expect(!large.put(0, in: store))
    #expect(isSound(store))
  }

  @Test func `what was read since it came survives its segment, what was not goes`() {
    let store = Self.store(.kibibytes(256))
    let source = FillSource(store.sources)
    #expect(store.segmentSize == 8192)
    var block = 0
    // The accounts reach the limit at every possible distance from it: that must not cost what is to be copied on.
    while store.counts().segmentsFreed < 200 {
      source.put(block, in: store)
      // A seventh: one in each segment.
      if block % 7 == 0 { #expect(source.read(source.block(block), in: store) == [source.block(block)]) }
      block += 1
    }
    let statistics = store.counts()
    #expect(statistics.reinsertions > 150, "\(statistics)")
    #expect(isSound(store))
    // What is read all the time stays.
    for next in block..<block + 2000 {
      source.put(next, in: store)
      source.put(block, in: store)
      #expect(source.read(source.block(block), in: store) == [source.block(block)])
    }
  }

  @Test func `records that fill the limit leave the room that copying needs`() {
    // Tiny pieces: it is the records that reach the limit, 80 bytes at a time.
    let store = Self.store(.kibibytes(256), codec: FillCodec(ratio: 16))
    let source = FillSource(store.sources, blockSize: 16)
    var block = 0
    while store.counts().segmentsFreed < 20 {
      source.put(block, in: store)
      if block % 5 == 0 { _ = source.held(source.block(block), in: store) }
      block += 1
    }
    let statistics = store.counts()
    // A fifth of each segment was read.
    #expect(statistics.reinsertions * 6 > statistics.evictions, "\(statistics)")
    #expect(isSound(store))
  }

  @Test func `pinned pieces are copied on, and trimming ends though they stay`() async throws {
    let store = Self.store(.kibibytes(256))
    let source = FillSource(store.sources)
    #expect(source.token.entry.pin(source.block(0).lowerBound..<source.block(20).lowerBound))
    for block in 0..<1000 { source.put(block, in: store) }
    for block in 0..<20 { #expect(source.isIn(store, block), "block \(block)") }
    try await store.trim(to: .bytes(0))
    for block in 0..<20 { #expect(source.isIn(store, block), "block \(block)") }
    #expect(store.counts().blocks == 20)
    #expect(isSound(store))
  }

  @Test func `everything pinned: what comes is dropped, and what is there stays`() {
    let store = Self.store(.kibibytes(256))
    let source = FillSource(store.sources)
    #expect(source.token.entry.pin(0..<1 << 30))
    var block = 0
    while source.put(block, in: store) { block += 1 }
    for pinned in 0..<block { #expect(source.isIn(store, pinned), "block \(pinned)") }
    #expect(isSound(store))
  }

  @Test func `resizing and trimming let the oldest go, dropping all that is asked for`() async throws {
    let store = Self.store(.mebibytes(1), shards: 2)
    let source = FillSource(store.sources)
    for block in 0..<500 { source.put(block, in: store) }
    try await store.trim(to: .kibibytes(300))
    #expect(store.ledger.bytes <= 300 << 10)
    #expect(store.counts().limit == 1 << 20)
    #expect(source.isIn(store, 499))
    try await store.resize(to: .kibibytes(150))
    #expect(store.ledger.bytes <= 150 << 10)
    for block in 500..<700 { source.put(block, in: store) }
    #expect(store.ledger.bytes <= 150 << 10)
    store.drop(to: 50 << 10)
    #expect(store.ledger.bytes <= 50 << 10)
    try await store.resize(to: .bytes(0))
    #expect(store.ledger.bytes == 0)
    #expect(!source.put(1, in: store))
    #expect(CompressedRecount(store).faults.isEmpty)
  }

  @Test func `a resize that is cancelled says so, and leaves the limit as it was`() async {
    let store = Self.store(.mebibytes(1))
    let source = FillSource(store.sources)
    for block in 0..<100 { source.put(block, in: store) }
    let trim = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await store.resize(to: .bytes(0))
    }
    await #expect(throws: CancellationError.self) { try await trim.value }
    #expect(store.counts().limit == 1 << 20)
  }

  @Test func `what a reader holds of an evicted segment stays readable, and charged until it is let go`() async throws {
    let store = Self.store(.kibibytes(256))
    let source = FillSource(store.sources)
    source.put(0, in: store)
    var held = source.held(source.block(0), in: store)
    store.removeAll()
    store.drop(to: 0)
    #expect(store.counts().blocks == 0)
    #expect(store.ledger.bytes == SegmentMemory.footprint(of: store.segmentSize))
    #expect(held[0].loader.answeredBytes == source.expected(source.block(0)))
    held = []
    #expect(store.ledger.bytes == 0)
    // However much is held by readers, nothing is taken beyond the limit for others.
    for block in 0..<1000 {
      source.put(block, in: store)
      held += source.held(source.block(block), in: store)
    }
    for piece in held { #expect(piece.loader.answeredBytes == source.expected(piece.range)) }
    #expect(store.counts().dropped > 0)
    #expect(store.counts().peakBytes <= 256 << 10)
    held = []
    #expect(source.put(5000, in: store))
    #expect(isSound(store))
  }

  // MARK: removing

  @Test func `what was removed while it was compressed does not arrive`() {
    let token = Locked<ChunkToken?>(nil)
    let store = Self.store(.mebibytes(1), codec: FillCodec(willEncode: { token.withLock { $0 }?.raiseGeneration() }))
    let source = FillSource(store.sources)
    token.withLock { $0 = source.token }
    #expect(!source.put(0, in: store))
    #expect(store.counts().stale == 1)
    #expect(store.counts().bytes == SegmentMemory.footprint(of: store.segmentSize))
    token.withLock { $0 = nil }
    #expect(source.put(0, in: store))
    source.token.beginRemoval()
    #expect(!source.put(1, in: store))
    source.token.endRemoval()
    #expect(source.put(1, in: store))
    source.token.retire()
    #expect(!source.put(2, in: store))
    #expect(source.token.chargedBytesBelow.load(ordering: .relaxed) == 2048)
    #expect(isSound(store))
  }

  @Test(arguments: [10, 100_000]) func `erasing and letting go take the pieces that overlap`(_ blocks: Int) {
    let store = Self.store(.mebibytes(4))
    // Few blocks are looked up, many scanned for.
    let source = FillSource(store.sources)
    let other = FillSource(store.sources, id: "other")
    for part in [0..<1000, 1000..<2000, 3000..<4096] { source.put(3, part, in: store) }
    for source in [source, other] { source.put(5, in: store) }
    let end = source.block(3 + blocks).upperBound
    store.erase(.promoted(source.block(3).lowerBound + 1500..<end, of: source.token))
    #expect(source.read(source.block(3), in: store) == [source.block(3).lowerBound..<source.block(3).lowerBound + 1000])
    #expect(!source.isIn(store, 5) && other.isIn(store, 5))
    source.put(5, in: store)
    store.erase(source.block(3).lowerBound + 999..<end, of: source.token)
    #expect(source.read(0..<end, in: store) == [])
    #expect(other.isIn(store, 5))
    store.erase(.retired(other.token))
    #expect(store.counts().blocks == 0)
    #expect(isSound(store))
  }

  @Test func `what turns out to be damaged is not found again, the rest is`() throws {
    let damaged = Locked(false)
    let store = Self.store(.mebibytes(1), codec: FillCodec(willDecode: { damaged.withLock { !$0 } }))
    let source = FillSource(store.sources)
    for block in 0..<3 { source.put(block, in: store) }
    damaged.withLock { $0 = true }
    let held = source.held(source.block(1), in: store)
    #expect(held[0].loader.answeredBytes == nil)
    damaged.withLock { $0 = false }
    #expect(source.read(0..<3 * 4096, in: store) == [source.block(0), source.block(2)])
    #expect(store.counts().damaged == 1)
    #expect(isSound(store))
  }

  // MARK: time

  @Test func `what is too old or idle is not found, and swept by a timer`() async throws {
    let clock = ManualClock()
    let executor = JobCount()
    let store = Self.store(.mebibytes(1)) {
      $0.time = ReadClock(clock)
      $0.background = BackgroundWork(executor: executor)
      $0.ageLimit = .seconds(100)
      $0.idleLimit = .seconds(40)
    }
    executor.run()
    let source = FillSource(store.sources)
    for block in 0..<4 { source.put(block, in: store) }
    clock.advance(by: .seconds(30))
    #expect(source.held(source.block(0), in: store).count == 1)
    clock.advance(by: .seconds(10))
    #expect(source.isIn(store, 0))
    #expect(!source.isIn(store, 1))
    #expect(source.held(source.block(1), in: store).isEmpty)
    #expect(store.counts().expirations == 1)
    executor.run()
    #expect(store.counts().blocks == 1)
    #expect(store.counts().expirations == 3)
    // Older than allowed, though read all the time.
    clock.advance(by: .seconds(29))
    #expect(source.held(source.block(0), in: store).count == 1)
    clock.advance(by: .seconds(31))
    #expect(source.held(source.block(0), in: store).isEmpty)
    // Neither does it take what is expired when it comes.
    let old = source.chunk(9, fetchedAt: .init(nanoseconds: 0), at: store.now)
    #expect(!store.insertDemoted(old))
    let idle = source.chunk(9, lastRead: .init(nanoseconds: 0), at: store.now)
    #expect(!store.insertDemoted(idle))
    let future = source.chunk(9, fetchedAt: store.now.advanced(by: .seconds(1)), at: store.now)
    #expect(!store.insertDemoted(future), "the clock was set back")
    #expect(isSound(store))
    store.setTimeLimits(age: nil, idle: nil)
    executor.run()
    #expect(clock.sleeperCount == 0)
  }

  @Test func `what comes during a sweep does not seem to come from the future`() {
    /// Lets something happen each time it is looked at.
    final class Busy: Clock, Sendable {
      let clock = ManualClock()
      let onLook = Locked<(@Sendable () -> Void)?>(nil)
      var minimumResolution: Duration { .zero }
      var now: ManualClock.Instant {
        let before = clock.now
        let action = onLook.withLock { action in
          defer { action = nil }
          return action
        }
        action?()
        return before
      }
      func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        try await clock.sleep(until: deadline, tolerance: tolerance)
      }
    }
    let busy = Busy()
    let store = Self.store(.mebibytes(1)) {
      $0.time = ReadClock(busy)
      $0.ageLimit = .seconds(100)
    }
    let source = FillSource(store.sources)
    busy.onLook.withLock {
      $0 = {
        busy.clock.advance(by: .seconds(1))
        source.put(0, in: store)
      }
    }
    store.change(.expire)
    #expect(source.isIn(store, 0))
  }

  // MARK: on to the tier below

  private final class Outlet: EvictionSink {
    let chunks = Noted<Chunk>()
    let proceeded = Locked(0)
    func take(_ chunks: ArraySlice<Chunk>) { for chunk in chunks { self.chunks.add(chunk) } }
    func proceed() { proceeded.withLock { $0 += 1 } }
  }

  @Test func `what finds no room goes on, and what is too old does not`() {
    let clock = ManualClock()
    let store = Self.store(.kibibytes(4)) {
      $0.time = ReadClock(clock)
      $0.ageLimit = .seconds(10)
    }
    let outlet = Outlet()
    store.sendEvictions(to: outlet)
    let source = FillSource(store.sources)
    let chunk = source.chunk(3, at: store.now)
    #expect(!store.insertDemoted(chunk))
    #expect(outlet.chunks.all.map(\.block) == [3] && outlet.proceeded.withLock { $0 } == 1)
    clock.advance(by: .seconds(10))
    #expect(!store.insertDemoted(chunk))
    #expect(outlet.chunks.all.count == 1 && store.counts().dropped == 2)
  }

  @Test func `what is evicted goes on decompressed, with its fetchedAt and when it was read`() {
    let store = Self.store(.kibibytes(64))
    let outlet = Outlet()
    store.sendEvictions(to: outlet)
    let source = FillSource(store.sources)
    let removed = FillSource(store.sources, id: "removed")
    removed.put(0, in: store)
    for block in 0..<200 {
      _ = store.insertDemoted(
        source.chunk(block, fetchedAt: .init(nanoseconds: Int64(block)), lastRead: .init(nanoseconds: 7), at: store.now)
      )
    }
    #expect(outlet.chunks.all.first?.token === removed.token)
    let evicted = outlet.chunks.all.dropFirst()
    #expect(evicted.map(\.block) == Array(0..<evicted.count))
    #expect(evicted.allSatisfy { $0.pieces[0].bytes == source.expected(source.block($0.block)) })
    #expect(evicted.allSatisfy { $0.fetchedAt.nanoseconds == Int64($0.block) && $0.lastRead?.nanoseconds == 7 })
    #expect(outlet.proceeded.withLock { $0 } == outlet.chunks.all.count)
    // What cannot be compressed, too: but it is not counted as evicted.
    let noise = SyntheticSource.bytes(0..<4096)
    let chunk = Chunk(
      ticket: source.token.ticket(fetchedAt: store.now), block: 900, piece: RangedBytes(source.block(900), noise))
    #expect(!store.insertDemoted(chunk))
    #expect(outlet.chunks.all.last?.block == 900)
    // What is let go because memory is short goes nowhere.
    let count = outlet.chunks.all.count
    store.drop(to: 0)
    #expect(outlet.chunks.all.count == count)
    #expect(store.ledger.bytes == 0)
  }

  // MARK: alone

  @Test func `alone it serves readers, too`() async throws {
    let store = Self.store(.mebibytes(1))
    let source = FillRangeSource()
    let reader = try await RangeReader(source, [.caching(store)])
    for _ in 0..<3 {
      for start in stride(from: 0, to: 200_000, by: 5000) {
        #expect(try await reader.read(start..<start + 7000) == source.expected(start..<start + 7000))
      }
    }
    #expect(source.requests.reduce(0) { $0 + $1.count } == 204_800)
    await reader.close()
    #expect(isSound(store))
  }

  @Test(arguments: testSeeds.prefix(20)) func `random events never find wrong bytes`(_ seed: UInt64) async throws {
    var random = TestRandom(seed)
    let store = Self.store(.kibibytes(16 << random.below(5)), shards: 1 << random.below(3))
    let sources = (0..<3).map { FillSource(store.sources, id: "\($0)", version: $0 + 1) }
    for step in 0..<1500 {
      let source = sources[random.below(3)]
      let block = random.below(200)
      switch random.below(30) {
      case 0..<14:
        let part = random.below(3) > 0 ? 0..<4096 : random.range(within: 4096)
        if !part.isEmpty { source.put(block, part, in: store) }
      case 14..<26:
        let range =
          source.block(block).lowerBound + random.below(4096)..<source.block(block + random.below(4)).upperBound
        #expect(source.read(range, in: store) != nil, "seed \(seed), step \(step)")
      case 26:
        source.token.raiseGeneration()
        let range =
          source.block(block).lowerBound + random.below(4096)..<source.block(block + random.below(30)).upperBound
        store.erase(range, of: source.token)
        #expect(source.read(range, in: store) == [], "seed \(seed), step \(step)")
      case 27: _ = source.token.entry.pin(source.block(block))
      case 28: source.token.entry.unpin(0..<1 << 30)
      default: if random.below(10) == 0 { try await store.trim(to: .bytes(random.below(100_000))) }
      }
    }
    #expect(isSound(store), "seed \(seed)")
  }
}
