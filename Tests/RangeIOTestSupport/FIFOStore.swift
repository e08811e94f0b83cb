package import RangeIO
import Synchronization

/// Keeps whole blocks in memory; what came first goes first.
package final class FIFOStore: ChunkStore {
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

  package let sources: ChunkSources
  private let limit: Int
  private let state = Mutex(State())

  package init(limit: ByteCount, sources: ChunkSources = ChunkSources()) {
    self.limit = limit.bytes
    self.sources = sources
  }

  package func lookUp(_ range: ByteRange, of token: ChunkToken) -> ChunkLookup {
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

  package func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? {
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

  package func insert(_ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation) -> Bool {
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

  package func cancel(_ reservation: ChunkReservation) {
    state.withLock { $0.byteCount -= reservation.byteCount }
  }

  package func erase(_ range: ByteRange, of token: ChunkToken) {
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
