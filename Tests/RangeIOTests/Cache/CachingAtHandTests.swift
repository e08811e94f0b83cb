import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Misses whose bytes the source has at hand: read and kept without a flight.
struct CachingAtHandTests {
  private let source = AtHandSource()
  private let store = MemoryStore(limit: .mebibytes(1))

  private func reader(_ fill: ReadPipeline.CacheFill = .exact, _ store: MemoryStore? = nil) async throws -> RangeReader
  {
    let store = store ?? self.store
    return try await RangeReader(source, [.caching(store, fill: fill, blockSize: .kibibytes(4))])
  }

  @Test func `they are kept, with room reserved before and no flight`() async throws {
    let reader = try await reader()
    let seen = Locked((flights: -1, reserved: -1))
    source.meanwhile { [store] _ in
      seen.withLock { $0 = (store.flightCount, store.counts().reservedBytes) }
    }
    #expect(try await reader.isRight(4096..<8192))
    #expect(seen.withLock { $0.flights } == 0)
    #expect(seen.withLock { $0.reserved } == MemoryStore.charge(of: 4096))
    #expect(store.cachedRanges(of: reader.source) == [4096..<8192])
    #expect(store.isQuiet)
    #expect(source.answered == [4096..<8192] && source.asked == [])
    #expect(try await reader.isRight(4096..<8192))
    #expect(source.answered.count == 1)
    let statistics = reader.statistics()
    #expect(statistics.reads == 2 && statistics.cacheHits == 1)
    #expect(store.counts().misses == 1 && store.counts().hits == 1)
  }

  @Test func `a source that waits is asked in the same way`() async throws {
    let source = AtHandSource(isPrompt: false)
    let reader = try await RangeReader(source, [.caching(store, fill: .exact, blockSize: .kibibytes(4))])
    #expect(try await reader.isRight(4096..<8192))
    #expect(source.answered == [4096..<8192] && source.asked == [])
    #expect(store.cachedRanges(of: reader.source) == [4096..<8192])
  }

  @Test func `first reads that are not kept are answered at once, too`() async throws {
    let store = self.store
    // Below another stage: alone, such reads are the source's own.
    let reader = try await RangeReader(
      source, [.observing(), .caching(store, fill: .exact, blockSize: .kibibytes(4), onSecondRead: true)])
    // The very first read binds the version to the store.
    #expect(try await reader.isRight(0..<10))
    #expect(try await reader.isRight(4096..<8192))
    #expect(source.answered == [0..<10, 4096..<8192] && source.asked == [])
    #expect(store.cachedRanges(of: reader.source).isEmpty)
    #expect(reader.statistics().cacheHits == 0)
    // What is not at hand is asked for once at hand, and then not again for every read.
    source.hasAll = false
    source.hold(false)
    for block in 2..<12 { #expect(try await reader.isRight(block * 4096..<block * 4096 + 100)) }
    #expect(source.answered.count == 2 && source.asked.count == 10)
    source.hasAll = true
    for block in 12..<24 { #expect(try await reader.isRight(block * 4096..<block * 4096 + 100)) }
    #expect(source.answered.count > 6)
    #expect(store.isQuiet && store.counts().blocks == 0)
    await reader.close()
  }

  /// Answers with other bytes than it was asked for, if asked for what is at hand.
  private final class Miscounting: ReadStage {
    let more: Int

    init(more: Int) { self.more = more }

    func answer(_ request: ReadRequest, next: ReadNext) -> ReadAnswer<ReadResponse> {
      .here(ReadResponse(Bytes([UInt8](repeating: 9, count: max(0, request.range.count + more)))))
    }

    func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse { try await next(request) }
  }

  @Test(arguments: [-4096, -1, 1, 4096]) func `too few bytes or too many are not taken for those at hand`(more: Int)
    async throws
  {
    for fill in [ReadPipeline.CacheFill.exact, .block, .automatic] {
      let store = MemoryStore(limit: .mebibytes(1))
      let reader = try await RangeReader(
        source, [.caching(store, fill: fill, blockSize: .kibibytes(4)), .stage(Miscounting(more: more))])
      for block in 0..<20 {
        do {
          #expect(try await reader.isRight(block * 4096 + 5..<block * 4096 + 100))
        } catch let error as ReadError {
          #expect(error.code == .invalidResponse)
        }
      }
      #expect(MemoryRecount(store).faults == [])
      await reader.close()
    }
  }

  @Test func `a cache alone above a source leaves first reads to it as if it were not there`() async throws {
    source.hold(false)
    let reader = try await RangeReader(
      source, [.caching(store, fill: .exact, blockSize: .kibibytes(4), maxReadSize: .kibibytes(64), onSecondRead: true)]
    )
    #expect(try await reader.isRight(0..<10))
    #expect(source.answered == [0..<10])
    // From here on the version is known. Of the sample's blocks the meter asks for what is at hand.
    let meter = store.sources.admissionMeter(capacity: 1 << 20)
    let blocks = (1..<20).filter { !meter.sample.contains($0) }
    for block in blocks { #expect(try await reader.isRight(block * 4096..<block * 4096 + 100)) }
    #expect(source.asked == blocks.map { $0 * 4096..<$0 * 4096 + 100 } && source.answered.count == 1)
    #expect(store.counts().misses == 1 + blocks.count && store.counts().blocks == 0)
    // A second read is kept, and a third one found.
    let second = blocks[3] * 4096..<blocks[3] * 4096 + 100
    #expect(try await reader.isRight(second))
    #expect(store.cachedRanges(of: reader.source) == [second])
    #expect(try await reader.isRight(second))
    // What is only partly here takes the part that is.
    let more = second.lowerBound..<second.upperBound + 100
    let asked = source.asked.count + source.answered.count
    #expect(try await reader.isRight(more))
    #expect((source.asked + source.answered).count == asked + 1)
    #expect(!(source.asked + source.answered).contains(more))
    // Longer ones than are kept are the source's, too.
    #expect(try await reader.isRight(0..<70_000))
    #expect(source.asked.last == 0..<70_000)
    let statistics = reader.statistics()
    #expect(statistics.reads == blocks.count + 5 && statistics.cacheHits == 1)
    #expect(statistics.stages.first?.counts.first { $0.name == "misses" }?.value == blocks.count + 4)
    await reader.close()
    let refusal = await #expect(throws: ReadError.self) { try await reader.read(90_000..<90_010) }
    #expect(refusal?.code == .closed)
  }

  @Test func `the whole block is fetched if whole blocks are kept`() async throws {
    let reader = try await reader(.block)
    #expect(try await reader.isRight(5000..<5100))
    #expect(source.answered == [4096..<8192])
    #expect(store.cachedRanges(of: reader.source) == [4096..<8192])
  }

  @Test func `several blocks are kept apart, in memory of their own`() async throws {
    let reader = try await reader()
    #expect(try await reader.isRight(5000..<15_000))
    #expect(source.answered == [5000..<15_000])
    #expect(store.cachedRanges(of: reader.source) == [5000..<15_000])
    #expect(store.counts().blocks == 3)
    #expect(MemoryRecount(store).faults == [])
    store.remove(8192..<8193, of: reader.source)
    #expect(store.cachedRanges(of: reader.source) == [5000..<8192, 12_288..<15_000])
    #expect(try await reader.isRight(5000..<15_000))
    #expect(store.isQuiet)
  }

  @Test func `what is removed in between is returned and not kept`() async throws {
    let reader = try await reader()
    let description = reader.source
    for remove: @Sendable (MemoryStore) -> Void in [
      { $0.removeAll() }, { $0.remove(source: description.id) }, { $0.remove(0..<1, of: description) },
    ] {
      source.meanwhile { [store] _ in remove(store) }
      #expect(try await reader.isRight(4096..<8192))
      #expect(store.cachedRanges(of: description) == [])
      #expect(store.isQuiet)
    }
    #expect(store.counts().stale == 3)
    #expect(try await reader.isRight(4096..<8192))
    #expect(store.cachedRanges(of: description) == [4096..<8192])
  }

  @Test func `a version that is retired in between is returned and not kept`() async throws {
    let reader = try await reader()
    source.meanwhile { [store] _ in for token in store.sources.all { token.retire() } }
    #expect(try await reader.isRight(4096..<8192))
    #expect(store.cachedRanges(of: reader.source) == [])
    #expect(store.counts().bytes == 0)
  }

  @Test func `a block that another read keeps in between is kept once`() async throws {
    let reader = try await reader()
    source.meanwhile { [store] range in
      let token = store.sources.all[0]
      guard let reservation = store.reserve(range, ofRun: range.count, for: token) else { return }
      store.insert(SyntheticSource.bytes(range), at: range, ticket: token.ticket(), reservation: reservation)
    }
    #expect(try await reader.isRight(4096..<8192))
    #expect(store.counts().blocks == 1)
    #expect(store.counts().bytes == MemoryStore.charge(of: 4096))
  }

  @Test func `a lowered limit holds for what is under way`() async throws {
    let reader = try await reader()
    source.meanwhile { [store] _ in store.setLimit(0) }
    #expect(try await reader.isRight(4096..<8192))
    #expect(store.counts().bytes == 0)
    #expect(store.cachedRanges(of: reader.source) == [])
  }

  @Test func `without room the bytes are returned and not kept`() async throws {
    let small = MemoryStore(limit: .bytes(0))
    let reader = try await reader(.exact, small)
    source.hold(false)
    for _ in 0..<3 { #expect(try await reader.isRight(4096..<8192)) }
    #expect(small.counts().blocks == 0)
    #expect(small.counts().peakBytes == 0)
  }

  @Test func `an answer of the wrong size is not trusted, and the source is read`() async throws {
    source.hold(false)
    for missing in [1, 4096, -1] {
      source.missingBytes = missing
      let reader = try await reader()
      #expect(try await reader.isRight(4096..<8192), "\(missing)")
      #expect(store.isQuiet)
      store.removeAll()
    }
    #expect(source.asked == Array(repeating: 4096..<8192, count: 3))
  }

  @Test func `a read that is cancelled in between leaves everything in order`() async throws {
    let reader = try await reader()
    source.meanwhile { _ in withUnsafeCurrentTask { $0?.cancel() } }
    let read = Task { try await reader.isRight(4096..<8192) }
    #expect(try await read.value)
    #expect(store.isQuiet)
    #expect(store.cachedRanges(of: reader.source) == [4096..<8192])
  }

  @Test func `a reader that is closed in between closes`() async throws {
    let reader = try await reader()
    source.meanwhile { _ in BackgroundWork().start { await reader.close() } }
    // The read has begun: it may still be answered.
    do { #expect(try await reader.isRight(4096..<8192)) } catch let error as ReadError {
      #expect(error.code == .closed)
    }
    await reader.close()
    #expect(store.isQuiet)
    await #expect(throws: ReadError.self) { try await reader.read(0..<10) }
  }

  @Test func `a block that a flight brings is not read a second time`() async throws {
    let reader = try await reader()
    source.hasAll = false
    let first = Task { try await reader.isRight(0..<4096) }
    while source.asked.isEmpty { await Task.yield() }
    source.hasAll = true
    // The first miss after one that had to wait takes the longer way, and finds its bytes at hand.
    #expect(try await reader.isRight(8192..<12_288))
    let second = Task { try await reader.isRight(0..<4096) }
    while store.missCount < 3 { await Task.yield() }
    // Others still come at once.
    #expect(try await reader.isRight(16_384..<20_480))
    source.hold(false)
    #expect(try await first.value)
    #expect(try await second.value)
    #expect(source.asked == [0..<4096])
    #expect(source.answered == [8192..<12_288, 16_384..<20_480])
    #expect(store.isQuiet)
  }

  @Test func `a full store evicts for them, and its limit holds`() async throws {
    var configuration = MemoryStore.Configuration(limit: .bytes(4 * MemoryStore.charge(of: 4096)))
    configuration.shards = 1
    let small = MemoryStore(configuration)
    let reader = try await reader(.exact, small)
    for block in 0..<20 {
      source.meanwhile { [small] _ in #expect(small.counts().bytes <= small.counts().limit) }
      #expect(try await reader.isRight(block * 4096..<(block + 1) * 4096))
      #expect(small.counts().bytes == min(block + 1, 4) * MemoryStore.charge(of: 4096))
    }
    #expect(small.counts().blocks == 4 && small.counts().evictions == 16)
    #expect(MemoryRecount(small).faults == [])
  }
}
