import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Ranges that overlap, contain each other or grow, and what a store makes of them.
struct OverlappingRangesTests {
  private let store = MemoryStore(limit: .kibibytes(64))

  @Test func `the counter shrinks at eviction, so that a full store takes new items for ever`() throws {
    // There: with a limit of 1,000 the store was stuck at one item.
    let store = MemoryStore(limit: .bytes(1000))
    let source = StoredSource(store, byteCount: 1 << 20, blockSize: 64)
    for block in 0..<1000 {
      #expect(source.put(source.block(block)))
      #expect(source.holds(source.block(block)))
      #expect(store.counts().bytes <= 1000)
    }
    let statistics = store.counts()
    #expect(statistics.blocks == 1000 / MemoryStore.charge(of: 64))
    #expect(statistics.bytes == MemoryRecount(store).bytes)
    #expect(statistics.evictions == 1000 - statistics.blocks)
  }

  @Test(arguments: [[0..<50, 10..<20, 50..<100], [50..<100, 0..<50, 10..<20], [10..<20, 50..<100, 0..<50]])
  func `a range over two items hits though a third one lies within the first`(_ items: [ByteRange]) {
    // There: items 0..<50, 10..<20 and 50..<100, then 40..<60 missed.
    for blockSize in [16, 64, 4096] {
      let source = StoredSource(MemoryStore(limit: .kibibytes(64)), byteCount: 1000, blockSize: blockSize)
      for item in items { #expect(source.put(item)) }
      #expect(source.holds(40..<60))
      #expect(source.holds(0..<100))
      #expect(source.store.cachedRanges(of: source.source) == [0..<100])
    }
  }

  @Test func `a superset takes the place of its subsets`() {
    let source = StoredSource(store)
    for start in stride(from: 0, to: 4000, by: 1000) { source.put(start..<start + 100) }
    #expect(MemoryRecount(store).entries[0].pieces.count == 4)
    #expect(source.put(source.block(0)))
    let recount = MemoryRecount(store)
    #expect(recount.entries.count == 1)
    #expect(recount.entries[0].pieces.count == 1)
    #expect(store.counts().bytes == MemoryStore.charge(of: 4096))
    #expect(recount.faults.isEmpty)
    #expect(source.holds(source.block(0)))
  }

  @Test func `a subset of what is there changes nothing`() {
    let source = StoredSource(store)
    source.put(source.block(0))
    let before = store.counts()
    #expect(source.put(100..<200))
    let after = store.counts()
    #expect((after.bytes, after.blocks, after.merges) == (before.bytes, before.blocks, 0))
    #expect(after.reservedBytes == 0)
  }

  @Test func `an item larger than the store is served and not kept`() async throws {
    let source = SyntheticSource(byteCount: 1 << 20)
    let store = MemoryStore(limit: .kibibytes(64))
    let reader = try await RangeReader(source, [.caching(store, fill: .exact, blockSize: .kibibytes(4))])
    _ = try await reader.read(0..<4096)
    for _ in 0..<3 {
      #expect(try await reader.read(0..<1 << 20) == SyntheticSource.bytes(0..<1 << 20))
      #expect(store.counts().blocks == 1)
      #expect(store.counts().reservedBytes == 0)
    }
    #expect(store.contains(0..<4096, of: reader.source))
    #expect(store.counts().dropped == 3)
    #expect(store.counts().peakBytes <= 64 << 10)
  }

  @Test func `an item of which some is there already is refused as a whole, and leaves what is there`() async throws {
    let source = SyntheticSource(byteCount: 1 << 20)
    let store = MemoryStore(limit: .kibibytes(64))
    let reader = try await RangeReader(source, [.caching(store, fill: .exact, blockSize: .kibibytes(4))])
    // Gaps of 32 KiB on both sides: each alone would fit.
    _ = try await reader.read(40_960..<45_056)
    #expect(try await reader.read(0..<90_000) == SyntheticSource.bytes(0..<90_000))
    #expect(store.cachedRanges(of: reader.source) == [40_960..<45_056])
  }

  @Test(arguments: [ReadPipeline.CacheFill.exact, .block, .requestedFirst])
  func `fewer bytes than asked for are an error, never unwritten memory`(_ fill: ReadPipeline.CacheFill)
    async throws
  {
    // There: the item had the size asked for, and its end was what the allocator left.
    let source = FaultySource(SyntheticSource(byteCount: 100_000)) { number, _ in number < 2 ? .short(by: 10) : nil }
    let reader = try await RangeReader(source, [.caching(store, fill: fill, blockSize: .kibibytes(4))])
    for _ in 0..<2 {
      await #expect { try await reader.read(5000..<6000) } throws: { ($0 as? ReadError)?.code == .invalidResponse }
      #expect(store.counts().blocks == 0)
      #expect(store.counts().bytes == 0)
    }
    #expect(try await reader.read(5000..<6000) == SyntheticSource.bytes(5000..<6000))
  }

  @Test func `more bytes than asked for are an error, and not kept`() async throws {
    let source = FaultySource(SyntheticSource(byteCount: 100_000)) { number, _ in number == 0 ? .long(by: 10) : nil }
    let reader = try await RangeReader(source, [.caching(store, blockSize: .kibibytes(4))])
    await #expect { try await reader.read(5000..<6000) } throws: { ($0 as? ReadError)?.code == .invalidResponse }
    #expect(store.counts().bytes == 0)
    #expect(try await reader.read(5000..<6000) == SyntheticSource.bytes(5000..<6000))
  }

  @Test func `every way of a hit gives the right bytes on every platform`() {
    // There: every hit crashed on Linux.
    let source = StoredSource(store, byteCount: 50_000)
    source.put(0..<4096)
    source.put(4196..<4300)
    source.put(4400..<4500)
    source.put(8192..<20_480)
    source.put(49_152..<50_000)
    // In one piece; at both ends of it; over blocks; to the end of the source.
    for range in [0..<4096, 0..<1, 4095..<4096, 8192..<20_480, 12_000..<12_400, 16_383..<16_385, 49_999..<50_000] {
      #expect(source.holds(range))
      let quick = store.hit(range, token: source.token.number, grid: source.token.grid)
      #expect(quick == nil || quick == source.expected(range))
    }
    #expect(store.hit(10..<20, token: source.token.number, grid: source.token.grid) == source.expected(10..<20))
    // In pieces.
    guard case .partial(let pieces, _, let gaps) = source.look(4000..<8300) else {
      Issue.record("not a partial hit")
      return
    }
    #expect(pieces.map(\.range) == [4000..<4096, 4196..<4300, 4400..<4500, 8192..<8300])
    #expect(gaps == [4096..<4196, 4300..<4400, 4500..<8192])
    for piece in pieces { #expect(piece.bytes == source.expected(piece.range)) }
    // Nothing.
    guard case .miss = source.look(4096..<4196) else {
      Issue.record("not a miss")
      return
    }
  }

  @Test func `a file that is still being recorded is read as it grows, and old parts stay`() async throws {
    let source = SyntheticSource(byteCount: 10_000)
    let reader = try await RangeReader(source, [.caching(store, fill: .exact, blockSize: .kibibytes(4))])
    #expect(try await reader.read(0..<10_000) == SyntheticSource.bytes(0..<10_000))
    for size in [10_001, 12_000, 20_000] {
      source.grow(by: size - reader.byteCount)
      #expect(try await reader.refresh() == size)
      #expect(try await reader.read(0..<size) == SyntheticSource.bytes(0..<size))
      #expect(try await reader.read(size - 5000..<size) == SyntheticSource.bytes(size - 5000..<size))
    }
  }

  @Test func `removing all empties the store, which goes on`() {
    let source = StoredSource(store)
    source.put(0..<4096)
    store.removeAll()
    #expect(store.counts().bytes == 0)
    #expect(!source.contains(0..<1))
    #expect(source.put(0..<4096))
    #expect(source.holds(0..<4096))
  }
}
