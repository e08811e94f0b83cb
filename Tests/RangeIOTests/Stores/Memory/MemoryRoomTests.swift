import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// The limit by bytes while the store is in use: resized, shared, pinned, written over with metadata, short of memory.
@Suite(.simulated) struct MemoryRoomTests {
  private static let charge = MemoryStore.charge(of: 4096)
  private let store = MemoryStore(limit: MemoryStore.charge(blocks: 100))

  private func source(blocks: Int = 0, id: String = "source") -> StoredSource {
    let source = StoredSource(store, id: id)
    for block in 0..<blocks { source.put(source.block(block)) }
    return source
  }

  // MARK: resizing

  @Test func `resizing returns when no more is held`() async throws {
    let source = source(blocks: 100)
    try await store.resize(to: MemoryStore.charge(blocks: 10))
    #expect(store.counts().bytes == 10 * Self.charge)
    #expect(store.counts().limit == 10 * Self.charge)
    #expect(MemoryRecount(store).faults.isEmpty)
    for block in 0..<50 { source.put(source.block(block)) }
    #expect(store.counts().blocks == 10)
    try await store.resize(to: MemoryStore.charge(blocks: 20))
    for block in 0..<50 { source.put(source.block(block)) }
    #expect(store.counts().blocks == 20)
  }

  @Test func `the number of blocks is limited, too, and the limit can be changed and trimmed to`() async throws {
    var configuration = MemoryStore.Configuration(limit: MemoryStore.charge(blocks: 100))
    configuration.blockLimit = 50
    let store = MemoryStore(configuration)
    let source = StoredSource(store)
    for block in 0..<80 { source.put(source.block(block)) }
    #expect(store.counts().blocks == 50)
    try await store.trim(toBlocks: 30)
    #expect(store.counts().blocks == 30)
    try await store.resize(to: MemoryStore.charge(blocks: 100), blocks: 10)
    #expect(store.counts().blocks == 10)
    for block in 0..<80 { source.put(source.block(block)) }
    #expect(store.counts().blocks == 10)
    #expect(MemoryRecount(store).faults.isEmpty)
    try store.pin(0..<20 * 4096, of: source.source)
    for block in 0..<20 { source.put(source.block(block)) }
    await #expect(throws: ReadError.self) { try await store.resize(to: MemoryStore.charge(blocks: 100), blocks: 1) }
  }

  @Test func `resizing waits for what reads under way have reserved`() async throws {
    let source = source(blocks: 50)
    let reservation = try #require(source.reserve(60 * 4096..<80 * 4096))
    let isDone = Noted<Int>()
    let resizing = start {
      try await store.resize(to: MemoryStore.charge(blocks: 10))
      isDone.add(1)
    }
    await quiet()
    #expect(store.counts().blocks == 0)
    // The new limit binds at once.
    #expect(source.reserve(0..<4096) == nil)
    #expect(isDone.all.isEmpty)
    store.cancel(reservation)
    try await resizing.value
    #expect(store.counts().bytes == 0)
  }

  @Test func `bytes that arrive after the limit was lowered leave again, and resizing returns`() async throws {
    let source = source()
    let ticket = source.ticket
    let reservation = try #require(source.reserve(0..<20 * 4096))
    let resizing = start { try await store.resize(to: MemoryStore.charge(blocks: 10)) }
    await quiet()
    #expect(store.counts().limit == 10 * Self.charge)
    #expect(store.roomFreed.isHeard)
    source.insert(0..<20 * 4096, reservation, ticket)
    try await resizing.value
    #expect(store.counts().bytes <= 10 * Self.charge)
    #expect(MemoryRecount(store).faults.isEmpty)
  }

  @Test func `bytes that arrive over a lowered limit leave again without a waiter`() async throws {
    let source = source(blocks: 10)
    let ticket = source.ticket
    let reservation = try #require(source.reserve(20 * 4096..<60 * 4096))
    // As the tiers of one budget do, without waiting.
    store.setLimit(30 * Self.charge)
    source.insert(20 * 4096..<60 * 4096, reservation, ticket)
    #expect(store.counts().bytes <= 30 * Self.charge)
    #expect(store.counts().reservedBytes == 0)
  }

  @Test func `a resize that is cancelled leaves the limit as it was, and no waiter`() async throws {
    let source = source()
    let before = store.counts().limit
    let reservation = try #require(source.reserve(0..<20 * 4096))
    let resizing = start { try await store.resize(to: MemoryStore.charge(blocks: 10)) }
    await quiet()
    #expect(store.roomFreed.isHeard)
    resizing.cancel()
    await #expect(throws: CancellationError.self) { try await resizing.value }
    #expect(store.counts().limit == before)
    #expect(!store.roomFreed.isHeard)
    store.cancel(reservation)
  }

  @Test func `resizing below what is pinned throws, with the limit as it was`() async throws {
    let source = source(blocks: 50)
    let before = store.counts().limit
    try store.pin(0..<20 * 4096, of: source.source)
    try store.setMetadata(Bytes(Array(repeating: 1, count: 4096)), of: source.source)
    await #expect {
      try await store.resize(to: MemoryStore.charge(blocks: 20))
    } throws: { ($0 as? ReadError)?.code == .limitExceeded }
    #expect(store.counts().limit == before)
    #expect(store.counts().bytes == 21 * Self.charge, "what was evicted stays so")
    #expect(source.put(source.block(30)))
    #expect(store.counts().bytes == 22 * Self.charge)
  }

  @Test(arguments: [[0, 1], [1, 0]])
  func `two resizes that are cancelled leave the limit as it was before both`(order: [Int]) async throws {
    let source = source()
    let before = store.counts().limit
    let reservation = try #require(source.reserve(0..<40 * 4096))
    var resizings: [Task<Void, any Error>] = []
    for blocks in [10, 20] {
      resizings.append(start { try await store.resize(to: MemoryStore.charge(blocks: blocks)) })
      await quiet()
    }
    #expect(store.counts().limit == 20 * Self.charge)
    for index in order {
      resizings[index].cancel()
      await #expect(throws: CancellationError.self) { try await resizings[index].value }
    }
    #expect(store.counts().limit == before)
    store.cancel(reservation)
  }

  @Test func `trimming leaves what is pinned and what is reserved`() async throws {
    let source = source(blocks: 50)
    try store.pin(0..<5 * 4096, of: source.source)
    let reservation = try #require(source.reserve(60 * 4096..<70 * 4096))
    try await store.trim(to: .bytes(0))
    #expect(store.counts().bytes == 15 * Self.charge)
    #expect(source.holds(0..<5 * 4096))
    store.cancel(reservation)
  }

  // MARK: pins

  @Test func `a file's header stays, whatever is read`() async throws {
    let synthetic = SyntheticSource(byteCount: 1 << 22)
    let reader = try await RangeReader(synthetic, [.caching(store, blockSize: .kibibytes(4))])
    // Before anything of it is here.
    try store.pin(0..<5000, of: reader.source)
    _ = try await reader.read(0..<5000)
    for offset in stride(from: 0, to: 1 << 22, by: 4096) { _ = try await reader.read(offset..<offset + 1) }
    #expect(store.contains(0..<8192, of: reader.source))
    #expect(store.counts().pinnedBytes == 2 * Self.charge)
    let reads = synthetic.readCount
    #expect(try await reader.read(0..<5000) == SyntheticSource.bytes(0..<5000))
    #expect(synthetic.readCount == reads)
    store.handleMemoryPressure(.critical)
    #expect(store.counts().bytes == 2 * Self.charge)
  }

  @Test func `a block stays pinned until no pinned range touches it`() throws {
    let source = source(blocks: 3)
    try store.pin(0..<100, of: source.source)
    try store.pin(4000..<4200, of: source.source)
    #expect(store.counts().pinnedBytes == 2 * Self.charge)
    store.unpin(0..<50, of: source.source)
    store.unpin(4096..<5000, of: source.source)
    #expect(store.counts().pinnedBytes == Self.charge)
    store.unpin(50..<4096, of: source.source)
    #expect(store.counts().pinnedBytes == 0)
    #expect(MemoryRecount(store).faults.isEmpty)
  }

  @Test func `a pin of what no source has is an error, and of nothing is nothing`() throws {
    let source = source(blocks: 1)
    for range in [-1..<5, 0..<(1 << 20) + 1, Int.min..<Int.max] {
      #expect { try store.pin(range, of: source.source) } throws: {
        ($0 as? ReadError)?.code == .rangeNotSatisfiable
      }
    }
    try store.pin(5..<5, of: source.source)
    #expect(store.counts().pinnedBytes == 0)
  }

  @Test(arguments: [false, true]) func `pins go with their source, and with all`(_ isAll: Bool) throws {
    let source = source(blocks: 3)
    try store.pin(0..<4096, of: source.source)
    if isAll { store.removeAll() } else { store.remove(source: "source") }
    #expect(store.counts().pinnedBytes == 0)
    source.put(0..<4096)
    #expect(store.counts().pinnedBytes == 0)
  }

  @Test func `pins and metadata stay while another grid of the same version is read`() throws {
    let store = store
    let fine = StoredSource(store, blockSize: 4096, reading: true)
    let coarse = StoredSource(store, blockSize: 16_384, reading: true)
    try store.pin(0..<100, of: fine.source)
    try store.setMetadata([1], of: fine.source)
    fine.put(0..<4096)
    coarse.put(0..<16_384)
    let newer = StoredSource(store, version: 1)
    #expect(store.sources.endReading(fine.token))
    store.erase(.retired(fine.token))
    #expect(!fine.token.isAlive && coarse.token.isAlive)
    #expect(store.metadata(of: coarse.source) == [1])
    #expect(store.counts().pinnedBytes == MemoryStore.charge(of: 16_384))
    coarse.put(16_384..<2 * 16_384)
    store.handleMemoryPressure(.critical)
    #expect(coarse.holds(0..<16_384))
    #expect(store.sources.endReading(coarse.token))
    store.erase(.retired(coarse.token))
    #expect(store.counts().bytes == 0)
    #expect(store.metadata(of: coarse.source) == nil)
    #expect(newer.put(0..<4096))
  }

  // MARK: shares

  @Test func `a source at its share makes room among its own`() {
    var configuration = MemoryStore.Configuration(limit: MemoryStore.charge(blocks: 100))
    configuration.sourceShare = 0.25
    let store = MemoryStore(configuration)
    let modest = StoredSource(store, id: "modest")
    for block in 0..<20 { modest.put(modest.block(block)) }
    let scan = StoredSource(store, id: "scan", byteCount: 1 << 30)
    for block in 0..<10_000 { scan.put(scan.block(block)) }
    #expect(modest.holds(0..<20 * 4096))
    #expect(store.counts().blocks <= 45)
    // Not less either: the scan has what it may.
    #expect(store.counts().blocks >= 44)
  }

  @Test func `reads under way together stay within their source's share`() throws {
    var configuration = MemoryStore.Configuration(limit: MemoryStore.charge(blocks: 100))
    configuration.sourceShare = 0.25
    let source = StoredSource(MemoryStore(configuration), byteCount: 1 << 30)
    let ranges = (0..<10).map { $0 * 10 * 4096..<($0 + 1) * 10 * 4096 }
    let reservations = ranges.compactMap { source.reserve($0) }
    #expect(reservations.count == 2)
    source.insert(ranges[0], reservations[0], source.ticket)
    source.store.cancel(reservations[1])
    #expect(source.put(ranges[1]))
    #expect(source.store.counts().blocks == 20)
    #expect(MemoryRecount(source.store).faults.isEmpty)
  }

  // MARK: metadata

  @Test func `metadata is charged, and bounded by half of the store`() throws {
    let source = source(blocks: 100)
    let metadata = Bytes(Array(repeating: 7, count: 50_000))
    try store.setMetadata(metadata, of: source.source)
    #expect(store.counts().bytes <= store.counts().limit)
    #expect(store.counts().bytes == MemoryRecount(store).bytes + MemoryStore.charge(of: 50_000))
    #expect(store.counts().reservedBytes == 0)
    #expect { try store.setMetadata(Bytes(Array(repeating: 1, count: 300_000)), of: source.source) } throws: {
      ($0 as? ReadError)?.code == .limitExceeded
    }
    #expect(store.metadata(of: source.source) == metadata)
    try store.setMetadata([], of: source.source)
    #expect(store.metadata(of: source.source) == [])
    store.remove(source: "source")
    #expect(store.metadata(of: source.source) == nil)
    #expect(store.counts().bytes == 0)
  }

  @Test func `metadata is a copy: it holds nothing of what it was cut from`() throws {
    let source = source()
    let large = SyntheticSource.bytes(0..<1 << 20)
    try store.setMetadata(large.slice(10..<20), of: source.source)
    #expect(store.metadata(of: source.source)?.backingByteCount ?? 0 < 100)
  }

  @Test func `metadata belongs to a version`() throws {
    let source = source()
    try store.setMetadata([1], of: source.source)
    let newer = StoredSource(store, version: 1)
    #expect(store.metadata(of: newer.source) == nil)
    #expect(store.metadata(of: source.source) == nil)
    #expect(store.counts().bytes == 0)
  }

  @Test func `sources without readers and blocks are forgotten, those with metadata or pins not`() throws {
    for number in 0..<2000 {
      let source = StoredSource(store, id: "\(number)")
      switch number {
      case 10: try store.setMetadata([1], of: source.source)
      case 20: try store.pin(0..<1, of: source.source)
      case 30: source.put(0..<4096)
      default: break
      }
    }
    #expect(store.sources.count < 600)
    #expect(store.metadata(of: StoredSource(store, id: "10").source) == [1])
    StoredSource(store, id: "20").put(0..<4096)
    #expect(store.counts().pinnedBytes == Self.charge)
    #expect(StoredSource(store, id: "30").holds(0..<4096))
  }

  // MARK: pressure

  @Test func `pressure comes as a sequence of signals, until it ends or the store is gone`() async {
    let (signals, continuation) = AsyncStream.makeStream(of: MemoryPressure.self)
    let source = source(blocks: 100)
    let listening = store.handleMemoryPressure(from: signals)
    continuation.yield(.normal)
    continuation.yield(.warning)
    await quiet()
    #expect(store.counts().blocks == 50)
    try? store.pin(0..<100 * 4096, of: source.source)
    continuation.yield(.critical)
    continuation.yield(.warning)
    continuation.finish()
    await listening.value
    #expect(store.counts().blocks == 50)
  }

  @Test func `listening for pressure keeps no store alive, and can be stopped`() async {
    let (signals, continuation) = AsyncStream.makeStream(of: MemoryPressure.self)
    var store: MemoryStore? = MemoryStore(limit: .mebibytes(1))
    let listening = store?.handleMemoryPressure(from: signals)
    weak let gone = store
    store = nil
    await quiet()
    #expect(gone == nil)
    continuation.yield(.warning)
    await listening?.value
    let another = self.store.handleMemoryPressure(from: AsyncStream.makeStream(of: MemoryPressure.self).stream)
    another.cancel()
    await another.value
  }
}
