import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

@Suite struct SpillTiersTests {
  private func tiers(_ spill: SpillOnDisk, memory: ByteCount = .kibibytes(512)) async throws -> TieredStore {
    try await TieredStore(memory: memory, disk: spill.configuration)
  }

  private func read(_ blocks: Range<Int>, _ source: FillRangeSource, _ store: TieredStore) async throws {
    let reader = try await RangeReader(source, [.caching(store)])
    for block in blocks {
      let range = block * 4096..<(block + 1) * 4096
      #expect(try await reader.read(range) == source.expected(range))
      // A source that answers at once evicts faster than a disk writes.
      if block % 8 == 0 { try await store.flush() }
    }
    await reader.close()
  }

  @Test func `what memory evicts is on the disk, and the second process starts warm`() async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(8))
    let store = try await tiers(spill)
    var source = FillRangeSource(byteCount: 4 << 20)
    try await read(0..<500, source, store)
    try await store.close()
    #expect(source.requests.count == 500)
    let again = try await tiers(spill)
    source = FillRangeSource(byteCount: 4 << 20)
    try await read(0..<500, source, again)
    #expect(source.requests.isEmpty)
    let statistics = again.counts()
    #expect(statistics.disk!.hits == 500)
    #expect(statistics.peakBytes <= statistics.limit)
    try await again.close()
  }

  @Test(arguments: [128, 256, 260, 512])
  func `too little memory for the blocks that wait for the disk is said`(_ kibibytes: Int) async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(8))
    let store = try await tiers(spill, memory: .kibibytes(kibibytes))
    let isEnough = kibibytes > 256
    #expect(store.lastDiskFailure == nil || !isEnough)
    #expect(store.lastDiskFailure?.message.contains("512 KiB") ?? isEnough)
    let source = FillRangeSource(byteCount: 1 << 20, blockSize: 65_536)
    let reader = try await RangeReader(source, [.caching(store)])
    for block in 0..<16 {
      let range = block * 65_536..<(block + 1) * 65_536
      #expect(try await reader.read(range) == source.expected(range))
      try await store.flush()
    }
    #expect(try #require(store.counts().disk).blocks > 0 || !isEnough)
    await reader.close()
    try await store.close()
  }

  @Test(
    arguments: [
      (64 << 10, 256, nil, "an eighth of the disk's limit, 256 KiB: make it 1 MiB"),
      (64 << 10, 512, nil, "an eighth of the disk's limit, 512 KiB: make it 1 MiB"),
      (64 << 10, 1024, nil, nil), (512, 1024, nil, nil),
      (64 << 10, 8192, 32, "`stagingLimit` says, 32 KiB: make it 128 KiB"), (64 << 10, 512, 128, nil),
      (256, 8192, nil, "a quarter of the memory above, 256 KiB: give it 512 KiB"),
    ] as [(Int, Int, Int?, String?)])
  func `what bounds the blocks that wait for the disk is told, and what to do`(
    memory: Int, limit: Int, staging: Int?, message: String?
  ) async throws {
    let disk = try SpillOnDisk(limit: .kibibytes(limit)) { $0.stagingLimit = staging.map { .kibibytes($0) } }
    let store = try await tiers(disk, memory: .kibibytes(memory))
    #expect(store.lastDiskFailure.map { $0.message.contains(message ?? "nothing") } ?? (message == nil))
    try await store.close()
  }

  @Test func `under pressure what the disk has goes before what it has not`() async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(8))
    let store = try await tiers(spill, memory: .mebibytes(2))
    let source = FillRangeSource(byteCount: 4 << 20)
    try await read(0..<50, source, store)
    // The disk has the second half.
    let token = store.sources.all[0]
    for block in 25..<50 {
      let range = block * 4096..<(block + 1) * 4096
      let chunk = Chunk(
        ticket: token.ticket(fetchedAt: store.now), block: block, piece: RangedBytes(range, source.expected(range)))
      #expect(store.spill!.insertDemoted(chunk))
    }
    try await store.flush()
    store.handleMemoryPressure(.warning)
    let memory = store.memory!.memory
    let left = (0..<50).filter { memory.holds($0 * 4096..<($0 + 1) * 4096, token: token.number, grid: token.grid) }
    #expect(left.count == 25 && left.allSatisfy { $0 < 25 })
    try await store.close()
  }

  @Test func `what is removed is removed from the disk, and what an earlier process left, too`() async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(8))
    var store = try await tiers(spill)
    var source = FillRangeSource(byteCount: 4 << 20)
    try await read(0..<100, source, store)
    try await store.close()
    store = try await tiers(spill)
    // Nobody has read it in this process.
    store.remove(source: "fill")
    try await store.close()
    store = try await tiers(spill)
    #expect(store.spill!.isEmpty)
    source = FillRangeSource(byteCount: 4 << 20)
    try await read(0..<100, source, store)
    #expect(source.requests.count == 100)
    store.removeAll()
    try await store.close()
    store = try await tiers(spill)
    #expect(store.spill!.isEmpty)
    try await store.close()
  }

  @Test func `what comes into memory is written at once if the user wants that`() async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(8)) { $0.writesOnInsertion = true }
    let store = try await tiers(spill)
    let source = FillRangeSource(byteCount: 4 << 20)
    try await read(0..<20, source, store)
    try await store.flush()
    #expect(store.counts().disk!.blocks == 20)
    try await store.close()
  }
}
