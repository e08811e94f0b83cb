import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Stores of users, which implement `ChunkStore` or `ChunkTier` and nothing else.
@Suite struct AdaptedStoreTests {
  /// Holds one block, and passes on the one before.
  private final class OneBlock: ChunkTier {
    private struct State {
      var block: (ticket: ChunkTicket, piece: RangedBytes)?
      var demote: (@Sendable ([RangedBytes], ChunkTicket, ReadClock.Instant?) -> Void)?
      var promoted: [ByteRange] = []
    }
    let sources: ChunkSources
    private let state = Locked(State())
    /// Whether its block takes time to load.
    let isSlow: Bool
    var promoted: [ByteRange] { state.withLock { $0.promoted } }

    init(_ sources: ChunkSources = ChunkSources(), isSlow: Bool = false) {
      (self.sources, self.isSlow) = (sources, isSlow)
    }

    func lookUp(_ range: ByteRange, of token: ChunkToken) -> ChunkLookup {
      guard let (ticket, piece) = state.withLock({ $0.block }), ticket.token === token,
        piece.range.clamped(to: range) == range
      else { return .miss }
      let (whole, ticketNow) = (piece.range, token.ticket())
      let deferred =
        isSlow
        ? DeferredPiece(range: whole, wanted: range, ticket: ticketNow, shouldPromote: true) { _ in piece.bytes }
        : DeferredPiece(
          range: whole, wanted: range, ticket: ticketNow, answer: { .here(piece.bytes) }, load: { _ in piece.bytes })
      return .partial(pieces: [], deferred: [deferred], gaps: [])
    }

    func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? {
      ChunkReservation(byteCount: range.count)
    }

    func insert(_ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation) -> Bool {
      state.withLock { state in
        guard ticket.isValid else { return false }
        if let (ticket, piece) = state.block {
          state.demote?([piece], ticket.token.ticket(fetchedAt: ticket.fetchedAt), nil)
        }
        state.block = (ticket, RangedBytes(range, bytes))
        return true
      }
    }

    func cancel(_ reservation: ChunkReservation) {}

    func erase(_ range: ByteRange, of token: ChunkToken) {
      state.withLock { state in
        guard let (ticket, piece) = state.block, ticket.token === token, piece.range.overlaps(range) else { return }
        state.block = nil
      }
    }

    func erasePromoted(_ range: ByteRange, of token: ChunkToken) { state.withLock { $0.promoted.append(range) } }

    func sendEvictions(to demote: @escaping @Sendable ([RangedBytes], ChunkTicket, ReadClock.Instant?) -> Void) {
      state.withLock { $0.demote = demote }
    }
  }

  /// Has every block of every source from an earlier process, until they are erased.
  private final class Left: ChunkStore {
    let sources = ChunkSources()
    var traits: StoreTraits {
      var traits = StoreTraits()
      traits.mayOutliveProcess = true
      return traits
    }
    private let erased = Locked(RangeSet<Int>())

    func lookUp(_ range: ByteRange, of token: ChunkToken) -> ChunkLookup {
      erased.withLock { $0.intersection(RangeSet(range)).isEmpty }
        ? .hit(Bytes([UInt8](repeating: 7, count: range.count))) : .miss
    }
    func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? { nil }
    func insert(_ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation) -> Bool {
      false
    }
    func cancel(_ reservation: ChunkReservation) {}
    func erase(_ range: ByteRange, of token: ChunkToken) { erased.withLock { $0.insert(contentsOf: range) } }
  }

  @Test func `what an earlier process has left is removed, though nothing of it was read`() async throws {
    let version = try await source.describe()
    let (alone, below) = (Left(), Left())
    let memory = MemoryStore(.init(limit: .mebibytes(1)), sources: below.sources)
    for store in [alone, TieredStore(memory, below)] as [any ChunkStore] {
      store.remove(10..<20, of: version)
      #expect(!store.contains(10..<20, of: version))
      #expect(store.contains(60_000..<60_010, of: version) == (version.preferredBlockSize.bytes < 60_000))
    }
  }

  private let source = SyntheticSource(byteCount: 64 << 10)

  private func expectBytes(_ range: ByteRange, _ reader: RangeReader) async throws {
    #expect(try await reader.read(range) == source.expected(range))
  }

  @Test(arguments: [false, true]) func `pieces are loaded by closures`(isSlow: Bool) async throws {
    let store = OneBlock(isSlow: isSlow)
    let reader = try await RangeReader(source, [.caching(store, blockSize: .kibibytes(4))])
    for _ in 0..<3 { try await expectBytes(100..<200, reader) }
    #expect(source.readCount == 1)
    #expect(try await reader.explain(100..<200).parts.map(\.origin) == [ReadExplanation.Origin("OneBlock")])
    #expect(store.contains(0..<4096, of: reader.source) && !store.contains(0..<4097, of: reader.source))
    await reader.close()
  }

  @Test func `what a user's tier evicts is found below it`() async throws {
    let lower = MemoryStore(.init(limit: .mebibytes(1)))
    let store = TieredStore(OneBlock(lower.sources), lower)
    let reader = try await RangeReader(source, [.caching(store, blockSize: .kibibytes(4))])
    try await expectBytes(0..<10, reader)
    try await expectBytes(4096..<4100, reader)
    #expect(store.contains(0..<8192, of: reader.source))
    for _ in 0..<4 {
      try await expectBytes(0..<10, reader)
      try await expectBytes(4096..<4100, reader)
    }
    #expect(source.readCount == 2)
    await reader.close()
  }

  @Test func `a user's tier below is told what is promoted`() async throws {
    let lower = OneBlock(isSlow: true)
    let memory = MemoryStore(.init(limit: .mebibytes(1)), sources: lower.sources)
    let reader = try await RangeReader(source, [.caching(lower, blockSize: .kibibytes(4))])
    try await expectBytes(0..<10, reader)
    let store = TieredStore(memory, lower)
    let tiered = try await RangeReader(source, [.caching(store, blockSize: .kibibytes(4))])
    for _ in 0..<2 { try await expectBytes(0..<10, tiered) }
    #expect(lower.promoted == [0..<4096])
    #expect(memory.contains(0..<4096, of: tiered.source))
    #expect(source.readCount == 1)
    await reader.close()
    await tiered.close()
  }

  @Test func `a user's store refuses or ignores what only memory does`() async throws {
    let store = OneBlock()
    let version = try await source.describe()
    #expect(throws: ReadError.self) { try store.pin(0..<10, of: version) }
    #expect(throws: ReadError.self) { try store.setMetadata(Bytes([1]), of: version) }
    #expect(store.metadata(of: version) == nil)
    store.unpin(0..<10, of: version)
    store.handleMemoryPressure(.critical)
    store.setTimeLimits(age: .seconds(1), idle: nil)
    for await _ in store.removeAll() { Issue.record("there was nothing to free") }
  }

  @Test func `everything is removed from every store`() async throws {
    let removals: [(OneBlock, SourceDescription) -> Void] = [
      { store, source in store.remove(source: source.id) },
      { store, source in store.remove(10..<11, of: source) },
      { store, _ in store.removeAll() },
    ]
    for remove in removals {
      let store = OneBlock()
      let reader = try await RangeReader(source, [.caching(store, blockSize: .kibibytes(4))])
      try await expectBytes(0..<10, reader)
      remove(store, reader.source)
      #expect(!store.contains(0..<10, of: reader.source))
      await #expect(throws: ReadError.self) { try await reader.read(0..<10, caching: .onlyIfCached) }
      await reader.close()
    }
  }
}
