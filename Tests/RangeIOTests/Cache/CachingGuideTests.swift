import RangeIOTiers
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What the guide to caching shows, line by line.
@Suite struct CachingGuideTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let contents = (0..<100_000).map { UInt8(truncatingIfNeeded: ($0 &* 31) >> 3) }

  init() async throws {
    directory = try TemporaryDirectory()
    path = try await directory.file("survey.bin", contents)
  }

  @Test func `a store serves several readers, and one read may do otherwise`() async throws {
    let store = MemoryStore(limit: .mebibytes(256))
    let survey = try await RangeReader(FileSource(path), [.caching(store)])
    let index = try await RangeReader(FileSource(path), [.caching(store, fill: .exact)])
    #expect(try await survey.read(0..<4096) == Bytes(contents[0..<4096]))
    #expect(try await index.read(90_000..<90_010) == Bytes(contents[90_000..<90_010]))
    #expect(store.counts().bytes > 65_536)

    let fresh = try await survey.read(0..<4096, caching: .bypass)
    let there = try await survey.read(0..<4096, caching: .onlyIfCached)
    #expect(fresh == there)
    let error = await #expect(throws: ReadError.self) { try await survey.read(70_000..<70_010, caching: .onlyIfCached) }
    #expect(error?.code == .notCached)
    await survey.close()
    await index.close()
  }

  @Test func `limits are set and changed`() async throws {
    var limits = MemoryStore.Configuration(limit: .mebibytes(256))
    limits.ageLimit = .seconds(600)
    limits.idleLimit = .seconds(60)
    limits.sourceShare = 0.5
    limits.eviction = .s3fifo
    let store = MemoryStore(limits)

    try await store.resize(to: .mebibytes(64))
    try await store.trim(to: .mebibytes(16))
    store.handleMemoryPressure(.warning)
    #expect(store.counts().limit == 64 << 20)
  }

  @Test func `a store says what is there, keeps what must stay and removes`() async throws {
    let store = MemoryStore(limit: .mebibytes(256))
    let survey = try await RangeReader(FileSource(path), [.caching(store)])
    _ = try await survey.read(0..<10)

    let isThere = store.contains(0..<4096, of: survey.source)
    let ranges = store.cachedRanges(of: survey.source)
    #expect(isThere && ranges == [0..<65_536])

    try store.pin(0..<512, of: survey.source)
    #expect(store.counts().pinnedBytes > 0)
    store.unpin(0..<512, of: survey.source)
    try store.setMetadata(Bytes("parsed".utf8), of: survey.source)
    let note = store.metadata(of: survey.source)
    #expect(note == Bytes("parsed".utf8) && store.counts().pinnedBytes == 0)

    store.remove(4096..<8192, of: survey.source)
    #expect(!store.contains(4096..<8192, of: survey.source))
    store.remove(source: survey.source.id)
    for await progress in store.removeAll() { #expect(progress.removedBytes <= progress.totalBytes) }
    #expect(store.counts().blocks == 0 && store.metadata(of: survey.source) == nil)
    await survey.close()
  }

  @Test func `compressed memory lies below memory`() async throws {
    let tiers = TieredStore(memory: .mebibytes(256), compressed: .mebibytes(128))
    let planet = try await RangeReader(FileSource(path), [.caching(tiers)])
    #expect(try await planet.read(0..<4096) == Bytes(contents[0..<4096]))
    #expect(tiers.contains(0..<4096, of: planet.source))
    await planet.close()
  }

  @Test func `the guide to tiers says what works`() async throws {
    let limit = min(.gibibytes(1), .processMemory / 4)
    #expect(limit > .mebibytes(1))
    var configuration = TieredStore.Configuration(memory: .mebibytes(256), compressed: .mebibytes(128))
    configuration.codec = IdentityCodec()
    let store = TieredStore(configuration)
    let listening = store.handleMemoryPressure(from: MemoryPressure.signals())
    try await store.resize(memory: .mebibytes(64), compressed: .mebibytes(32))
    #expect(store.counts().limit == 96 << 20)
    #expect(store.counts().moving.dropped == 0)
    listening.cancel()
  }
}
