import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// What is fetched around missing bytes where `.caching` decides by itself.
struct CachingAutomaticTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func reader(
    _ source: HeldSource, _ store: any ChunkStore, gap: Int = 0, merges: Bool = true
  ) async throws -> RangeReader {
    try await RangeReader(
      source,
      [.caching(store, fill: .automatic, blockSize: .kibibytes(4)), merges ? .merging(maxGap: .bytes(gap)) : []])
  }

  private static let several = [100..<200, 9000..<9100, 50_000..<50_001]
  private static let blocks = [0..<4096, 8192..<12_288, 49_152..<53_248]

  @Test(arguments: [false, true]) func `one range comes with its blocks, several come as they are`(
    merges: Bool
  ) async throws {
    let source = HeldSource(isHeld: false)
    let reader = try await reader(source, MemoryStore(limit: .mebibytes(1)), gap: merges ? 1000 : 0, merges: merges)
    #expect(try await reader.isRight(20_000..<20_010))
    #expect(source.asked == [16_384..<20_480])
    #expect(try await reader.read(Self.several) == Self.several.map { SyntheticSource.bytes($0) })
    #expect(Set(source.asked.dropFirst()) == Set(Self.several))
    // And are hits from then on.
    #expect(try await reader.read(Self.several).count == 3)
    #expect(try await reader.isRight(9050..<9100))
    #expect(source.asked.count == 4)
    #expect(try await reader.isRight(9050..<9101))
    #expect(source.asked.last == 8192..<12_288)
  }

  @Test(arguments: [(4096, true), (4095, false)])
  func `above a disk several ranges come with their blocks, as long as a block costs no more than a request`(
    gap: Int, isWhole: Bool
  ) async throws {
    let store = try await TieredStore(
      memory: .mebibytes(4),
      disk: DiskConfiguration(directory: directory.path(isWhole ? "a" : "b"), limit: .mebibytes(64)))
    let source = HeldSource(isHeld: false)
    let reader = try await reader(source, store, gap: gap)
    #expect(try await reader.read(Self.several) == Self.several.map { SyntheticSource.bytes($0) })
    // Two blocks are as far apart as the gap.
    let expected = isWhole ? [0..<12_288, 49_152..<53_248] : Self.several
    #expect(Set(source.asked) == Set(expected))
    await reader.close()
    try await store.close()
  }

  @Test func `a store that keeps whole blocks only gets these`() async throws {
    let source = HeldSource(isHeld: false)
    let reader = try await reader(source, WholeBlocks())
    #expect(try await reader.read(Self.several) == Self.several.map { SyntheticSource.bytes($0) })
    #expect(Set(source.asked) == Set(Self.blocks))
  }
}

/// A user's store, which has no room for anything.
private final class WholeBlocks: ChunkStore {
  let sources = ChunkSources()

  func lookUp(_ range: ByteRange, of token: ChunkToken) -> ChunkLookup { .miss }
  func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? { nil }
  func insert(_ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation) -> Bool { false }
  func cancel(_ reservation: ChunkReservation) {}
  func erase(_ range: ByteRange, of token: ChunkToken) {}
}
