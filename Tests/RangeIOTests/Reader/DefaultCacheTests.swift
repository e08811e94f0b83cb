import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What a reader of a path keeps without being asked to.
struct DefaultCacheTests {
  private let directory: TemporaryDirectory
  private let store = MemoryStore(limit: .mebibytes(4))

  init() throws { directory = try TemporaryDirectory() }

  private func sourceBytes(_ reader: RangeReader) -> Int {
    reader.statistics().source.reduce(0) { $0 + ($1.bytes ?? 0) }
  }

  @Test func `what is read twice is kept, and what is read once is not`() async throws {
    let (path, bytes) = try await directory.file(count: 200_000)
    let reader = try await RangeReader(path, engine: TestEngine.current, cache: store)
    for (range, count) in [(100..<200, 100), (100..<200, 200), (100..<200, 200), (4096..<4097, 201)] {
      #expect(try await reader.read(range) == Bytes(bytes[range]))
      #expect(sourceBytes(reader) == count)
    }
    #expect(store.cachedRanges(of: reader.source) == [100..<200])
    #expect(store.counts().blocks == 1)
    await reader.close()
  }

  @Test func `a range over several blocks is kept and found`() async throws {
    let (path, bytes) = try await directory.file(count: 200_000)
    let reader = try await RangeReader(path, engine: TestEngine.current, cache: store)
    for _ in 0..<5 { #expect(try await reader.read(1000..<30_000) == Bytes(bytes[1000..<30_000])) }
    #expect(sourceBytes(reader) == 2 * 29_000)
    await reader.close()
  }

  @Test func `long ranges and streams pass by`() async throws {
    let (path, bytes) = try await directory.file(count: 3_000_000)
    let reader = try await RangeReader(path, engine: TestEngine.current, cache: store)
    for _ in 0..<3 {
      #expect(try await reader.read(0..<65_537) == Bytes(bytes[0..<65_537]))
      var streamed = 0
      for try await piece in reader.stream() { streamed += piece.count }
      #expect(streamed == 3_000_000)
    }
    #expect(store.counts().blocks == 0)
    #expect(store.counts().peakBytes == 0)
    await reader.close()
  }

  @Test func `it can be turned off`() async throws {
    let (path, bytes) = try await directory.file(count: 10_000)
    let reader = try await RangeReader(path, engine: TestEngine.current, cache: nil)
    for _ in 0..<4 { #expect(try await reader.read(0..<4096) == Bytes(bytes[0..<4096])) }
    #expect(sourceBytes(reader) == 4 * 4096)
    await reader.close()
  }

  @Test func `the store of the process is modest, and readers of one file share what is there`() async throws {
    #expect(MemoryStore.shared.counts().limit == 64 << 20)
    let (path, bytes) = try await directory.file(count: 10_000)
    let first = try await RangeReader(path, engine: TestEngine.current)
    for _ in 0..<2 { _ = try await first.read(0..<4096) }
    let second = try await RangeReader(path, engine: TestEngine.current)
    #expect(try await second.read(0..<4096) == Bytes(bytes[0..<4096]))
    #expect(sourceBytes(second) == 0)
    await first.close()
    await second.close()
  }

  @Test func `a file that was rewritten is read anew by the next reader`() async throws {
    let path = try await directory.file("changing", [UInt8](repeating: 1, count: 5000))
    let first = try await RangeReader(path, engine: TestEngine.current)
    for _ in 0..<3 { #expect(try await first.read(0..<5000) == Bytes(repeatElement(1, count: 5000))) }
    try write([UInt8](repeating: 2, count: 6000), to: path)
    try await settle(path)
    let second = try await RangeReader(path, engine: TestEngine.current)
    for _ in 0..<3 { #expect(try await second.read(0..<5000) == Bytes(repeatElement(2, count: 5000))) }
    await first.close()
    await second.close()
  }

  /// As a block device: its bytes may change, and nothing shows it.
  private struct Versionless: RangeSource {
    let inner = FillRangeSource(byteCount: 100_000)
    var context: TracelessChanges?

    func describe() -> SourceDescription {
      SourceDescription(
        id: "device", validator: nil, byteCount: 100_000, preferredBlockSize: .kibibytes(4),
        traits: .with { $0.context = context })
    }
    func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      try await inner.read(range, of: source)
    }
  }

  @Test func `what has no version is left alone, unless a cache of your own is to keep it`() async throws {
    let source = Versionless()
    let reader = try await RangeReader(source, .localFile(cache: store))
    for count in 1...4 {
      #expect(try await reader.read(100..<200) == source.inner.expected(100..<200))
      #expect(source.inner.requests.count == count)
    }
    reader.advise(.willNeed, 0..<4096)
    #expect(reader.cached(100..<200) == nil && store.counts().blocks == 0)
    let explanation = try await reader.explain(100..<200)
    #expect("\(explanation)".contains("no version"))
    await #expect(throws: ReadError.self) { try await reader.read(100..<200, caching: .onlyIfCached) }
    let own = try await RangeReader(source, [.caching(store)])
    for _ in 0..<3 { _ = try await own.read(100..<200) }
    #expect(source.inner.requests.count == 5 && store.counts().blocks == 1)
    await reader.close()
    await own.close()
  }

  @Test func `a reader cannot turn to new versions of a device, and says so`() async throws {
    let device = Versionless(context: .shared)
    let error = await #expect(throws: ReadError.self) { _ = try await RangeReader(device, onChange: .refresh) }
    #expect(error?.code == .invalidConfiguration && error?.message.contains("cannot be seen") == true)
    let reader = try await RangeReader(device)
    #expect(try await reader.refresh() == 100_000)
    await reader.close()
    // Others without a version are told apart by their size.
    let other = try await RangeReader(Versionless(), onChange: .refresh)
    await other.close()
  }

  @Test func `touches are remembered, and forgotten for newer ones`() {
    let touches = RecentTouches()
    var generator = SeededGenerator(seed: 1)
    let hashes = (0..<1000).map { _ in generator.next() }
    #expect(hashes.filter { touches.touch($0) }.count <= 1)
    #expect(hashes.filter { touches.touch($0) }.count > 950)
    for _ in 0..<500_000 { _ = touches.touch(generator.next()) }
    #expect(hashes.filter { touches.touch($0) }.count < 50)
  }
}
