import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// What an earlier process left on a disk is read for the first time while it is being removed: the token that it is read
/// under is born when the removal has already begun.
@Suite struct RemovalRaceTests {
  private struct Race {
    let spill: SimulatedSpill
    let disk: SpillStore
    let lower: InterruptedStore
    let store: TieredStore
  }

  /// A directory with two blocks of a source, opened again, below memory.
  private func race() async throws -> Race {
    let spill = SimulatedSpill()
    let first = try spill.open()
    for block in 0..<2 { FillSource(first.sources).put(block, in: first) }
    try await first.close()
    let disk = try spill.open()
    let memory = MemoryStore(.init(limit: .mebibytes(1)), sources: disk.sources)
    let lower = InterruptedStore(disk)
    return Race(spill: spill, disk: disk, lower: lower, store: TieredStore(memory, lower))
  }

  /// Reads a block as a reader does: what comes from below is promoted.
  private func read(_ race: Race, blocks: Range<Int> = 0..<2) -> FillSource {
    let source = FillSource(race.store.sources, reading: true)
    #expect(source.read(0..<blocks.count * 4096, in: race.store) == [0..<blocks.count * 4096])
    return source
  }

  @Test func `a source that is removed is not brought back by its first read`() async throws {
    let race = try await race()
    let source = Locked<FillSource?>(nil)
    race.lower.interrupt { source.withLock { $0 = read(race) } }
    race.store.remove(source: "fill")
    let reader = try #require(source.withLock { $0 })
    #expect(reader.read(0..<8192, in: race.store) == [])
    #expect(!race.store.contains(0..<4096, of: reader.source))
    // And what is kept from now on is.
    #expect(reader.token.ticket(fetchedAt: race.store.now).isValid)
    #expect(race.store.insertDemoted(reader.chunk(0, at: race.store.now)))
    #expect(reader.read(0..<4096, in: race.store) == [0..<4096])
  }

  @Test func `removing everything is not undone by a first read`() async throws {
    let race = try await race()
    let source = Locked<FillSource?>(nil)
    race.lower.interrupt { source.withLock { $0 = read(race) } }
    race.store.removeAll()
    let reader = try #require(source.withLock { $0 })
    #expect(reader.read(0..<8192, in: race.store) == [])
    #expect(reader.token.ticket(fetchedAt: race.store.now).isValid)
  }

  @Test func `other sources are read on while one is removed`() async throws {
    let race = try await race()
    let other = Locked(false)
    race.lower.interrupt {
      let source = FillSource(race.store.sources, id: "other", reading: true)
      other.withLock { $0 = race.store.insertDemoted(source.chunk(0, at: race.store.now)) }
    }
    race.store.remove(source: "fill")
    #expect(other.withLock { $0 })
  }
}

/// A store in which something happens at the moment when it is told to erase, before it does.
private final class InterruptedStore: FullChunkStore {
  private let store: SpillStore
  private let interruption = Locked<(@Sendable () -> Void)?>(nil)

  init(_ store: SpillStore) { self.store = store }

  func interrupt(_ body: @escaping @Sendable () -> Void) { interruption.withLock { $0 = body } }

  private func interrupted() {
    interruption.withLock { interruption in
      defer { interruption = nil }
      return interruption
    }?()
  }

  func erase(_ scope: ChunkScope) -> ChunkRemoval {
    switch scope {
    case .source, .everything, .version: interrupted()
    case .range, .promoted, .retired: break
    }
    return store.erase(scope)
  }

  var sources: ChunkSources { store.sources }
  var traits: StoreTraits { store.traits }
  func lookUp(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> ChunkLookup {
    store.lookUp(range, token: token, grid: grid)
  }
  func coverage(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ByteRange] {
    store.coverage(range, token: token, grid: grid)
  }
  func explain(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ReadExplanation.Part] {
    store.explain(range, token: token, grid: grid)
  }
  func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? {
    store.reserve(range, ofRun: run, for: token)
  }
  func insert(
    _ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation
  ) -> Bool { store.insert(bytes, at: range, ticket: ticket, reservation: reservation) }
  func cancel(_ reservation: ChunkReservation) { store.cancel(reservation) }
  func erase(_ range: ByteRange, of token: ChunkToken) { store.erase(range, of: token) }
  func insertDemoted(_ chunk: Chunk) -> Bool { store.insertDemoted(chunk) }
}
