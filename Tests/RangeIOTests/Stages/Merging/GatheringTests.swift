import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// `.caching` above `.merging`: what is asked for together, and what is kept of it.
@Suite(.simulated) struct GatheringTests {
  private let notes = Noted<NotingStage.Seen>()
  private let asking = Asking()
  private let store = MemoryStore(limit: .mebibytes(1))
  private let requests = Noted<ReadRequest>()

  /// What the cache has asked for.
  private var gathered: [[ByteRange]] { notes.all.map { [$0.range] + $0.moreRanges } }

  private func reader(
    _ source: some RangeSource, _ store: MemoryStore? = nil, fill: ReadPipeline.CacheFill = .exact, gap: Int = 200,
    passing: ByteCount? = nil
  ) async throws -> (reader: RangeReader, caching: ReadPipeline, merging: ReadPipeline) {
    let caching: ReadPipeline = .caching(
      store ?? self.store, fill: fill, blockSize: .kibibytes(4), maxReadSize: passing)
    let merging: ReadPipeline = .merging(maxGap: .bytes(gap))
    let reader = try await RangeReader(
      source,
      [
        .stage(asking), caching, .stage(NotingStage(name: "between", notes: notes)),
        .stage(Keeping(requests: requests)), merging,
      ])
    return (reader, caching, merging)
  }

  // MARK: groups

  @Test func `what a read lacks is asked for as one request for each span`() async throws {
    let source = HeldSource(isHeld: false)
    let (reader, _, merging) = try await reader(source)
    let ranges = [50_000..<50_100, 0..<100, 250..<300, 60..<120, 50_200..<50_300]
    #expect(try await reader.read(ranges) == ranges.map { SyntheticSource.bytes($0) })
    #expect(Set(gathered) == [[0..<120, 250..<300], [50_000..<50_100, 50_200..<50_300]])
    #expect(Set(source.asked) == [0..<300, 50_000..<50_300])
    #expect(requests.all.allSatisfy { $0.isOneOfMany })
    #expect(merging.statistics()?.wastedBytes == 230)
    #expect(store.isQuiet)
  }

  @Test func `a read of one range with holes is gathered, too`() async throws {
    let source = HeldSource(isHeld: false)
    let (reader, caching, _) = try await reader(source)
    #expect(try await reader.isRight(1000..<1100))
    #expect(try await reader.isRight(0..<3000))
    #expect(source.asked == [1000..<1100, 0..<3000])
    #expect(gathered.last == [0..<1000, 1100..<3000])
    #expect(caching.statistics()?["bytes read again"] == 100)
    #expect(caching.statistics()?["over-read bytes kept"] == 0)
  }

  @Test func `the pieces that a long range is read in go beside each other`() async throws {
    let source = SyntheticSource(byteCount: 64 << 20)
    let (reader, _, _) = try await reader(source, MemoryStore(limit: .mebibytes(256)), gap: 1 << 20)
    #expect(try await reader.read(0..<40 << 20).count == 40 << 20)
    #expect(source.readCount == 5)
    #expect(requests.all.allSatisfy { $0.isOneOfMany })
  }

  @Test func `below a stage that shows other bytes, all that is missing is one request`() async throws {
    let source = HeldSource(isHeld: false)
    let reader = try await RangeReader(
      source,
      [
        .caching(store, fill: .exact, blockSize: .kibibytes(4)),
        .stage(NotingStage(name: "between", notes: notes, header: 1000)), .merging(maxGap: .bytes(200)),
      ])
    let ranges = [0..<100, 200..<300, 50_000..<50_100]
    let expected = ranges.map { SyntheticSource.bytes($0.lowerBound + 1000..<$0.upperBound + 1000) }
    #expect(try await reader.read(ranges) == expected)
    #expect(gathered == [ranges])
    #expect(Set(source.asked) == [1000..<1300, 51_000..<51_100])
    // What lies between is of other offsets, so nothing of it is kept.
    #expect(store.cachedRanges(of: reader.source) == ranges)
    #expect(try await reader.read(ranges) == expected)
    #expect(source.asked.count == 2)
  }

  @Test func `with a gap of zero, each missing range is asked for by itself`() async throws {
    let source = HeldSource(isHeld: false)
    let reader = try await RangeReader(
      source, [.caching(store, fill: .exact, blockSize: .kibibytes(4)), .merging(maxGap: .bytes(0))])
    _ = try await reader.read([0..<100, 101..<200, 300..<400])
    #expect(Set(source.asked) == [0..<100, 101..<200, 300..<400])
  }

  // MARK: over-read

  @Test(arguments: [ReadPipeline.CacheFill.exact, .block]) func `what was read over is kept and served`(
    fill: ReadPipeline.CacheFill
  ) async throws {
    let source = HeldSource(isHeld: false)
    let (reader, caching, _) = try await reader(source, fill: fill, gap: 20_000)
    let ranges = [100..<200, 20_000..<20_100, 9000..<9100]
    #expect(try await reader.read(ranges) == ranges.map { SyntheticSource.bytes($0) })
    let span = fill == .exact ? 100..<20_100 : 0..<20_480
    #expect(source.asked == [span])
    #expect(store.cachedRanges(of: reader.source) == [span])
    #expect(try await reader.isRight(span))
    #expect(try await reader.isRight(5000..<18_000))
    #expect(source.asked.count == 1)
    #expect(caching.statistics()?["over-read bytes kept"] == (fill == .exact ? 19_700 : 8192))
    #expect(caching.statistics()?["bytes read again"] == 0)
  }

  @Test func `what was read over and is here already is counted, not stored again`() async throws {
    let source = HeldSource(isHeld: false)
    let (reader, caching, merging) = try await reader(source, fill: .block, gap: 100_000)
    #expect(try await reader.isRight(9000..<9001))
    let insertions = store.counts().insertions
    #expect(try await reader.read([0..<1, 20_000..<20_001]).map(\.count) == [1, 1])
    #expect(source.asked == [8192..<12_288, 0..<20_480])
    #expect(caching.statistics()?["bytes read again"] == 4096)
    #expect(caching.statistics()?["over-read bytes kept"] == 8192)
    #expect(merging.statistics()?.wastedBytes == 12_288)
    #expect(store.counts().insertions == insertions + 4)
    #expect(store.counts().merges == 0)
  }

  @Test func `what is longer than a cache takes is not kept of what was read over`() async throws {
    let source = HeldSource(isHeld: false)
    let (reader, _, _) = try await reader(source, gap: 100_000, passing: .bytes(1000))
    _ = try await reader.read([0..<100, 1000..<1100, 3000..<3100])
    #expect(source.asked == [0..<3100])
    #expect(store.cachedRanges(of: reader.source) == [0..<1100, 3000..<3100])
  }

  @Test func `far more than was asked for is not kept, and evicts nothing`() async throws {
    let source = SyntheticSource(byteCount: 32 << 20)
    let store = MemoryStore(limit: .mebibytes(4))
    let (reader, caching, merging) = try await reader(source, store, gap: 8 << 20)
    let useful = (0..<12).map { $0 << 18..<($0 + 1) << 18 }
    for range in useful { _ = try await reader.read(range) }
    let sparse = [20, 22, 24, 26, 28].map { $0 << 20..<$0 << 20 + 100 }
    #expect(try await reader.read(sparse) == sparse.map { SyntheticSource.bytes($0) })
    #expect(source.readCount == useful.count + 1)
    #expect(merging.statistics()?.wastedBytes == 8 << 20 - 400)
    #expect(caching.statistics()?["over-read bytes kept"] == 0)
    #expect(store.cachedRanges(of: reader.source) == [0..<3 << 20] + sparse)
    #expect(store.isQuiet)
  }

  @Test func `nothing that was removed meanwhile is kept`() async throws {
    let source = HeldSource()
    let (reader, caching, _) = try await reader(source)
    let read = start { try await reader.read([0..<100, 200..<300]) }
    await quiet()
    #expect(source.waiting.count == 1)
    store.removeAll()
    source.hold(false)
    #expect(try await read.value.map(\.count) == [100, 100])
    #expect(store.cachedRanges(of: reader.source) == [])
    #expect(caching.statistics()?["over-read bytes kept"] == 0)
    #expect(store.isQuiet)
  }

  @Test func `a read past the cache keeps nothing of what was read over`() async throws {
    let source = HeldSource(isHeld: false)
    let (reader, _, _) = try await reader(source)
    asking.caching = .bypass
    _ = try await reader.read([0..<100, 200..<300])
    #expect(source.asked == [0..<300])
    asking.caching = .normal
    #expect(store.cachedRanges(of: reader.source) == [])
  }

  @Test func `where there is no room, spans are served and nothing is kept`() async throws {
    let small = MemoryStore(limit: .kibibytes(16))
    let source = SyntheticSource(byteCount: 1 << 20)
    let (reader, _, merging) = try await reader(source, small)
    let ranges = (0..<100).map { $0 * 300..<$0 * 300 + 150 }
    #expect(try await reader.read(ranges) == ranges.map { SyntheticSource.bytes($0) })
    #expect(source.readCount == 1)
    #expect(small.cachedRanges(of: reader.source) == [])
    #expect(small.isQuiet)
    for _ in 0..<4 { try await small.sources.unreserved.enter() }
    try await allPermitsAreBack(merging)
  }

  // MARK: ends

  @Test func `a span that fails fails the read, and what the other brought is kept`() async throws {
    let source = HeldSource()
    let (reader, _, merging) = try await reader(source)
    let read = start { try await reader.read([0..<100, 200..<300, 50_000..<50_100, 50_200..<50_300]) }
    await quiet()
    #expect(source.waiting.count == 2)
    let first = source.waiting[0]
    source.letGo()
    await quiet()
    #expect(store.cachedRanges(of: reader.source) == [first])
    source.letGo(throwing: Refusal.no)
    await #expect(throws: Refusal.self) { try await read.value }
    #expect(store.cachedRanges(of: reader.source) == [first])
    await quiet()
    #expect(store.isQuiet)
    try await allPermitsAreBack(merging)
    source.hold(false)
    #expect(try await reader.isRight(first))
    #expect(source.asked.count == 2)
  }

  @Test func `a read that is cancelled in the midst keeps what has come and cancels the rest`() async throws {
    let source = HeldSource()
    let (reader, _, merging) = try await reader(source)
    let read = start { try await reader.read([0..<100, 200..<300, 50_000..<50_100, 50_200..<50_300]) }
    await quiet()
    #expect(source.waiting.count == 2)
    let first = source.waiting[0]
    source.letGo()
    await quiet()
    #expect(store.flightCount == 2)
    read.cancel()
    await #expect(throws: CancellationError.self) { try await read.value }
    await quiet()
    #expect(source.cancellations == 1 && store.isQuiet)
    #expect(store.cachedRanges(of: reader.source) == [first])
    try await allPermitsAreBack(merging)
  }

  /// Two read parts of one span, which takes 10 ms; one goes after 2 ms, and the other, too, if it is to.
  private func share(
    leavesToo: Bool,
    _ check: @escaping @Sendable (Simulation, SyntheticSource, Task<Bool, any Error>) async throws -> Void
  ) throws {
    try Simulation.run(seed: 1) { [store] simulation in
      let source = SyntheticSource(byteCount: 100_000, latency: .milliseconds(10), time: simulation.time)
      let reader = try await RangeReader(
        source, [.caching(store, fill: .exact, blockSize: .kibibytes(4)), .merging(maxGap: .bytes(200))],
        configuration: simulation.configuration)
      let one = simulation.start { try await reader.read([0..<100, 200..<300]) }
      try await simulation.clock.sleep(for: .milliseconds(1))
      let other = simulation.start { try await reader.isRight(220..<230) }
      try await simulation.clock.sleep(for: .milliseconds(1))
      one.cancel()
      await #expect(throws: CancellationError.self) { try await one.value }
      try await simulation.clock.sleep(for: .milliseconds(1))
      if leavesToo { other.cancel() }
      try await check(simulation, source, other)
      #expect(source.readCount == 1)
      #expect(store.isQuiet)
    }
  }

  @Test func `a request goes on as long as anybody waits for a part of it`() throws {
    try share(leavesToo: false) { [store] simulation, source, other in
      #expect(try await other.value)
      #expect(simulation.clock.now.offset == .milliseconds(10))
      let description = try await source.describe()
      #expect(store.cachedRanges(of: description) == [0..<300])
    }
  }

  @Test func `and is cancelled when the last one goes`() throws {
    try share(leavesToo: true) { [store] simulation, source, other in
      await #expect(throws: CancellationError.self) { try await other.value }
      try await simulation.clock.sleep(for: .milliseconds(1))
      #expect(simulation.clock.now.offset == .milliseconds(4))
      let description = try await source.describe()
      #expect(store.cachedRanges(of: description) == [])
    }
  }

  // MARK: the rest of blocks

  @Test func `the rest of blocks is gathered, too, and a demand raises all that flies with what it joins`() async throws
  {
    let source = HeldSource()
    let (reader, caching, _) = try await reader(source, fill: .requestedFirst)
    let read = start { try await reader.read([100..<200, 50_000..<50_100]) }
    await quiet()
    #expect(source.waiting.count == 2)
    source.letGo()
    source.letGo()
    #expect(try await read.value == [100..<200, 50_000..<50_100].map { SyntheticSource.bytes($0) })
    await quiet()
    #expect(source.waiting.count == 2)
    #expect(Set(gathered.suffix(2)) == [[0..<100, 200..<4096], [49_152..<50_000, 50_100..<53_248]])
    let rest = requests.all.suffix(2)
    #expect(rest.allSatisfy { $0.purpose == .prefetch })
    let misses = store.missCount
    let joining = start { try await reader.isRight(300..<310) }
    await quiet()
    #expect(store.missCount > misses)
    #expect(rest.first { $0.range.lowerBound == 0 }?.purpose == .demand)
    #expect(rest.first { $0.range.lowerBound > 0 }?.purpose == .prefetch)
    source.hold(false)
    #expect(try await joining.value)
    await quiet()
    #expect(store.isQuiet)
    #expect(store.cachedRanges(of: reader.source) == [0..<4096, 49_152..<53_248])
    #expect(caching.statistics()?["bytes read again"] == 200)
  }
}

/// Keeps the requests that pass.
private struct Keeping: ReadStage {
  let requests: Noted<ReadRequest>

  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    requests.add(request)
    return try await next(request)
  }
}
