import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Old fetches, failed fetches, cancelled ones and holes: what must never reach a reader, or the store.
@Suite(.simulated) struct CacheHazardsTests {
  private let store = MemoryStore(limit: .mebibytes(1))

  /// A reader of a source that hangs until it is let go.
  private func gated(
    _ source: SyntheticSource, _ fill: ReadPipeline.CacheFill = .exact
  ) async throws -> (RangeReader, GatedSource<SyntheticSource>) {
    let gated = GatedSource(source)
    let reader = try await RangeReader(gated, [.caching(store, fill: fill, blockSize: .kibibytes(4))])
    return (reader, gated)
  }

  @Test func `a follower does not get the cancellation of the one who began`() async throws {
    let source = SyntheticSource(byteCount: 100_000)
    let (reader, gate) = try await gated(source)
    let leader = start { try await reader.read(0..<100) }
    await gate.arrivals(1)
    let followers = (0..<10).map { _ in start { try await reader.read(10..<50) } }
    for follower in followers.prefix(5) { follower.cancel() }
    leader.cancel()
    await #expect(throws: CancellationError.self) { try await leader.value }
    gate.open()
    for follower in followers.dropFirst(5) {
      #expect(try await follower.value == SyntheticSource.bytes(10..<50))
    }
    for follower in followers.prefix(5) {
      // Unless it had come before it was cancelled.
      if let bytes = try? await follower.value { #expect(bytes == SyntheticSource.bytes(10..<50)) }
    }
    await quiet()
    #expect(store.counts().reservedBytes == 0)
  }

  @Test func `a fetch that began before a removal does not bring old bytes back`() async throws {
    let source = SyntheticSource(byteCount: 100_000)
    for remove in [
      { $0.remove(source: $1.id) }, { $0.remove(0..<1, of: $1) }, { store, _ in store.removeAll() },
    ] as [@Sendable (MemoryStore, SourceDescription) -> Void] {
      let (reader, gate) = try await gated(source)
      let before = start { try await reader.read(0..<100) }
      await gate.arrivals(1)
      remove(store, reader.source)
      // One that begins now does not wait for the older one either.
      let after = start { try await reader.read(0..<100) }
      await gate.arrivals(2)
      gate.releaseNext()
      #expect(try await before.value == SyntheticSource.bytes(0..<100))
      #expect(!store.contains(0..<1, of: reader.source))
      #expect(store.counts().bytes == store.counts().reservedBytes)
      gate.open()
      #expect(try await after.value == SyntheticSource.bytes(0..<100))
      #expect(store.contains(0..<100, of: reader.source))
      store.removeAll()
    }
    #expect(store.counts().stale == 3)
  }

  @Test func `a slow fetch of an old version never overwrites newer bytes`() async throws {
    let source = SyntheticSource(byteCount: 100_000)
    let (old, gate) = try await gated(source)
    let late = start { try await old.read(0..<100) }
    await gate.arrivals(1)
    source.rewrite()
    let new = try await RangeReader(source, [.caching(store, fill: .exact, blockSize: .kibibytes(4))])
    #expect(try await new.read(0..<100) == SyntheticSource.bytes(0..<100, version: 1))
    gate.open()
    await #expect { try await late.value } throws: { ($0 as? ReadError)?.code == .sourceChanged }
    #expect(try await new.read(0..<100) == SyntheticSource.bytes(0..<100, version: 1))
    #expect(store.counts().reservedBytes == 0)
  }

  @Test func `a ticket of an older generation is refused, and one of a retired version`() throws {
    let source = StoredSource(store)
    let ticket = source.ticket
    let reservation = try #require(source.reserve(0..<100))
    store.remove(50_000..<50_001, of: source.source)
    #expect(!source.insert(0..<100, reservation, ticket))
    let another = try #require(source.reserve(0..<100))
    let lastTicket = source.ticket
    let newer = StoredSource(store, version: 1)
    #expect(!source.insert(0..<100, another, lastTicket))
    #expect(source.reserve(0..<100) == nil)
    #expect(newer.put(0..<100))
    #expect(newer.holds(0..<100))
    #expect(store.counts().reservedBytes == 0)
  }

  @Test func `holes between what is kept are gaps, never zeros`() async throws {
    let source = SyntheticSource(byteCount: 100_000)
    let reader = try await RangeReader(source, [.caching(store, fill: .exact, blockSize: .kibibytes(4))])
    for start in stride(from: 0, to: 40_000, by: 500) { _ = try await reader.read(start..<start + 7) }
    let before = source.bytesRead
    #expect(try await reader.read(0..<40_000) == SyntheticSource.bytes(0..<40_000))
    let kept = store.counts()
    // What had a place was not read again; what is a hole was read.
    #expect(source.bytesRead - before >= 40_000 - 80 * 7)
    #expect(source.bytesRead - before <= 40_000)
    #expect(kept.droppedPieceBytes == 7 * (80 - (0..<10).reduce(0) { $0 + pieces(inBlock: $1) }))
  }

  /// How many of the reads above found a place in their block: eight.
  private func pieces(inBlock block: Int) -> Int {
    min(8, stride(from: 0, to: 40_000, by: 500).filter { $0 / 4096 == block }.count)
  }

  @Test func `a small part of something large holds no more than itself`() throws {
    // There: a slice pinned all of its backing, and memory doubled. Large in the kind of memory that is kept as it is.
    let source = StoredSource(store, byteCount: 8 << 20)
    let buffer = try #require(BlockBacking.allocate(1 << 16))
    source.expected(0..<1 << 16).copyBytes(to: buffer.memory)
    let large = buffer.bytes(1 << 16)
    for block in 0..<10 {
      let range = block * 4096..<block * 4096 + 100
      let reservation = source.reserve(range)!
      _ = store.insert(large.slice(range), at: range, ticket: source.ticket, reservation: reservation)
    }
    let recount = MemoryRecount(store)
    #expect(recount.faults.isEmpty)
    #expect(store.counts().bytes == 10 * MemoryStore.charge(of: 100))
    #expect(recount.entries.allSatisfy { $0.pieces[0].bytes.backingByteCount == 100 })
  }

  @Test func `the same bytes kept twice are two copies, so that letting go of one frees it`() throws {
    let source = StoredSource(store)
    let other = StoredSource(store, id: "other")
    let buffer = try #require(BlockBacking.allocate(4096))
    source.expected(0..<4096).copyBytes(to: buffer.memory)
    let bytes = buffer.bytes(4096)
    for kept in [source, other] {
      let reservation = try #require(kept.reserve(0..<4096))
      _ = store.insert(bytes, at: 0..<4096, ticket: kept.ticket, reservation: reservation)
    }
    #expect(MemoryRecount(store).faults.isEmpty)
    store.remove(source: "source")
    #expect(other.holds(0..<4096))
    #expect(store.counts().bytes == MemoryStore.charge(of: 4096))
  }

  @Test func `evicting subtracts what inserting added, whatever was merged in between`() async throws {
    // There: the sum underflowed.
    let source = StoredSource(store)
    for round in 0..<3 {
      for block in 0..<20 {
        let range = source.block(block)
        for start in stride(from: 0, to: 4096, by: 512) {
          source.put(range.lowerBound + start..<range.lowerBound + start + 256 + round * 128)
        }
        if block % 3 == 0 { source.put(range) }
      }
      #expect(MemoryRecount(store).faults.isEmpty)
      #expect(store.counts().bytes == MemoryRecount(store).bytes)
      try await store.trim(to: .bytes(store.counts().bytes / 2))
      #expect(store.counts().bytes == MemoryRecount(store).bytes)
    }
    try await store.trim(to: .bytes(0))
    #expect(store.counts().bytes == 0)
    #expect(store.ledger.blocks == 0)
    #expect(store.counts().evictedBytes > 0)
  }

  @Test func `a limit is kept from the first byte over it, not when somebody looks`() {
    // There: polled once a minute, and overshot threefold.
    let store = MemoryStore(limit: MemoryStore.charge(blocks: 10))
    let sources = (0..<4).map { StoredSource(store, id: "\($0)") }
    for block in 0..<100 {
      for source in sources { source.put(source.block(block)) }
      #expect(store.counts().bytes <= store.counts().limit)
    }
    #expect(store.counts().peakBytes <= store.counts().limit)
  }

  @Test func `a failed fetch gives its room back and wakes all who wait`() async throws {
    struct Broken: Error {}
    let source = SyntheticSource(byteCount: 100_000)
    let (reader, gate) = try await gated(source)
    let readers = (0..<20).map { _ in start { try await reader.read(0..<4096) } }
    await gate.arrivals(1)
    #expect(store.counts().reservedBytes == MemoryStore.charge(of: 4096))
    gate.releaseNext(throwing: Broken())
    gate.open()
    var failed = 0
    for one in readers {
      do { #expect(try await one.value == SyntheticSource.bytes(0..<4096)) } catch is Broken { failed += 1 }
    }
    // The one that began it; the others try again.
    #expect(failed <= 1)
    #expect(store.counts().reservedBytes == 0)
    #expect(store.counts().bytes == MemoryRecount(store).bytes)
  }
}
