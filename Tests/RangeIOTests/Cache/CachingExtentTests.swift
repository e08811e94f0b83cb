import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Sources that say how much may be worth fetching at once: more than a block.
@Suite(.simulated) struct CachingExtentTests {
  private let store = MemoryStore(limit: .mebibytes(4))

  private func source(_ byteCount: Int = 1 << 20, fetchSize: Int? = 1 << 18) -> MeasuringSource {
    let cost = SourceDescription.Cost(latency: .milliseconds(50))
    return MeasuringSource(byteCount: byteCount, stating: cost, costing: cost, fetchSize: fetchSize)
  }

  private func reader(
    _ source: MeasuringSource, _ fill: ReadPipeline.CacheFill = .block, blockSize: ByteCount? = nil
  ) async throws -> RangeReader {
    try await RangeReader(source, [.caching(store, fill: fill, blockSize: blockSize)])
  }

  @Test(arguments: [ReadPipeline.CacheFill.block, .automatic]) func `reads that follow one another fetch more and more`(
    fill: ReadPipeline.CacheFill
  ) async throws {
    let source = source(2_000_000)
    let reader = try await reader(source, fill)
    for lower in stride(from: 0, to: 2_000_000, by: 1000) { #expect(try await reader.isRight(lower..<lower + 1000)) }
    // Two of them show it. The first block comes before anything is measured.
    #expect(
      source.reads == [
        0..<65_536, 65_536..<131_072, 131_072..<262_144, 262_144..<393_216, 393_216..<524_288, 524_288..<786_432,
        786_432..<1_048_576, 1_048_576..<1_310_720, 1_310_720..<1_572_864, 1_572_864..<1_835_008, 1_835_008..<2_000_000,
      ])
  }

  @Test func `until the link is measured a read fetches its blocks`() async throws {
    let cost = SourceDescription.Cost()
    let source = MeasuringSource(
      byteCount: 1 << 20, stating: cost, costing: cost, after: .max, fetchSize: 1 << 18)
    let reader = try await reader(source)
    for block in 0..<10 { #expect(try await reader.isRight(block << 16..<block << 16 + 10)) }
    #expect(source.reads == (0..<10).map { $0 << 16..<($0 + 1) << 16 })
  }

  /// Reads far apart.
  private func farApart(
    _ fill: ReadPipeline.CacheFill, _ store: any ChunkStore, _ rate: Double = 10e6
  ) async throws -> [ByteRange] {
    let cost = SourceDescription.Cost(latency: .milliseconds(40), bytesPerSecond: rate)
    let source = MeasuringSource(byteCount: 1 << 30, stating: cost, costing: cost, fetchSize: 1 << 17)
    let reader = try await RangeReader(source, [.caching(store, fill: fill)])
    for number in 0..<12 { #expect(try await reader.isRight(number << 24 + 70_000..<number << 24 + 70_010)) }
    return source.reads
  }

  @Test func `where nothing that lies around is used, exactly what is asked for is fetched, and kept`() async throws {
    let reads = try await farApart(.automatic, store)
    #expect(reads.first == 65_536..<131_072 && reads.last == 11 << 24 + 70_000..<11 << 24 + 70_010)
    #expect(reads.count == 12 && reads.count { $0.count == 10 } == 5)
    // Over a link on which a block costs almost as much as a request, from the first on.
    #expect(try await farApart(.automatic, MemoryStore(limit: .mebibytes(4)), 2e6).allSatisfy { $0.count == 10 })
    // Who asks for blocks gets them.
    #expect(try await farApart(.block, MemoryStore(limit: .mebibytes(4))).allSatisfy { $0.count == 65_536 })
  }

  @Test func `what is explained is what would be fetched`() async throws {
    let source = source()
    let reader = try await reader(source, .automatic)
    for block in 0..<8 { #expect(try await reader.isRight(block << 16..<block << 16 + 10)) }
    let explained = try await reader.explain(600_000..<600_010)
    #expect(explained.parts.contains { $0.detail?.contains("524288..<786432") ?? false }, "\(explained)")
  }

  @Test func `but not what is here already`() async throws {
    let source = source()
    let reader = try await reader(source)
    for block in 0..<4 { #expect(try await reader.isRight(block << 16..<block << 16 + 10)) }
    #expect(source.reads.last == 131_072..<262_144)
    store.remove(131_072..<196_608, of: reader.source)
    #expect(try await reader.isRight(140_000..<140_010))
    #expect(source.reads.last == 131_072..<196_608)
  }

  @Test(arguments: [nil, 1 << 16, 1 << 12, 3]) func `no less than a block`(fetchSize: Int?) async throws {
    let source = source(fetchSize: fetchSize)
    let reader = try await reader(source)
    #expect(try await reader.isRight(70_000..<70_010))
    #expect(source.reads == [65_536..<131_072])
  }

  @Test func `who sets a block size gets blocks of it`() async throws {
    let source = source()
    let reader = try await reader(source, blockSize: .kibibytes(4))
    #expect(try await reader.isRight(70_000..<70_010))
    #expect(source.reads == [69_632..<73_728])
  }

  @Test func `what is asked for may come first, the rest in the background`() async throws {
    let source = source()
    let reader = try await reader(source, .requestedFirst)
    #expect(try await reader.isRight(70_000..<70_010))
    await quiet()
    #expect(source.reads == [70_000..<70_010, 65_536..<70_000, 70_010..<131_072])
    #expect(store.isQuiet)
  }

  @Test func `and a block near the largest offset is fetched like any other`() async throws {
    let cost = SourceDescription.Cost()
    let source = MeasuringSource(byteCount: .max, stating: cost, costing: cost, fetchSize: 1 << 18)
    let reader = try await reader(source)
    #expect(try await reader.isRight(.max - 10 ..< .max))
    #expect(source.reads == [(Int.max >> 16) << 16 ..< .max])
  }
}
