import Foundation
import RangeIO
import RangeIOTesting
import Synchronization
import Testing

@testable import RangeIOTestSupport

/// What the guide to writing a store shows.
@Suite struct StoreGuideTests {
  @Test func `the guide shows the store below`() throws {
    let package = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
    let guide = try String(contentsOfFile: package + "/Docs/Guides/WritingAStore.md", encoding: .utf8)
    let own = try String(contentsOfFile: #filePath, encoding: .utf8)
    // Put together here, so that the search does not find itself.
    let store = try #require(own.range(of: "/// Keeps whole blocks" + " in memory"))
    #expect(guide.contains(own[store.lowerBound...] + "```\n"))
  }

  @Test func `the store of the guide keeps what is read, whole blocks of it`() async throws {
    let source = SyntheticSource(byteCount: 1_000_000)
    let reader = try await RangeReader(source) { Caching(FIFOStore(limit: .kibibytes(64)), blockSize: .kibibytes(4)) }
    for _ in 0..<2 { #expect(try await reader.read(100..<20_000) == source.expected(100..<20_000)) }
    #expect(source.readCount == 1)
    // Partly there, partly not.
    #expect(try await reader.read(16_000..<30_000) == source.expected(16_000..<30_000))
    #expect(source.readCount == 2 && source.bytesRead == 32_768)
    // More than there is room for, which empties nothing.
    #expect(try await reader.read(0..<1_000_000) == source.expected(0..<1_000_000))
    #expect(try await reader.read(100..<20_000, caching: .onlyIfCached).count == 19_900)
    var random = TestRandom(1)
    for _ in 0..<2000 {
      let lower = random.below(999_000)
      let range = lower..<lower + 1 + random.below(1000)
      #expect(try await reader.read(range) == source.expected(range))
    }
    // Within one block, which no other makes room for.
    _ = try await reader.read(8192..<8200)
    #expect(try await reader.read(8192..<12_288, caching: .onlyIfCached) == source.expected(8192..<12_288))
    await reader.close()
  }

  @Test func `what is removed while it is on its way does not stay`() async throws {
    let source = GatedSource(SyntheticSource(byteCount: 10_000))
    let store = FIFOStore(limit: .kibibytes(64))
    let reader = try await RangeReader(source) { Caching(store) }
    async let bytes = reader.read(0..<100)
    await source.arrivals(1)
    store.remove(source: reader.source.id)
    source.open()
    #expect(try await bytes == SyntheticSource.bytes(0..<100))
    await #expect(throws: ReadError.self) { try await reader.read(0..<100, caching: .onlyIfCached) }
    _ = try await reader.read(0..<100)
    #expect(try await reader.read(0..<100, caching: .onlyIfCached).count == 100)
    store.remove(source: reader.source.id)
    await #expect(throws: ReadError.self) { try await reader.read(0..<100, caching: .onlyIfCached) }
    await reader.close()
  }

  @Test func `reads that get no room take turns by default`() async throws {
    let source = GatedSource(SyntheticSource(byteCount: 1_000_000))
    let reader = try await RangeReader(source) { Caching(FIFOStore(limit: .bytes(0)), blockSize: .kibibytes(4)) }
    try await withThrowingTaskGroup(of: Int.self) { group in
      for index in 0..<20 { group.addTask { try await reader.read(index * 8192..<index * 8192 + 10).count } }
      await source.arrivals(4)
      #expect(source.waitingRanges.count == 4)
      source.open()
      for try await count in group { #expect(count == 10) }
    }
    await reader.close()
  }
}

/// Keeps whole blocks in memory; what came first goes first.
final class FIFOStore: ChunkStore {
  private struct Key: Hashable {
    /// Stands for the grid as well.
    let token: UInt64
    let block: Int
  }
  private struct State {
    var blocks: [Key: Bytes] = [:]
    var queue: ArraySlice<Key> = []
    /// Kept and reserved.
    var byteCount = 0
  }

  let sources: ChunkSources
  private let limit: Int
  private let state = Mutex(State())

  init(limit: ByteCount, sources: ChunkSources = ChunkSources()) {
    self.limit = limit.bytes
    self.sources = sources
  }

  func lookUp(_ range: ByteRange, of token: ChunkToken) -> ChunkLookup {
    let parts = token.grid.pieces(of: range)
    let pieces = state.withLock { state in
      parts.compactMap { block, part -> RangedBytes? in
        guard let bytes = state.blocks[Key(token: token.number, block: block)] else { return nil }
        let start = block * token.grid.blockSize
        return RangedBytes(part, bytes[part.lowerBound - start..<part.upperBound - start])
      }
    }
    guard !pieces.isEmpty else { return .miss }
    var missing = RangeSet(range)
    for piece in pieces { missing.remove(contentsOf: piece.range) }
    let gaps = Array(missing.ranges)
    return gaps.isEmpty ? .hit(Bytes(concatenating: pieces.map(\.bytes))) : .partial(pieces: pieces, gaps: gaps)
  }

  func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? {
    // One read must not empty half of the store.
    guard run <= limit / 2 else { return nil }
    let (isRoom, gone) = state.withLock { state -> (Bool, [Bytes]) in
      var gone: [Bytes] = []
      while state.byteCount + range.count > limit {
        // What is left is reserved by others.
        guard let oldest = state.queue.popFirst() else { return (false, gone) }
        guard let bytes = state.blocks.removeValue(forKey: oldest) else { continue }
        state.byteCount -= bytes.count
        gone.append(bytes)
      }
      state.byteCount += range.count
      return (true, gone)
    }
    // The memory of what had to go is released here, not under the lock.
    _ = gone
    return isRoom ? ChunkReservation(byteCount: range.count) : nil
  }

  func insert(_ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation) -> Bool {
    let (token, grid) = (ticket.token, ticket.token.grid)
    var blocks: [(key: Key, bytes: Bytes)] = []
    for (block, part) in grid.pieces(of: range) where part == grid.range(of: block, in: token.source.byteCount) {
      // In memory of their own: a slice would keep all that it was read with, and a mapped file can lose its pages.
      let slice = bytes[part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound]
      let copy = Bytes(count: slice.count) { slice.copyBytes(to: $0) }
      blocks.append((Key(token: token.number, block: block), copy))
    }
    return state.withLock { [blocks] state in
      state.byteCount -= reservation.byteCount
      guard ticket.isValid else { return false }
      for (key, bytes) in blocks where state.blocks[key] == nil {
        state.blocks[key] = bytes
        state.queue.append(key)
        state.byteCount += bytes.count
      }
      return true
    }
  }

  func cancel(_ reservation: ChunkReservation) {
    state.withLock { $0.byteCount -= reservation.byteCount }
  }

  func erase(_ range: ByteRange, of token: ChunkToken) {
    let blocks = token.grid.blocks(covering: range)
    func isMeant(_ key: Key) -> Bool { key.token == token.number && blocks.contains(key.block) }
    _ = state.withLock { state in
      let gone = state.blocks.filter { isMeant($0.key) }
      state.blocks = state.blocks.filter { !isMeant($0.key) }
      state.queue.removeAll(where: isMeant)
      state.byteCount -= gone.reduce(0) { $0 + $1.value.count }
      return Array(gone.values)
    }
  }
}
