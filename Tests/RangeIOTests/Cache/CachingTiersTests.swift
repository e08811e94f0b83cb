import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// The stage over a store that holds some of it compressed.
@Suite(.simulated) struct CachingTiersTests {
  /// Decoding is damaged when the test says so, and is counted.
  private final class Decoding: Sendable {
    let count = Tally()
    let isDamaged = Locked(false)

    var codec: FillCodec {
      FillCodec(willDecode: { [self] in
        count.change(by: 1)
        return isDamaged.withLock { !$0 }
      })
    }
  }

  private let decoding = Decoding()
  private let source = FillRangeSource()
  private let asking = Asking()
  /// Where large pieces are brought, when the test says so.
  private let elsewhere = JobCount()

  /// A store with nothing above yet, and its compressed tier.
  private func tiers(inline: ByteCount = .kibibytes(128)) -> TieredStore {
    var configuration = TieredStore.Configuration(memory: .mebibytes(2), compressed: .mebibytes(1))
    configuration.compressed.codec = decoding.codec
    configuration.compressed.inlineLimit = inline
    return TieredStore(configuration)
  }

  private func reader(
    _ store: some ChunkStore, fill: ReadPipeline.CacheFill = .block, onSecondRead: Bool = false
  ) async throws -> RangeReader {
    var configuration = RangeReader.Configuration()
    configuration.background = BackgroundWork(executor: elsewhere)
    return try await RangeReader(
      source, [.stage(asking), .caching(store, fill: fill, blockSize: .kibibytes(4), onSecondRead: onSecondRead)],
      configuration: configuration)
  }

  /// Moves blocks into the compressed tier, as if memory had evicted them.
  private func compress(_ blocks: Range<Int>, _ part: Range<Int>? = nil, in store: TieredStore) -> FillSource {
    let fill = FillSource(store.sources, byteCount: 1 << 20)
    for block in blocks { #expect(fill.put(block, part, in: store.memory!.compressed!)) }
    return fill
  }

  private func isRight(_ reader: RangeReader, _ range: ByteRange) async throws -> Bool {
    try await reader.read(range) == source.expected(range)
  }

  /// Does `work`, and what it leaves to others meanwhile.
  private func doing<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let task = start(work)
    await allQuiet()
    return try await task.value
  }

  /// Waits until neither the readers nor what they leave to others can go on.
  private func allQuiet() async {
    repeat { await quiet() } while elsewhere.run() > 0
  }

  // MARK: one load for all

  @Test func `a thousand who want the same compressed block cause one load of it`() async throws {
    let store = tiers(inline: .bytes(0))
    _ = compress(0..<1, in: store)
    let reader = try await reader(store)
    let reads = (0..<1000).map { number in
      start { try await reader.read(number..<number + 100) == source.expected(number..<number + 100) }
    }
    await quiet()
    #expect(store.counts().compressed.hits == 1000)
    #expect(decoding.count.now == 0)
    await quiet()
    #expect(elsewhere.run() > 0)
    for read in reads { #expect(try await read.value) }
    #expect(decoding.count.now == 1)
    #expect(source.requests.isEmpty)
    await reader.close()
  }

  @Test func `a quick piece is brought on the thread that reads, without a task`() async throws {
    let store = tiers()
    _ = compress(0..<10, in: store)
    let reader = try await reader(store)
    let source = source
    let isRight = Tally()
    let jobs = try JobCount.of {
      isRight.change(by: try await reader.read(100..<30_000) == source.expected(100..<30_000) ? 1 : 0)
    }
    #expect(jobs == 1, "nothing suspended")
    #expect(isRight.now == 1)
    #expect(decoding.count.now == 8)
    #expect(source.requests.isEmpty)
  }

  @Test func `a quick piece that is all of a read takes no flight, unless one brings it`() async throws {
    let store = tiers()
    _ = compress(0..<3, in: store)
    let reader = try await reader(store)
    #expect(try await doing { try await isRight(reader, 100..<300) })
    #expect(try await doing { try await isRight(reader, 4096..<8192) })
    let token = try #require(store.sources.all.first)
    #expect(decoding.count.now == 2 && token.flights.completionCount == 0)
    // Of two blocks each is a piece.
    #expect(try await doing { try await isRight(reader, 5000..<9000) })
    #expect(token.flights.completionCount > 0)
    #expect(source.requests.isEmpty)
    await reader.close()
  }

  @Test func `of one request only so much is decompressed by who reads, the rest by others`() async throws {
    let store = tiers()
    _ = compress(0..<200, in: store)
    let reader = try await reader(store)
    #expect(try await doing { try await isRight(reader, 0..<200 * 4096) })
    #expect(decoding.count.now == 200)
    #expect(source.requests.isEmpty)
  }

  @Test func `a large piece is brought elsewhere, and cancelled readers do not wait for it`() async throws {
    let store = tiers(inline: .bytes(100))
    _ = compress(0..<1, in: store)
    let reader = try await reader(store)
    let reads = (0..<10).map { _ in start { try await reader.read(0..<100) } }
    await quiet()
    #expect(store.counts().compressed.hits == 10)
    for read in reads { read.cancel() }
    for read in reads { await #expect(throws: CancellationError.self) { try await read.value } }
    await allQuiet()
    #expect(store.sources.all.allSatisfy { $0.flights.count == 0 })
    // It is still there.
    let again = start { try await isRight(reader, 0..<100) }
    await quiet()
    #expect(elsewhere.run() > 0)
    #expect(try await again.value)
    #expect(source.requests.isEmpty)
    #expect(store.memory!.memory.counts().reservedBytes == 0)
  }

  @Test func `closing the reader that began a load ends its reads, and others have theirs`() async throws {
    let store = tiers(inline: .bytes(100))
    _ = compress(0..<1, in: store)
    let (one, other) = (try await reader(store), try await reader(store))
    let first = start { try await one.read(0..<100) }
    await quiet()
    #expect(store.counts().compressed.hits == 1)
    let second = start { try await other.read(50..<300) == source.expected(50..<300) }
    await quiet()
    #expect(store.counts().compressed.hits == 2)
    let closing = start { await one.close() }
    let error = await #expect(throws: ReadError.self) { try await first.value }
    #expect(error?.code == .closed)
    await quiet()
    #expect(elsewhere.run() > 0)
    #expect(try await second.value)
    await closing.value
    await other.close()
    #expect(decoding.count.now == 1)
    #expect(source.requests.isEmpty)
  }

  // MARK: requests

  @Test func `ranges that overlap, some held, some missing, are put together`() async throws {
    let store = tiers()
    _ = compress(2..<4, in: store)
    let reader = try await reader(store, fill: .exact)
    let ranges = [8000..<13_000, 9000..<9100, 0..<20_000, 16_000..<17_000, 12_288..<12_289]
    #expect(try await doing { try await reader.read(ranges) } == ranges.map { source.expected($0) })
    #expect(source.requests.sorted { $0.lowerBound < $1.lowerBound } == [0..<8192, 16_384..<20_000])
    #expect(try await doing { try await reader.read(ranges) } == ranges.map { source.expected($0) })
    #expect(source.requests.count == 2)
  }

  /// Another reader left a part of a block; this one fetches whole blocks, so the source's flight brings what is held.
  @Test func `a block of which a part is held is fetched as a whole, and the next is not forgotten`() async throws {
    let store = tiers(inline: .bytes(0))
    let fill = compress(0..<1, 0..<2000, in: store)
    fill.put(1, in: store.memory!.compressed!)
    let reader = try await reader(store)
    #expect(try await doing { try await isRight(reader, 100..<8000) })
    #expect(source.requests == [0..<4096])
    #expect(decoding.count.now == 1)
  }

  @Test func `what is cached only is served from the compressed tier, and asks no source`() async throws {
    let store = tiers()
    _ = compress(0..<4, in: store)
    let reader = try await reader(store)
    asking.caching = .onlyIfCached
    #expect(try await doing { try await isRight(reader, 100..<16_000) })
    #expect(try await doing { try await reader.read([0..<10, 5000..<6000]) }.map(\.count) == [10, 1000])
    let error = await #expect(throws: ReadError.self) { try await doing { try await reader.read(16_000..<17_000) } }
    #expect(error?.code == .notCached)
    decoding.isDamaged.withLock { $0 = true }
    store.memory!.memory.removeAll()
    let damaged = await #expect(throws: ReadError.self) { try await doing { try await reader.read(12_288..<12_300) } }
    #expect(damaged?.code == .notCached)
    #expect(source.requests.isEmpty)
  }

  @Test func `a held piece that turns out to be damaged is fetched from the source, for all who wait`() async throws {
    for inline in [0, 4096] {
      let store = tiers(inline: .bytes(inline))
      _ = compress(0..<2, in: store)
      let reader = try await reader(store)
      let before = source.requests.count
      decoding.isDamaged.withLock { $0 = true }
      let reads = (0..<20).map { number in start { try await isRight(reader, number..<5000) } }
      for read in reads { #expect(try await doing { try await read.value }) }
      #expect(ByteRanges.normalize(source.requests[before...]) == [0..<8192])
      // Each byte once, whether both blocks were asked for together or one after the other.
      #expect(source.requests[before...].reduce(0) { $0 + $1.count } == 8192)
      #expect(store.counts().compressed.damaged == 2)
      decoding.isDamaged.withLock { $0 = false }
    }
  }

  @Test(arguments: [true, false]) func `a store that never brings what it finds is given up`(_ isQuick: Bool)
    async throws
  {
    /// Brings nothing, or what is too short.
    struct Never: PieceLoader {
      let isQuick: Bool
      func load(whenLate: @escaping @Sendable () -> Void) async -> Bytes? { nil }
      func answer() -> ReadAnswer<Bytes?> { .here(Bytes([1, 2, 3])) }
    }
    final class Liar: FullChunkStore {
      let sources = ChunkSources()
      let isQuick: Bool
      init(_ isQuick: Bool) { self.isQuick = isQuick }
      func lookUp(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> ChunkLookup {
        let ticket = sources.all[0].ticket()
        let deferred = DeferredPiece(
          range: range, wanted: range, ticket: ticket, shouldPromote: true, loader: Never(isQuick: isQuick))
        return .partial(pieces: [], deferred: [deferred], gaps: [])
      }
      func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? { nil }
      func insert(_ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation)
        -> Bool
      { false }
      func cancel(_ reservation: ChunkReservation) {}
      func erase(_ range: ByteRange, of token: ChunkToken) {}
      func coverage(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ByteRange] { [range] }
      func explain(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ReadExplanation.Part] {
        [.init(range, ReadExplanation.Origin("Liar"))]
      }
    }
    let liar = Liar(isQuick)
    let alone = try await reader(liar)
    #expect(try await doing { try await isRight(alone, 0..<100) })
    asking.caching = .onlyIfCached
    let error = await #expect(throws: ReadError.self) { try await doing { try await alone.read(0..<100) } }
    #expect(error?.code == .notCached)
    asking.caching = .normal
    // Nor does what it brings go up.
    let below = Liar(isQuick)
    let store = TieredStore(MemoryStore(.init(limit: .mebibytes(1)), sources: below.sources), below)
    let reader = try await reader(store)
    #expect(try await doing { try await isRight(reader, 0..<100) })
  }

  // MARK: what is kept

  @Test func `on second touch what is compressed is served at the first, and what is missing goes past`() async throws {
    let store = tiers()
    _ = compress(0..<1, in: store)
    let reader = try await reader(store, onSecondRead: true)
    #expect(try await doing { try await isRight(reader, 0..<100) })
    #expect(source.requests.isEmpty)
    #expect(try await doing { try await isRight(reader, 8192..<8200) })
    #expect(source.requests == [8192..<8200])
    #expect(try await doing { try await isRight(reader, 8192..<8200) })
    #expect(source.requests == [8192..<8200, 8192..<12_288])
    #expect(try await doing { try await isRight(reader, 8200..<9000) })
    #expect(source.requests.count == 2)
  }

  @Test func `the rest of a block is fetched beside what is held of it`() async throws {
    let store = tiers()
    _ = compress(0..<1, 0..<1000, in: store)
    let reader = try await reader(store, fill: .requestedFirst)
    #expect(try await doing { try await isRight(reader, 500..<1500) })
    await allQuiet()
    #expect(store.contains(0..<4096, of: reader.source))
    #expect(ByteRanges.normalize(source.requests) == [1000..<4096])
    #expect(source.requests.reduce(0) { $0 + $1.count } == 3096)
  }

  @Test func `what is held when its source is removed is served to who waits, and is not promoted`() async throws {
    let store = tiers(inline: .bytes(0))
    let fill = compress(0..<1, in: store)
    // The second touch would promote it.
    _ = fill.held(0..<10, in: store)
    let reader = try await reader(store)
    let hits = store.counts().compressed.hits
    let read = start { try await isRight(reader, 0..<100) }
    await quiet()
    #expect(store.counts().compressed.hits > hits)
    store.remove(source: reader.source.id)
    await quiet()
    #expect(elsewhere.run() > 0)
    #expect(try await read.value)
    #expect(!store.contains(0..<1, of: reader.source))
    #expect(store.memory!.memory.counts().bytes == 0)
  }
}
