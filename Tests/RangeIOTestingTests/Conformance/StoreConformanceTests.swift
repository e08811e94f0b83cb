import RangeIO
import RangeIOTesting
import RangeIOTiers
import Testing

struct StoreConformanceTests {
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `the memory store keeps the contract`(seed: UInt64) async throws {
    try await StoreConformance.check(seed: seed) { sources, limit in
      var configuration = MemoryStore.Configuration(limit: limit)
      configuration.shards = 1 << Int(seed % 3)
      return MemoryStore(configuration, sources: sources)
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `the compressed store keeps the contract`(seed: UInt64) async throws {
    try await StoreConformance.check(seed: seed) { sources, limit in
      var configuration = CompressedStore.Configuration(limit: limit)
      configuration.shards = 1 << Int(seed % 2)
      // Half of them decompress on the thread of who reads.
      configuration.inlineLimit = seed % 4 < 2 ? .bytes(0) : .kibibytes(128)
      return CompressedStore(configuration, sources: sources)
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `memory above compressed memory keeps the contract`(seed: UInt64) async throws {
    try await StoreConformance.check(seed: seed) { sources, limit in
      TieredStore(
        MemoryStore(.init(limit: limit / 2), sources: sources),
        CompressedStore(.init(limit: limit / 4), sources: sources), queueLimit: limit / 4)
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `two tiers keep the contract`(seed: UInt64) async throws {
    try await StoreConformance.check(seed: seed) { sources, limit in
      TieredStore(
        MemoryStore(.init(limit: limit / 2), sources: sources), MapStore(limit: limit / 4, sources: sources),
        queueLimit: limit / 4)
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `a store that does as it should passes`(seed: UInt64) async throws {
    try await StoreConformance.check(seed: seed) { MapStore(limit: $1, sources: $0) }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `a store that would outlive the process passes`(seed: UInt64) async throws {
    try await StoreConformance.check(seed: seed) { MapStore(limit: $1, sources: $0, mayOutliveProcess: true) }
  }

  @Test(arguments: [MapStore.Fault.leavesSources, .leavesAll])
  func `leftovers that are not erased are found`(fault: MapStore.Fault) async {
    await #expect(throws: StoreConformance.Violation.self) {
      try await StoreConformance.check(seed: 1) {
        MapStore(limit: $1, sources: $0, fault: fault, mayOutliveProcess: true)
      }
    }
  }

  @Test(arguments: Set(MapStore.Fault.allCases).subtracting([.leavesSources, .leavesAll]))
  func `each fault of a store is found`(fault: MapStore.Fault) async {
    await #expect(throws: StoreConformance.Violation.self) {
      try await StoreConformance.check(seed: 1, operations: 2000) { MapStore(limit: $1, sources: $0, fault: fault) }
    }
  }
}

/// Keeps whole blocks in a dictionary, and breaks one rule.
final class MapStore: ChunkStore {
  enum Fault: CaseIterable, Sendable {
    case mixesTokens, ignoresTickets, forgetsToErase, erasesHalf, hasNoLimit, countsNoReservations, keepsForeignMemory
    case losesGaps, keepsNothing, wrongByte, leaksReservations
    case leavesSources, leavesAll
  }
  private struct Key: Hashable {
    /// Its token, or what means the same in the next process.
    let owner: String
    let source: String
    let block: Int
    let size: Int
  }
  private struct State {
    var blocks: [Key: Bytes] = [:]
    var held = 0
    var reserved = 0
  }

  let sources: ChunkSources
  private let limit: Int
  private let fault: Fault?
  private let state = Locked(State())
  private let mayOutliveProcess: Bool
  var traits: StoreTraits {
    var traits = StoreTraits()
    traits.mayOutliveProcess = mayOutliveProcess
    return traits
  }

  init(limit: ByteCount, sources: ChunkSources, fault: Fault? = nil, mayOutliveProcess: Bool = false) {
    (self.limit, self.sources, self.fault) = (limit.bytes, sources, fault)
    self.mayOutliveProcess = mayOutliveProcess
  }

  private func key(_ token: ChunkToken, _ block: Int) -> Key {
    let version = "\(token.source.validator?.persistentForm ?? [])"
    let owner = fault == .mixesTokens ? "" : mayOutliveProcess ? version : "\(token.number)"
    return Key(
      owner: owner, source: fault == .mixesTokens ? "" : token.source.id, block: block, size: token.grid.blockSize)
  }

  func lookUp(_ range: ByteRange, of token: ChunkToken) -> ChunkLookup {
    let grid = token.grid
    var pieces: [RangedBytes] = []
    state.withLock { state in
      for (block, part) in grid.pieces(of: range) {
        guard let bytes = state.blocks[key(token, block)] else { continue }
        let start = block * grid.blockSize
        // Blocks of sources of other sizes, where tokens are mixed.
        guard part.upperBound - start <= bytes.count else { continue }
        pieces.append(RangedBytes(part, bytes.slice(part.lowerBound - start..<part.upperBound - start)))
      }
    }
    guard !pieces.isEmpty else { return .miss }
    var gaps = ByteRanges.gaps(in: range, covered: pieces.map(\.range))
    if gaps.isEmpty { return .hit(Bytes(concatenating: pieces.map(\.bytes))) }
    if fault == .losesGaps { gaps.removeLast() }
    return .partial(pieces: pieces, gaps: gaps)
  }

  func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? {
    guard run <= limit / 2 || fault == .hasNoLimit else { return nil }
    let isRoom = state.withLock { state in
      let reserved = fault == .countsNoReservations ? 0 : state.reserved
      while state.held + reserved + range.count > limit, fault != .hasNoLimit {
        guard let victim = state.blocks.first else { return false }
        state.held -= victim.value.count
        state.blocks[victim.key] = nil
      }
      state.reserved += range.count
      return true
    }
    return isRoom ? ChunkReservation(byteCount: range.count) : nil
  }

  func insert(_ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation) -> Bool {
    let (token, grid) = (ticket.token, ticket.token.grid)
    var copies: [(key: Key, bytes: Bytes)] = []
    for (block, part) in grid.pieces(of: range) where part == grid.range(of: block, in: token.source.byteCount) {
      let slice = bytes.slice(part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound)
      var copy = fault == .keepsForeignMemory ? slice : Bytes(count: slice.count) { slice.copyBytes(to: $0) }
      if fault == .wrongByte, block == 3 { copy = Bytes(copy.map { ~$0 }) }
      copies.append((key(token, block), copy))
    }
    return state.withLock { [copies] state in
      if fault != .leaksReservations { state.reserved -= reservation.byteCount }
      guard ticket.isValid || fault == .ignoresTickets else { return false }
      guard fault != .keepsNothing else { return true }
      for (key, bytes) in copies where state.blocks[key] == nil {
        state.blocks[key] = bytes
        state.held += bytes.count
      }
      return true
    }
  }

  func cancel(_ reservation: ChunkReservation) { state.withLock { $0.reserved -= reservation.byteCount } }

  func erase(_ range: ByteRange, of token: ChunkToken) {
    guard fault != .forgetsToErase else { return }
    state.withLock { state in
      for block in token.grid.blocks(covering: range) where fault != .erasesHalf || block % 2 == 0 {
        if let gone = state.blocks.removeValue(forKey: key(token, block)) {
          state.held -= gone.count
        }
      }
    }
  }

  func erase(source id: String?) {
    guard mayOutliveProcess, fault != (id == nil ? .leavesAll : .leavesSources) else { return }
    state.withLock { state in
      for (key, bytes) in state.blocks where id == nil || key.source == id {
        state.held -= bytes.count
        state.blocks[key] = nil
      }
    }
  }
}
