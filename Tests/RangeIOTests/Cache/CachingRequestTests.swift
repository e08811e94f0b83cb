import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What a request may ask of the cache, and what is read past it.
@Suite(.simulated) struct CachingRequestTests {
  private let notes = Noted<NotingStage.Seen>()
  private let asking = Asking()
  private var fetched: [ByteRange] { notes.all.flatMap { [$0.range] + $0.moreRanges } }

  private func reader(
    _ source: some RangeSource, _ store: MemoryStore, fill: ReadPipeline.CacheFill = .exact, passing: ByteCount? = nil
  ) async throws -> RangeReader {
    try await RangeReader(
      source,
      [
        .stage(asking), .caching(store, fill: fill, blockSize: .kibibytes(4), maxReadSize: passing),
        .stage(NotingStage(name: "below", notes: notes)),
      ])
  }

  // MARK: bypass and onlyIfCached

  @Test func `a read that bypasses the cache comes from below and is not kept`() async throws {
    let store = MemoryStore(limit: .mebibytes(1))
    let reader = try await reader(SyntheticSource(byteCount: 100_000), store)
    asking.caching = .bypass
    #expect(try await reader.isRight(0..<100))
    #expect(try await reader.read([5..<10, 0..<100]).count == 2)
    asking.caching = .normal
    #expect(store.cachedRanges(of: reader.source) == [])
    #expect(try await reader.isRight(0..<100))
    // Also where it is there.
    asking.caching = .bypass
    #expect(try await reader.isRight(0..<100))
    asking.caching = .normal
    #expect(fetched == [0..<100, 5..<10, 0..<100, 0..<100, 0..<100])
    #expect(store.counts().hits == 0)
  }

  @Test func `a read that takes what is cached only never fetches`() async throws {
    let store = MemoryStore(limit: .mebibytes(1))
    let reader = try await reader(SyntheticSource(byteCount: 100_000), store)
    _ = try await reader.read(0..<5000)
    let isFetched = fetched
    asking.caching = .onlyIfCached
    #expect(try await reader.isRight(0..<5000))
    #expect(try await reader.isRight(4000..<4500))
    #expect(try await reader.read([10..<20, 4000..<5000]).map(\.count) == [10, 1000])
    for range in [4999..<5001, 50_000..<50_001] {
      let error = await #expect(throws: ReadError.self) { try await reader.read(range) }
      #expect(error?.code == .notCached)
      #expect(error?.context == .init(source: "synthetic", offset: range.lowerBound, count: range.count))
    }
    let vectored = await #expect(throws: ReadError.self) { try await reader.read([0..<10, 6000..<6001]) }
    #expect(vectored?.code == .notCached)
    asking.caching = .normal
    #expect(fetched == isFetched)
    #expect(store.isQuiet)
  }

  @Test func `a read that takes what is cached only does not wait for what is on its way`() async throws {
    let source = HeldSource()
    let reader = try await reader(source, MemoryStore(limit: .mebibytes(1)))
    async let first = reader.isRight(0..<10)
    await quiet()
    #expect(source.waiting.count == 1)
    asking.caching = .onlyIfCached
    let error = await #expect(throws: ReadError.self) { try await reader.read(0..<10) }
    #expect(error?.code == .notCached)
    asking.caching = .normal
    source.hold(false)
    #expect(try await first)
  }

  // MARK: past the store

  @Test func `a source that is not settled is read past the store`() async throws {
    let store = MemoryStore(limit: .mebibytes(1))
    let source = HeldSource(isSettled: false, isHeld: false)
    let reader = try await reader(source, store, fill: .block)
    for _ in 0..<3 { #expect(try await reader.isRight(10..<20)) }
    #expect(source.asked == [10..<20, 10..<20, 10..<20])
    #expect(store.counts() == MemoryStore(limit: .mebibytes(1)).counts())
    asking.caching = .onlyIfCached
    let error = await #expect(throws: ReadError.self) { try await reader.read(10..<20) }
    #expect(error?.code == .notCached)
    asking.caching = .normal
    #expect(source.asked.count == 3)
  }

  @Test func `ranges larger than the stage was told to keep are read past the store`() async throws {
    let store = MemoryStore(limit: .mebibytes(1))
    let reader = try await reader(SyntheticSource(byteCount: 100_000), store, fill: .block, passing: .bytes(1000))
    #expect(try await reader.isRight(0..<1000))
    #expect(store.cachedRanges(of: reader.source) == [0..<4096])
    #expect(try await reader.isRight(0..<1001))
    #expect(try await reader.read([0..<10, 0..<1001]).map(\.count) == [10, 1001])
    #expect(fetched == [0..<4096, 0..<1001, 0..<10, 0..<1001])
    #expect(store.cachedRanges(of: reader.source) == [0..<4096])
    #expect(try await reader.isRight(3000..<4000))
    #expect(fetched.count == 4)
  }

  @Test(arguments: [ReadPipeline.CacheFill.block, .exact, .requestedFirst])
  func `a run larger than half of the store is served and none of it kept`(fill: ReadPipeline.CacheFill) async throws {
    let store = MemoryStore(limit: .kibibytes(64))
    let reader = try await reader(SyntheticSource(byteCount: 16 << 20), store, fill: fill)
    #expect(try await reader.isRight(100..<200))
    let kept = store.cachedRanges(of: reader.source)
    #expect(try await reader.isRight(10_000..<50_000))
    // Several flights, each of more than the store.
    #expect(try await reader.isRight(1 << 20..<12 << 20))
    // Small parts of a large run.
    let parts = (0..<200).map { 1 << 20 + $0 * 8192..<1 << 20 + $0 * 8192 + 400 }
    #expect(try await reader.read(parts) == parts.map { SyntheticSource.bytes($0) })
    #expect(store.cachedRanges(of: reader.source) == kept)
    #expect(store.counts().peakBytes <= store.counts().limit)
    #expect(store.isQuiet)
    #expect(kept.contains { $0.contains(150) })
  }

  @Test func `nothing is fetched without a reader when it cannot be kept`() async throws {
    let store = MemoryStore(limit: .bytes(3000))
    let reader = try await reader(SyntheticSource(byteCount: 100_000), store, fill: .requestedFirst)
    #expect(try await reader.isRight(100..<200))
    await quiet()
    #expect(store.isQuiet)
    #expect(fetched == [100..<200])
  }

  // MARK: without a reservation

  @Test func `reads without room take turns, four at a time, and leave the queue when cancelled`() async throws {
    let store = MemoryStore(limit: .kibibytes(16))
    let source = HeldSource()
    let reader = try await reader(source, store)
    let reads = (0..<7).map { number in
      start { try await reader.isRight(number * 10_000..<number * 10_000 + 9000) }
    }
    await quiet()
    #expect(source.waiting.count == 4 && store.flightCount == 7)
    let inside = source.waiting.map { $0.lowerBound / 10_000 }
    let queued = (0..<7).filter { !inside.contains($0) }
    reads[queued[0]].cancel()
    await #expect(throws: CancellationError.self) { try await reads[queued[0]].value }
    await quiet()
    #expect(store.flightCount == 6)
    #expect(source.waiting.count == 4)
    // One inside goes, and one of those who queue takes its turn.
    reads[inside[0]].cancel()
    await #expect(throws: CancellationError.self) { try await reads[inside[0]].value }
    await quiet()
    #expect(source.asked.count == 5 && source.waiting.count == 4)
    source.hold(false)
    for number in 0..<7 where number != queued[0] && number != inside[0] { #expect(try await reads[number].value) }
    #expect(source.asked.count == 6)
    #expect(store.isQuiet)
    #expect(store.cachedRanges(of: reader.source) == [])
    // All turns are back.
    for _ in 0..<4 { try await store.sources.unreserved.enter() }
  }

  @Test func `a closed reader's reads leave the queue at once`() async throws {
    let store = MemoryStore(limit: .kibibytes(16))
    for _ in 0..<4 { try await store.sources.unreserved.enter() }
    let source = HeldSource(isHeld: false)
    let reader = try await reader(source, store)
    let read = start { try await reader.read(0..<9000) }
    await quiet()
    #expect(store.flightCount == 1)
    await reader.close()
    let error = await #expect(throws: ReadError.self) { try await read.value }
    #expect(error?.code == .closed)
    await quiet()
    #expect(store.flightCount == 0)
    #expect(source.asked.isEmpty)
  }
}
