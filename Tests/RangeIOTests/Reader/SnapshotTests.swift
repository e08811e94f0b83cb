import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// One version, however often the source changes.
struct SnapshotTests {
  @Test func `a snapshot reads the version that it names, and no other`() async throws {
    let source = SyntheticSource(byteCount: 100_000)
    let reader = try await RangeReader(source, onChange: .refresh)
    let old = try await reader.snapshot()
    let bytes = source.expected(0..<100_000)
    #expect(old.byteCount == 100_000)
    #expect(try await old.read(70_000..<70_010) == bytes.slice(70_000..<70_010))
    #expect(try await old.read(5..<5).isEmpty)
    source.rewrite()
    for _ in 0..<2 {
      let error = await #expect(throws: ReadError.self) { _ = try await old.read(0..<10) }
      #expect(error?.code == .sourceChanged)
      let streamed = await #expect(throws: ReadError.self) { for try await _ in old.stream(0..<10) {} }
      #expect(streamed?.code == .sourceChanged)
      // The reader turns, and the snapshot does not.
      #expect(try await reader.read(0..<10) == source.expected(0..<10))
    }
    let new = try await reader.snapshot()
    #expect(new.source !== old.source)
    #expect(try await new.read(0..<100_000) == source.expected(0..<100_000))
    #expect(
      try await new.stream(10..., chunkSize: .bytes(1000)).collect(upTo: .mebibytes(1)) == source.expected(10..<100_000)
    )
    await reader.close()
  }

  @Test func `a cache answers for a version that is gone`() async throws {
    let source = SyntheticSource(byteCount: 10_000)
    let reader = try await RangeReader(source, [.caching(MemoryStore(limit: .mebibytes(1)))])
    let snapshot = try await reader.snapshot()
    let bytes = try await snapshot.read(0..<1000)
    source.rewrite()
    #expect(try await snapshot.read(0..<1000) == bytes)
    await reader.close()
  }

  @Test func `ranges past the end are refused, and so is a closed reader`() async throws {
    let reader = try await RangeReader(SyntheticSource(byteCount: 1000))
    let snapshot = try await reader.snapshot()
    for range in [990..<1001, -1..<5, 1000..<1001, 0..<Int.max] {
      let error = await #expect(throws: ReadError.self) { _ = try await snapshot.read(range) }
      #expect(error?.code == .rangeNotSatisfiable)
      let streamed = await #expect(throws: ReadError.self) { for try await _ in snapshot.stream(range) {} }
      #expect(streamed?.code == .rangeNotSatisfiable)
    }
    await reader.close()
    let closed = await #expect(throws: ReadError.self) { _ = try await snapshot.read(0..<10) }
    #expect(closed?.code == .closed)
    let none = await #expect(throws: ReadError.self) { _ = try await reader.snapshot() }
    #expect(none?.code == .closed)
  }
}
