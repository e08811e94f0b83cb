import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// What `print` tells of a reader and of a store.
@Suite struct PrintingTests {
  @Test func `a reader tells what it reads, and how much it has read`() async throws {
    let reader = try await RangeReader(SyntheticSource(byteCount: 1000))
    _ = try await reader.read(0..<10)
    let name = reader.source.name
    #expect("\(reader)".hasPrefix("RangeReader(\(name), 1000 bytes; 1 reads, 10 bytes, 0 failures, 0 cancelled"))
    await reader.close()
    #expect("\(reader)".hasPrefix("RangeReader(\(name), 1000 bytes, closed; 1 reads"))
  }

  @Test func `a store tells what each tier holds`() async throws {
    let store = MemoryStore(limit: .mebibytes(1))
    let reader = try await RangeReader(SyntheticSource(byteCount: 1000), [.caching(store)])
    for _ in 0..<2 { _ = try await reader.read(0..<10) }
    let lines = "\(store)".split(separator: "\n")
    #expect(lines.first == "MemoryStore" && lines.count == 2)
    #expect(lines.last?.hasPrefix("  memory: bytes ") == true && lines.last?.contains("hits 1") == true)
    await reader.close()
    let tiers = TieredStore(memory: .mebibytes(1), compressed: .mebibytes(1))
    let told = "\(tiers)".split(separator: "\n").map { $0.drop { $0 == " " }.prefix { $0 != ":" } }
    #expect(told == ["TieredStore", "all memory", "memory", "memory queue", "compressed"])
  }

  @Test func `a store of one's own tells its type, and what it counts`() {
    #expect("\(Silent())" == "Silent")
    let store: any ChunkStore = MemoryStore(limit: .bytes(0))
    #expect("\(store)".hasPrefix("MemoryStore\n"))
  }

  private final class Silent: ChunkStore {
    let sources = ChunkSources()
    func lookUp(_ range: ByteRange, of token: ChunkToken) -> ChunkLookup { .miss }
    func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? { nil }
    func insert(
      _ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation
    ) -> Bool { false }
    func cancel(_ reservation: ChunkReservation) {}
    func erase(_ range: ByteRange, of token: ChunkToken) {}
  }
}
