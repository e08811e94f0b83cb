import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Sources that say how much is best fetched at once: more than a block.
@Suite(.simulated) struct CachingExtentTests {
  private let store = MemoryStore(limit: .mebibytes(4))

  private func source(_ byteCount: Int = 1 << 20, fetchSize: Int? = 1 << 18) -> MeasuringSource {
    let cost = SourceDescription.Cost()
    return MeasuringSource(byteCount: byteCount, stating: cost, costing: cost, fetchSize: fetchSize)
  }

  private func reader(
    _ source: MeasuringSource, _ fill: Caching.Fill = .block, blockSize: ByteCount? = nil
  ) async throws -> RangeReader {
    try await RangeReader(source) { Caching(store, fill: fill, blockSize: blockSize) }
  }

  @Test(arguments: [Caching.Fill.block, .automatic]) func `a read of one range fetches so much`(
    fill: Caching.Fill
  ) async throws {
    let source = source(600_000)
    let reader = try await reader(source, fill)
    #expect(try await reader.isRight(70_000..<70_010))
    #expect(source.reads == [0..<262_144])
    #expect(try await reader.isRight(250_000..<270_000))
    #expect(source.reads.dropFirst() == [262_144..<524_288])
    // The end of the source.
    #expect(try await reader.isRight(599_999..<600_000))
    #expect(source.reads.last == 524_288..<600_000)
    #expect(try await reader.isRight(0..<600_000))
    #expect(source.reads.count == 3)
  }

  @Test func `but not what is here already`() async throws {
    let source = source()
    let reader = try await reader(source)
    #expect(try await reader.isRight(0..<10))
    store.remove(65_536..<196_608, of: reader.source)
    #expect(try await reader.isRight(70_000..<70_010))
    #expect(source.reads == [0..<262_144, 65_536..<196_608])
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
    #expect(source.reads == [70_000..<70_010, 0..<70_000, 70_010..<262_144])
    #expect(store.isQuiet)
  }

  @Test func `and a block near the largest offset is fetched like any other`() async throws {
    let cost = SourceDescription.Cost()
    let source = MeasuringSource(byteCount: .max, stating: cost, costing: cost, fetchSize: 1 << 18)
    let reader = try await reader(source)
    #expect(try await reader.isRight(.max - 10 ..< .max))
    #expect(source.reads == [(Int.max >> 18) << 18 ..< .max])
  }
}
