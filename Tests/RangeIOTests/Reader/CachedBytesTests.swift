import RangeIOTesting
import Synchronization
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// What a reader has without waiting.
@Suite(.simulated) struct CachedBytesTests {
  private func reader(
    _ source: SyntheticSource, _ store: MemoryStore, above: ReadPipeline = []
  ) async throws -> RangeReader {
    try await RangeReader(source, [above, .caching(store, blockSize: .kibibytes(4))])
  }

  @Test func `what was read is there, in one block and across several`() async throws {
    let source = SyntheticSource(byteCount: 100_000)
    let reader = try await reader(source, MemoryStore(limit: .mebibytes(4)))
    _ = try await reader.read(0..<50_000)
    let reads = source.readCount
    for range in [0..<1, 0..<4096, 4095..<4097, 100..<50_000, 8192..<8192] {
      #expect(reader.cached(range) == source.expected(range))
    }
    #expect(source.readCount == reads)
    await reader.close()
  }

  @Test func `what another reader has read is there before the first read, and nothing is read for it`() async throws {
    let source = SyntheticSource(byteCount: 100_000)
    let store = MemoryStore(limit: .mebibytes(4))
    let early = try await reader(source, store)
    #expect(early.cached(0..<10) == nil)
    #expect(store.sources.count == 0, "a look makes no token")
    let other = try await reader(source, store)
    _ = try await other.read(0..<10_000)
    let reads = source.readCount
    let late = try await reader(source, store)
    for reader in [early, late] {
      #expect(reader.cached(10..<9000) == source.expected(10..<9000))
      #expect(reader.cached(4096..<8192) == source.expected(4096..<8192))
      #expect(reader.cached(50_000..<50_001) == nil)
    }
    #expect(source.readCount == reads)
    for reader in [early, late, other] { await reader.close() }
  }

  @Test func `what is missing, beyond the end or closed is nil, and nothing is read for it`() async throws {
    let source = SyntheticSource(byteCount: 100_000)
    let reader = try await reader(source, MemoryStore(limit: .mebibytes(4)))
    _ = try await reader.read(0..<4096)
    let reads = source.readCount
    for range in [4096..<4097, 4000..<5000, 0..<100_001, 100_000..<100_001, -1..<10, Int.min..<0, 0..<Int.max] {
      #expect(reader.cached(range) == nil)
    }
    #expect(reader.cached(100_000..<100_000) == Bytes())
    #expect(source.readCount == reads)
    await reader.close()
    #expect(reader.cached(0..<10) == nil)
  }

  @Test func `without a cache there is nothing`() async throws {
    let reader = try await RangeReader(SyntheticSource(byteCount: 1000))
    _ = try await reader.read(0..<1000)
    #expect(reader.cached(0..<10) == nil)
    await reader.close()
  }

  @Test func `a hit counts as a read and as a hit, what is missing as nothing`() async throws {
    let source = SyntheticSource(byteCount: 100_000)
    let observing = Observing()
    let reader = try await reader(source, MemoryStore(limit: .mebibytes(4)), above: .observing(observing))
    _ = try await reader.read(0..<4096)
    let before = reader.statistics()
    #expect(reader.cached(10..<20) != nil && reader.cached(50_000..<50_010) == nil)
    let after = reader.statistics()
    #expect(after.reads == before.reads + 1 && after.cacheHits == 1)
    #expect(observing.counted().reads == 2)
    await reader.close()
  }

  @Test func `stages that pass hits on do so, one without an answer has nothing to say`() async throws {
    let source = SyntheticSource(byteCount: 100_000)
    let store = MemoryStore(limit: .mebibytes(4))
    let quick = try await reader(source, store, above: [.readAhead(), .timeLimit(.seconds(10))])
    _ = try await quick.read(0..<9000)
    #expect(quick.cached(4000..<9000) == source.expected(4000..<9000))
    await quick.close()
    let other = SyntheticSource(byteCount: 100_000)
    let slow = try await reader(other, store, above: .stage(Unanswering()))
    _ = try await slow.read(0..<9000)
    #expect(slow.cached(0..<100) == nil)
    await slow.close()
  }

  @Test func `a stage that ignores hits is not asked for them, and one that looks at them is`() async throws {
    let source = SyntheticSource(byteCount: 100_000)
    for ignoresHits in [true, false] {
      let stage = HitCounting(ignoresHits: ignoresHits)
      let reader = try await reader(source, MemoryStore(limit: .mebibytes(4)), above: .stage(stage))
      _ = try await reader.read(0..<4096)
      let asked = stage.asked.load(ordering: .relaxed)
      #expect(stage.reads.load(ordering: .relaxed) == 1)
      #expect(try await reader.read(10..<20) == source.expected(10..<20))
      #expect(reader.cached(10..<20) == source.expected(10..<20))
      #expect(stage.asked.load(ordering: .relaxed) == asked + (ignoresHits ? 0 : 2))
      #expect(stage.reads.load(ordering: .relaxed) == 1)
      #expect(reader.core.isCacheOnTop == ignoresHits)
      await reader.close()
    }
  }

  @Test func `a stage that shows other bytes and says that it ignores hits is asked all the same`() async throws {
    let source = SyntheticSource(byteCount: 100_000)
    let stage = HitCounting(ignoresHits: true, derives: true)
    let reader = try await reader(source, MemoryStore(limit: .mebibytes(4)), above: .stage(stage))
    for _ in 0..<2 { #expect(try await reader.read(0..<4096) == source.expected(0..<4096)) }
    let asked = stage.asked.load(ordering: .relaxed)
    #expect(reader.cached(0..<4096) == nil, "what such a stage passes on is not what it shows")
    #expect(stage.asked.load(ordering: .relaxed) > asked)
    await reader.close()
  }

  @Test func `what is compressed is not there before it was read again`() async throws {
    let source = SyntheticSource(byteCount: 1 << 20)
    let store = TieredStore(memory: .kibibytes(128), compressed: .kibibytes(128))
    let reader = try await RangeReader(source, [.caching(store, blockSize: .kibibytes(4))])
    let blocks = stride(from: 0, to: 1 << 20, by: 4096).map { $0..<$0 + 4096 }
    for block in blocks { _ = try await reader.read(block) }
    // Which blocks are where is the store's choice; what is there is right.
    let there = blocks.filter { block in
      guard let bytes = reader.cached(block) else { return false }
      #expect(bytes == source.expected(block))
      return true
    }
    #expect(!there.isEmpty && there.count < blocks.count / 2)
    #expect(reader.cached(0..<1 << 20) == nil)
    await reader.close()
  }

  @Test func `after a change it is nil, or of the version that is read`() async throws {
    let source = SyntheticSource(byteCount: 100_000)
    let configuration = RangeReader.Configuration(onChange: .refresh.polling(every: .seconds(3600)))
    let reader = try await RangeReader(
      source, [.caching(MemoryStore(limit: .mebibytes(4)), blockSize: .kibibytes(4))], configuration: configuration)
    let old = try await reader.read(0..<4096)
    #expect(reader.cached(0..<4096) == old)
    source.rewrite()
    try await reader.refresh()
    #expect(reader.cached(0..<4096) == nil)
    let new = try await reader.read(0..<4096)
    #expect(new == source.expected(0..<4096) && reader.cached(0..<4096) == new)
    await reader.close()
  }
}

private struct Unanswering: ReadStage {
  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse { try await next(request) }
}

/// A stage that counts its calls. If it derives a source, then one with the same bytes.
private final class HitCounting: ReadStage {
  let ignoresHits: Bool
  private let derives: Bool
  let asked = Atomic<Int>(0)
  let reads = Atomic<Int>(0)

  init(ignoresHits: Bool, derives: Bool = false) {
    self.ignoresHits = ignoresHits
    self.derives = derives
  }

  func describe(_ below: SourceDescription) -> SourceDescription {
    derives ? below.deriving("same", byteCount: below.byteCount) : below
  }

  func answer(_ request: ReadRequest, next: ReadNext) -> ReadAnswer<ReadResponse> {
    asked.add(1, ordering: .relaxed)
    return next.answer(request)
  }

  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    reads.add(1, ordering: .relaxed)
    return try await next(request)
  }
}
