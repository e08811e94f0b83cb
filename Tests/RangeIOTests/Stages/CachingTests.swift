import RangeIOTesting
import Testing

@testable import RangeIO

/// The stage over a store: what it serves, fetches and leaves alone.
struct CachingTests {
  private func reader(
    _ source: some RangeSource, _ store: MemoryStore, _ fill: Caching.Fill = .exact,
    _ blockSize: ByteCount = .kibibytes(4)
  ) async throws -> RangeReader {
    try await RangeReader(source) { Caching(store, fill: fill, blockSize: blockSize) }
  }

  @Test(arguments: [Caching.Fill.block, .exact, .requestedFirst])
  func `what was read once is not read again`(_ fill: Caching.Fill) async throws {
    let source = SyntheticSource(byteCount: 100_000)
    let store = MemoryStore(limit: .mebibytes(1))
    let reader = try await reader(source, store, fill)
    for _ in 0..<3 {
      for range in [0..<10, 5000..<9000, 4096..<8192, 99_990..<100_000, 0..<100_000] {
        #expect(try await reader.read(range) == SyntheticSource.bytes(range))
      }
    }
    let reads = source.readCount
    #expect(try await reader.read(0..<100_000) == SyntheticSource.bytes(0..<100_000))
    #expect(source.readCount == reads)
  }
}
