import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Ranges in all the forms that Swift has for them.
@Suite(.simulated) struct AskedRangeTests {
  /// A form of a user's own: all but the first and the last byte.
  private struct Inner: RangeExpression, Sendable {
    func relative<C: Collection>(to collection: C) -> Range<Int> where C.Index == Int {
      collection.index(after: collection.startIndex)..<collection.index(collection.endIndex, offsetBy: -1)
    }
    func contains(_ element: Int) -> Bool { true }
  }

  @Test func `each form is read and streamed`() async throws {
    let source = SyntheticSource(byteCount: 1000)
    let reader = try await RangeReader(source)
    func same(_ range: some RangeExpression<Int> & Sendable, _ expected: ByteRange) async throws {
      #expect(try await reader.read(range) == source.expected(expected), "\(range)")
      #expect(try await reader.stream(range).collect(upTo: .bytes(1000)) == source.expected(expected), "\(range)")
    }
    try await same(3..<10, 3..<10)
    try await same(3...10, 3..<11)
    try await same(990..., 990..<1000)
    try await same(1000..., 1000..<1000)
    try await same(..<512, 0..<512)
    try await same(...511, 0..<512)
    try await same(Inner(), 1..<999)
    #expect(try await reader.read(...) == source.expected(0..<1000))
    await reader.close()
  }

  @Test func `a count from an offset, and the last bytes, may be asked for past the cache or of it alone`() async throws
  {
    let source = FillRangeSource(byteCount: 100_000)
    let reader = try await RangeReader(source, [.caching(MemoryStore(limit: .mebibytes(1)))])
    func refuses(_ read: () async throws -> Bytes) async {
      let error = await #expect(throws: ReadError.self) { _ = try await read() }
      #expect(error?.code == .notCached)
    }
    await refuses { try await reader.read(offset: 10, count: 5, caching: .onlyIfCached) }
    await refuses { try await reader.read(suffix: 5, caching: .onlyIfCached) }
    for _ in 0..<2 {
      #expect(try await reader.read(offset: 10, count: 5, caching: .bypass) == source.expected(10..<15))
      #expect(try await reader.read(suffix: 5, caching: .bypass) == source.expected(99_995..<100_000))
    }
    #expect(source.requests.count == 4)
    #expect(try await reader.read(offset: 10, count: 5) == source.expected(10..<15))
    #expect(try await reader.read(suffix: 5) == source.expected(99_995..<100_000))
    let count = source.requests.count
    #expect(try await reader.read(offset: 10, count: 5, caching: .onlyIfCached) == source.expected(10..<15))
    #expect(try await reader.read(suffix: 5, caching: .onlyIfCached) == source.expected(99_995..<100_000))
    #expect(source.requests.count == count)
    await reader.close()
  }

  @Test func `the first and the last bytes are all there are, if there are fewer`() async throws {
    let source = SyntheticSource(byteCount: 1000)
    let reader = try await RangeReader(source)
    for count in [0, 1, 999, 1000, 1001, Int.max] {
      #expect(try await reader.read(prefix: count) == source.expected(0..<min(count, 1000)))
      #expect(try await reader.read(suffix: count) == source.expected(1000 - min(count, 1000)..<1000))
    }
    for read in [{ try await reader.read(prefix: -1) }, { try await reader.read(suffix: -1) }] {
      let error = await #expect(throws: ReadError.self) { try await read() }
      #expect(error?.code == .rangeNotSatisfiable && error?.message.contains("-1 bytes") == true)
    }
    await reader.close()
  }

  @Test func `what lies outside is refused with what was asked, and never traps`() async throws {
    let reader = try await RangeReader(SyntheticSource(byteCount: 1000))
    func refuses(_ range: some RangeExpression<Int> & Sendable) async {
      let read = await #expect(throws: ReadError.self, "\(range)") { _ = try await reader.read(range) }
      #expect(read?.code == .rangeNotSatisfiable && read?.message.contains("1000 bytes") == true, "\(range)")
      let streamed = await #expect(throws: ReadError.self, "\(range)") {
        _ = try await reader.stream(range).collect(upTo: .gibibytes(1))
      }
      #expect(streamed?.code == .rangeNotSatisfiable, "\(range)")
    }
    await refuses(0...1000)
    await refuses(0...Int.max)
    await refuses(Int.min...Int.max)
    await refuses(...Int.max)
    await refuses(...(-2))
    await refuses(..<(-1))
    await refuses(1001...)
    await refuses((-1)...)
    await reader.close()
  }

  @Test func `a refused range is told as it was written, with its numbers where it has some`() async throws {
    let reader = try await RangeReader(SyntheticSource(byteCount: 1000))
    func refused(_ range: some RangeExpression<Int> & Sendable) async throws -> ReadError {
      try #require(await #expect(throws: ReadError.self) { _ = try await reader.read(range) })
    }
    #expect(try await refused(990..<1001).range == 990..<1001)
    #expect(try await refused(990..<1001).message.hasPrefix("990..<1001 does not lie within the source"))
    #expect(try await refused(990..<1001).message.hasSuffix("read within 0..<1000"))
    #expect(try await refused(...(-2)).message.hasPrefix("...-2 "))
    #expect(try await refused(..<(-1)).message.hasPrefix("..<-1 "))
    #expect(try await refused((-3)...4).message.hasPrefix("-3...4 "))
    #expect(try await refused(1001...).range == nil)
    await reader.close()
    let empty = try await RangeReader(SyntheticSource(byteCount: 0))
    let error = await #expect(throws: ReadError.self) { _ = try await empty.read(0..<1) }
    #expect(error?.message.hasSuffix("which is empty") == true)
    await empty.close()
  }

  @Test func `a wish as to caches goes with every form`() async throws {
    let source = SyntheticSource(byteCount: 100_000)
    let store = MemoryStore(limit: .mebibytes(4))
    let reader = try await RangeReader(source, [.caching(store, blockSize: .kibibytes(4))])
    _ = try await reader.read(0...99, caching: .bypass)
    _ = try await reader.read([0..<10, 5000..<5010], caching: .bypass)
    for try await _ in reader.stream(0..., caching: .bypass) {}
    #expect(store.cachedRanges(of: reader.source) == [])
    for body in [
      { try await reader.read(0...99, caching: .onlyIfCached).count },
      { try await reader.read([0..<10], caching: .onlyIfCached).count },
      { try await reader.stream(0..<100, caching: .onlyIfCached).collect(upTo: .kibibytes(1)).count },
    ] as [@Sendable () async throws -> Int] {
      let error = await #expect(throws: ReadError.self) { _ = try await body() }
      #expect(error?.code == .notCached)
    }
    for try await _ in reader.stream() {}
    #expect(store.cachedRanges(of: reader.source) == [0..<100_000])
    await reader.close()
  }
}
