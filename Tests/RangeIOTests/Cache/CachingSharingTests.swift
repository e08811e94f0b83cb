import Foundation
import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Several readers, versions and stages over one store.
struct CachingSharingTests {
  private let store = MemoryStore(limit: .mebibytes(1))

  private func reader(_ source: some RangeSource, _ fill: ReadPipeline.CacheFill = .exact) async throws -> RangeReader {
    try await RangeReader(source, [.caching(store, fill: fill, blockSize: .kibibytes(4))])
  }

  // MARK: readers

  @Test(.simulated) func `two readers of one version share what is kept and what is on its way`() async throws {
    let sources = (0..<2).map { _ in HeldSource() }
    let (one, other) = (try await reader(sources[0]), try await reader(sources[1]))
    async let first = one.isRight(0..<1000)
    await quiet()
    #expect(sources[0].waiting.count == 1)
    let misses = store.missCount
    async let second = other.isRight(500..<800)
    await quiet()
    #expect(store.missCount > misses)
    sources[0].hold(false)
    #expect(try await first)
    #expect(try await second)
    #expect(try await other.isRight(0..<1000))
    #expect(sources.map(\.asked) == [[0..<1000], []])
    #expect(store.sources.count == 1)
  }

  @Test func `the same id is the same source, by whatever name it was opened`() async throws {
    // As hard links are: `FileSource` calls both by their device and inode.
    let directory = try TemporaryDirectory()
    let path = try await directory.file(count: 10_000).path
    let link = directory.path("link")
    try FileManager.default.linkItem(atPath: path, toPath: link)
    try await settle(path)
    let (one, other) = (try await reader(FileSource(path)), try await reader(FileSource(link)))
    #expect(one.source.id == other.source.id)
    #expect(try await one.isRight(0..<5000))
    #expect(try await other.isRight(0..<5000))
    #expect(other.statistics().source.allSatisfy { $0.bytes == 0 })
  }

  @Test func `readers that chose other block sizes share nothing but the limit`() async throws {
    let source = HeldSource(isHeld: false)
    let small = try await RangeReader(source, [.caching(store, fill: .block, blockSize: .bytes(512))])
    let large = try await reader(source, .block)
    #expect(try await small.isRight(0..<10))
    #expect(try await large.isRight(0..<10))
    #expect(try await small.isRight(500..<512))
    #expect(source.asked == [0..<512, 0..<4096])
    #expect(store.sources.count == 2)
  }

  // MARK: versions

  @Test func `a source without a validator is not shared, and forgotten with its reader`() async throws {
    let sources = (0..<2).map { _ in HeldSource(version: nil, isHeld: false) }
    let (one, other) = (try await reader(sources[0]), try await reader(sources[1]))
    for reader in [one, other, one] { #expect(try await reader.isRight(0..<100)) }
    #expect(sources.map(\.asked) == [[0..<100], [0..<100]])
    #expect(store.counts().blocks == 2)
    await one.close()
    #expect(store.counts().blocks == 1)
    #expect(try await other.isRight(0..<100))
    await other.close()
    #expect(store.counts().blocks == 0)
    #expect(store.counts().bytes == 0)
    #expect(store.sources.count == 0)
  }

  @Test func `a new version serves nothing stale and retires the old one if it has no readers`() async throws {
    let old = try await reader(HeldSource(version: 1, isHeld: false))
    #expect(try await old.isRight(0..<5000, version: 1))
    let token = store.sources.all[0]
    await old.close()
    #expect(store.contains(0..<5000, of: token.source), "it may be read again")
    let new = try await reader(HeldSource(version: 2, isHeld: false))
    #expect(try await new.isRight(0..<100, version: 2))
    #expect(!token.isAlive)
    #expect(store.cachedRanges(of: token.source) == [])
    #expect(store.cachedRanges().map(\.ranges) == [[0..<100]])
  }

  @Test func `an old version is kept while somebody reads it, and goes with him`() async throws {
    let source = HeldSource(version: 1, isHeld: false)
    let old = try await reader(source)
    #expect(try await old.isRight(0..<100, version: 1))
    let new = try await reader(HeldSource(version: 2, isHeld: false))
    #expect(try await new.isRight(0..<100, version: 2))
    #expect(try await old.isRight(50..<100, version: 1))
    #expect(source.asked.count == 1)
    await old.close()
    #expect(store.cachedRanges().map(\.source.validator).compactMap { ($0 as? HeldSource.Version)?.number } == [2])
    #expect(try await new.isRight(0..<100, version: 2))
  }

  @Test(.simulated) func `what comes for a version that was retired is served and not kept`() async throws {
    let source = HeldSource(version: 1)
    let old = try await reader(source)
    let read = start { try await old.isRight(0..<100, version: 1) }
    await quiet()
    #expect(source.waiting.count == 1)
    let token = store.sources.all[0]
    token.retire()
    source.letGo()
    #expect(try await read.value)
    #expect(store.counts().bytes == 0)
    #expect(store.counts().stale == 1)
  }

  @Test func `a stream of the version before does not cost the cache of the one after`() async throws {
    let source = SyntheticSource(byteCount: 100_000)
    var configuration = RangeReader.Configuration()
    configuration.streamWindow = 4096
    let reader = try await RangeReader(
      source, [.caching(store, fill: .block, blockSize: .kibibytes(4))], configuration: configuration)
    var cursor = 0
    for try await piece in reader.stream(0..<50_000, chunkSize: .bytes(4096)) {
      #expect(piece == SyntheticSource.bytes(cursor..<cursor + piece.count))
      cursor += piece.count
      if cursor == 4096 { source.grow(by: 50_000) }
      #expect(try await reader.isRight(100_000..<140_000))
    }
    #expect(cursor == 50_000)
    // Each byte of the stream once, each block of the reads once.
    #expect(source.bytesRead <= 13 * 4096 + 11 * 4096)
    #expect(store.contains(100_000..<140_000, of: reader.source))
  }

  // MARK: other stages

  @Test func `a stage that derives above the cache works on what is kept`() async throws {
    let source = HeldSource(isHeld: false)
    let notes = Noted<NotingStage.Seen>()
    let deriving = try await RangeReader(
      source,
      [
        .stage(NotingStage(name: "above", notes: notes, header: 10)),
        .caching(store, fill: .block, blockSize: .kibibytes(4)),
      ])
    #expect(try await deriving.read(0..<9000) == SyntheticSource.bytes(10..<9010))
    #expect(try await deriving.read(0..<9000) == SyntheticSource.bytes(10..<9010))
    #expect(source.asked == [0..<12_288])
    // A reader without that stage reads the same bytes.
    #expect(try await reader(source, .block).isRight(0..<12_288))
    #expect(source.asked.count == 1)
  }

  @Test func `a stage that derives below the cache has its results kept, apart from the source's own bytes`()
    async throws
  {
    let source = HeldSource(isHeld: false)
    let notes = Noted<NotingStage.Seen>()
    func deriving(_ header: Int) async throws -> RangeReader {
      try await RangeReader(
        source,
        [
          .caching(store, fill: .exact, blockSize: .kibibytes(4)),
          .stage(NotingStage(name: "below", notes: notes, header: header)),
        ])
    }
    for _ in 0..<2 {
      #expect(try await deriving(10).read(0..<9000) == SyntheticSource.bytes(10..<9010))
      #expect(try await deriving(20).read(0..<9000) == SyntheticSource.bytes(20..<9020))
      #expect(try await reader(source).isRight(0..<9000))
    }
    #expect(source.asked == [10..<9010, 20..<9020, 0..<9000])
    #expect(Set(store.cachedRanges().map(\.source.id)) == ["held", "held|skip:10", "held|skip:20"])
  }

  @Test func `a grid speaks of the bytes of the cache that asked, and of no others`() async throws {
    /// Whether requests of a grid come by.
    struct Grids: ReadStage {
      let notes: Noted<BlockGrid?>
      func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
        notes.add(request.grid)
        return try await next(request)
      }
    }
    let (above, below) = (Noted<BlockGrid?>(), Noted<BlockGrid?>())
    let reader = try await RangeReader(
      HeldSource(isHeld: false),
      [
        .caching(store, fill: .exact, blockSize: .kibibytes(4)), .stage(Grids(notes: above)),
        .stage(NotingStage(name: "deriving", notes: Noted(), header: 10)), .stage(Grids(notes: below)),
      ])
    #expect(try await reader.read(0..<9000) == SyntheticSource.bytes(10..<9010))
    #expect(try await reader.read(0..<9000) == SyntheticSource.bytes(10..<9010))
    #expect(above.all == [BlockGrid(blockSize: 4096)])
    #expect(below.all == [nil])
  }

  @Test func `a cache above another takes from it what it has not`() async throws {
    let source = HeldSource(isHeld: false)
    let small = MemoryStore(limit: .kibibytes(16))
    let reader = try await RangeReader(
      source,
      [.caching(small, fill: .exact, blockSize: .bytes(1024)), .caching(store, fill: .block, blockSize: .kibibytes(4))])
    for _ in 0..<3 {
      for start in stride(from: 0, to: 40_000, by: 700) { #expect(try await reader.isRight(start..<start + 900)) }
    }
    #expect(source.asked.reduce(0) { $0 + $1.count } == 40_960)
  }

  @Test(.simulated) func `a stage that only sees what the cache has not belongs below it`() async throws {
    let source = HeldSource()
    let error = await #expect(throws: ReadError.self) {
      try await RangeReader(
        source, [.stage(NotingStage(name: "limit", notes: Noted(), placement: .belowCaching)), .caching(store)])
    }
    #expect(error?.code == .invalidConfiguration)
    await quiet()
    #expect(source.isClosed)
    #expect(store.sources.count == 0)
  }

  @Test func `one stage may serve several readers, and goes on when one of them is closed`() async throws {
    let sources = (0..<2).map { HeldSource(id: "\($0)", version: nil, isHeld: false) }
    let pipeline: ReadPipeline = [.caching(store, fill: .exact, blockSize: .kibibytes(4))]
    let one = try await RangeReader(sources[0], pipeline)
    let other = try await RangeReader(sources[1], pipeline)
    for reader in [one, other] { #expect(try await reader.isRight(0..<100)) }
    await one.close()
    for _ in 0..<2 { #expect(try await other.isRight(50..<200)) }
    await other.close()
    #expect(store.counts().bytes == 0)
  }

  @Test func `a reader that is closed lets go of its version`() async throws {
    let source = HeldSource(isHeld: false)
    let reader = try await reader(source)
    #expect(try await reader.isRight(0..<100))
    let token = store.sources.all[0]
    #expect(!token.isUnread)
    await reader.close()
    #expect(token.isUnread)
    #expect(token.isAlive)
    #expect(source.isClosed)
    #expect(source.asksAfterClose == 0)
  }
}
