import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// A tier on a disk with nothing above it.
struct DiskAloneTests {
  @Test func `it keeps what is read, and has it after a restart`() async throws {
    let directory = try TemporaryDirectory()
    var disk = DiskConfiguration(directory: directory.path("cache"), limit: .mebibytes(64))
    disk.keepsFastSources = true
    disk.freeSpaceFloor = .bytes(0)
    let source = StoredVersionSource()
    for isFirst in [true, false] {
      let store = try await TieredStore(disk: disk)
      let reader = try await RangeReader(source, [.caching(store)])
      #expect(try await reader.read(0..<100_000) == source.contents.expected(0..<100_000))
      #expect(try await reader.read(70_000..<80_000) == source.contents.expected(70_000..<80_000))
      #expect(source.contents.readCount == 1)
      #expect(store.contains(0..<100_000, of: reader.source))
      let statistics = store.counts()
      #expect(statistics.memory.limit == 0 && statistics.disk != nil)
      #expect(throws: ReadError.self) { try store.pin(0..<10, of: reader.source) }
      try await store.flush()
      if !isFirst {
        store.remove(source: reader.source.id)
        #expect(!store.contains(0..<1, of: reader.source))
      }
      await reader.close()
      try await store.close()
    }
  }

  @Test func `bytes are stored because they are asked to be, if there is a disk`() async throws {
    let source = StoredVersionSource()
    let description = try await source.describe()
    let block = source.contents.expected(0..<65_536)
    let memory = TieredStore(memory: .mebibytes(1), compressed: .mebibytes(1))
    let error = await #expect(throws: ReadError.self) { try await memory.store(block, at: 0..<65_536, of: description) }
    #expect(error?.code == .invalidConfiguration)
    let directory = try TemporaryDirectory()
    var disk = DiskConfiguration(directory: directory.path("cache"), limit: .mebibytes(64))
    disk.freeSpaceFloor = .bytes(0)
    let store = try await TieredStore(memory: .mebibytes(1), disk: disk)
    try await store.store(block, at: 0..<65_536, of: description)
    #expect(store.counts().disk?.written == 1)
    #expect(store.lastDiskFailure == nil)
    try await store.close()
  }

  @Test func `every switch is off, unless you set it`() {
    let disk = DiskConfiguration(directory: "/cache", limit: .mebibytes(64))
    #expect(!disk.refusesWhenFull && disk.syncsEvery == nil && !disk.writesOnInsertion)
    #expect(!disk.keepsFastSources && !disk.keepsFirstReads && !disk.isShared && !disk.isReadOnly)
  }
}

/// A source whose version can be written down.
private final class StoredVersionSource: RangeSource {
  private struct Version: SourceDescription.Validator {
    var persistentForm: [UInt8]? { [1] }
    func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
      newer is Version ? .same : .other
    }
  }
  let contents = SyntheticSource(byteCount: 1 << 20)

  func describe() async throws -> SourceDescription {
    SourceDescription(id: "stored", validator: Version(), byteCount: 1 << 20)
  }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    try await contents.read(range, of: contents.describe())
  }
}
