import Foundation
import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What the guide to writing a store shows.
@Suite struct StoreGuideTests {
  @Test func `the guide shows the store that is tested here`() throws {
    let package = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
    let guide = try String(contentsOfFile: package + "/Docs/Guides/WritingAStore.md", encoding: .utf8)
    let file = try String(contentsOfFile: package + "/Tests/RangeIOTestSupport/FIFOStore.swift", encoding: .utf8)
    // Other targets of this package see it, too.
    let store = file.replacingOccurrences(of: "package ", with: "")
    let start = try #require(store.range(of: "/// Keeps whole blocks"))
    #expect(guide.contains(store[start.lowerBound...] + "```\n"))
  }

  @Test func `the store of the guide keeps what is read, whole blocks of it`() async throws {
    let source = SyntheticSource(byteCount: 1_000_000)
    let reader = try await RangeReader(source, [.caching(FIFOStore(limit: .kibibytes(64)), blockSize: .kibibytes(4))])
    for _ in 0..<2 { #expect(try await reader.read(100..<20_000) == source.expected(100..<20_000)) }
    #expect(source.readCount == 1)
    // Partly there, partly not.
    #expect(try await reader.read(16_000..<30_000) == source.expected(16_000..<30_000))
    #expect(source.readCount == 2 && source.bytesRead == 32_768)
    // More than there is room for, which empties nothing.
    #expect(try await reader.read(0..<1_000_000) == source.expected(0..<1_000_000))
    #expect(try await reader.read(100..<20_000, caching: .onlyIfCached).count == 19_900)
    var random = TestRandom(1)
    for _ in 0..<2000 {
      let lower = random.below(999_000)
      let range = lower..<lower + 1 + random.below(1000)
      #expect(try await reader.read(range) == source.expected(range))
    }
    // Within one block, which no other makes room for.
    _ = try await reader.read(8192..<8200)
    #expect(try await reader.read(8192..<12_288, caching: .onlyIfCached) == source.expected(8192..<12_288))
    await reader.close()
  }

  @Test func `what is removed while it is on its way does not stay`() async throws {
    let source = GatedSource(SyntheticSource(byteCount: 10_000))
    let store = FIFOStore(limit: .kibibytes(64))
    let reader = try await RangeReader(source, [.caching(store)])
    async let bytes = reader.read(0..<100)
    await source.arrivals(1)
    store.remove(source: reader.source.id)
    source.open()
    #expect(try await bytes == SyntheticSource.bytes(0..<100))
    await #expect(throws: ReadError.self) { try await reader.read(0..<100, caching: .onlyIfCached) }
    _ = try await reader.read(0..<100)
    #expect(try await reader.read(0..<100, caching: .onlyIfCached).count == 100)
    store.remove(source: reader.source.id)
    await #expect(throws: ReadError.self) { try await reader.read(0..<100, caching: .onlyIfCached) }
    await reader.close()
  }

  @Test func `reads that get no room take turns by default`() async throws {
    let source = GatedSource(SyntheticSource(byteCount: 1_000_000))
    let reader = try await RangeReader(source, [.caching(FIFOStore(limit: .bytes(0)), blockSize: .kibibytes(4))])
    try await withThrowingTaskGroup(of: Int.self) { group in
      for index in 0..<20 { group.addTask { try await reader.read(index * 8192..<index * 8192 + 10).count } }
      await source.arrivals(4)
      #expect(source.waitingRanges.count == 4)
      source.open()
      for try await count in group { #expect(count == 10) }
    }
    await reader.close()
  }
}
