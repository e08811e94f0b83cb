import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What statistics say of caches.
struct CacheStatisticsTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func `hits of another reader's reads are told`() async throws {
    let (path, _) = try await directory.file(count: 10_000)
    let store = MemoryStore(limit: .mebibytes(1))
    let first = try await RangeReader(path, cache: store)
    for _ in 0..<2 { _ = try await first.read(0..<4096) }
    let second = try await RangeReader(path, cache: store)
    for _ in 0..<10 { _ = try await second.read(0..<4096) }
    #expect(!"\(second.statistics())".contains("nothing"))
    await first.close()
    await second.close()
  }

  @Test func `a store of one's own keeps what it can`() async throws {
    let (path, bytes) = try await directory.file(count: 100_000)
    let store = FIFOStore(limit: .mebibytes(1))
    let reader = try await RangeReader(path, cache: store)
    for _ in 0..<4 { #expect(try await reader.read(5000..<5100) == Bytes(bytes[5000..<5100])) }
    let read = reader.statistics().source.reduce(0) { $0 + ($1.bytes ?? 0) }
    #expect(read == 100 + 4096, "once for itself, and once with its block to be kept")
    await reader.close()
  }
}
