import RangeIO
import RangeIOTiers
import Synchronization

/// Keeps whole blocks in an SQLite database, where they survive the process. The oldest are evicted first.
///
/// A read never waits for the database here: an index in memory knows which blocks it has, and a block is loaded as a
/// deferred piece. Blocks that come are found in memory until they are written.
///
/// Several processes may use one database. Each finds what was there when it opened it and what it writes itself, has
/// its own limit, and removes only what it knows.
final class SQLiteStore: ChunkTier {
  private struct State {
    var rows: [Key: Row] = [:]
    /// In the order in which they came.
    var queue: ArraySlice<(key: Key, number: Int64)> = []
    /// Blocks that are not written yet, by the numbers of their rows.
    var unwritten: [Int64: Bytes] = [:]
    var unwrittenByteCount = 0
    /// Kept and reserved.
    var byteCount = 0
    var lastNumber: Int64 = 0
  }

  let sources: ChunkSources
  var traits: StoreTraits {
    var traits = StoreTraits()
    traits.mayOutliveProcess = true
    return traits
  }
  private let limit: Int
  private let database: Database
  private let state: Mutex<State>
  /// Blocks that come faster than they can be written are dropped.
  private static let mostUnwritten = 8 << 20

  /// Opens the database at `path`, with what an earlier process has left there.
  init(
    _ path: String, limit: ByteCount, sources: ChunkSources = ChunkSources(), patience: Int32 = 5000,
    pageLimit: Int? = nil
  ) throws {
    self.sources = sources
    self.limit = limit.bytes
    database = try Database(path, patience: patience, pageLimit: pageLimit)
    var found = State()
    for (key, row) in try database.rows() {
      found.rows[key] = row
      found.queue.append((key, row.number))
      found.byteCount += row.byteCount
      found.lastNumber = row.number
    }
    state = Mutex(found)
    _ = makeRoom(for: 0)
  }

  /// Waits until everything before this call is written. Throws if something that was removed could not be deleted yet.
  func flush() async throws { try await database.flush() }

  // MARK: what every store does

  func lookUp(_ range: ByteRange, of token: ChunkToken) -> ChunkLookup {
    guard let version = Version(token) else { return .miss }
    var (pieces, deferred, gaps): ([RangedBytes], [DeferredPiece], [ByteRange]) = ([], [], [])
    state.withLock { state in
      // The generation under the lock: a removal that has begun erases here later.
      let ticket = token.ticket()
      for (block, part) in token.grid.pieces(of: range) {
        let (key, start) = (Key(version: version, block: block), block * token.grid.blockSize)
        // The source may have grown since: then the row ends too early.
        guard let row = state.rows[key], part.upperBound <= start + row.byteCount else {
          gaps.append(part)
          continue
        }
        if let bytes = state.unwritten[row.number] {
          pieces.append(RangedBytes(part, bytes[part.lowerBound - start..<part.upperBound - start]))
        } else {
          let whole = start..<start + row.byteCount
          deferred.append(
            DeferredPiece(range: whole, wanted: part, ticket: ticket, shouldPromote: true) { [self] _ in
              await load(row, of: key)
            })
        }
      }
    }
    guard !pieces.isEmpty || !deferred.isEmpty else { return .miss }
    guard !deferred.isEmpty || !gaps.isEmpty else { return .hit(Bytes(concatenating: pieces.map(\.bytes))) }
    return .partial(pieces: pieces, deferred: deferred, gaps: gaps)
  }

  /// Loads a block. One that cannot be read is not found again.
  private func load(_ row: Row, of key: Key) async -> Bytes? {
    let bytes = await database.load(row.number, of: key)
    if let bytes, bytes.count == row.byteCount { return bytes }
    state.withLock { state in
      if state.rows[key]?.number == row.number { remove([key], from: &state) }
    }
    return nil
  }

  func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? {
    // One read must not empty half of the store.
    guard run <= limit / 2, Version(token) != nil, makeRoom(for: range.count) else { return nil }
    return ChunkReservation(byteCount: range.count)
  }

  private func makeRoom(for byteCount: Int) -> Bool {
    state.withLock { state in
      while state.byteCount + byteCount > limit {
        // What is left is reserved by others.
        guard let oldest = state.queue.popFirst() else { return false }
        if state.rows[oldest.key]?.number == oldest.number { remove([oldest.key], from: &state) }
      }
      state.byteCount += byteCount
      return true
    }
  }

  func insert(_ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation) -> Bool {
    let token = ticket.token
    var blocks: [(block: Int, bytes: Bytes)] = []
    let byteCount = token.source.byteCount
    for (block, part) in token.grid.pieces(of: range) where part == token.grid.range(of: block, in: byteCount) {
      // In memory of their own: a slice would keep all that it was read with.
      let slice = bytes[part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound]
      blocks.append((block, Bytes(count: slice.count) { slice.copyBytes(to: $0) }))
    }
    return state.withLock { [blocks] state in
      state.byteCount -= reservation.byteCount
      guard ticket.isValid, let version = Version(token) else { return false }
      for (block, bytes) in blocks { keep(bytes, at: Key(version: version, block: block), in: &state) }
      return true
    }
  }

  private func keep(_ bytes: Bytes, at key: Key, in state: inout State) {
    guard state.rows[key].map({ $0.byteCount < bytes.count }) ?? true,
      state.unwrittenByteCount + bytes.count <= Self.mostUnwritten
    else { return }
    remove([key], from: &state)
    state.lastNumber += 1
    let row = Row(number: state.lastNumber, byteCount: bytes.count)
    state.rows[key] = row
    state.queue.append((key, row.number))
    state.unwritten[row.number] = bytes
    state.unwrittenByteCount += bytes.count
    state.byteCount += bytes.count
    // Under the lock, so that the database sees everything in the order in which the index does. It only queues.
    database.write(bytes, row, key) { [self] isWritten in
      self.state.withLock { state in
        if state.unwritten.removeValue(forKey: row.number) != nil { state.unwrittenByteCount -= row.byteCount }
        // Not deleted from the database: the row that has the number there may be another process's.
        if !isWritten, state.rows[key]?.number == row.number { forget(key, from: &state) }
      }
    }
  }

  func cancel(_ reservation: ChunkReservation) {
    state.withLock { $0.byteCount -= reservation.byteCount }
  }

  func erase(_ range: ByteRange, of token: ChunkToken) {
    guard let version = Version(token) else { return }
    let blocks = token.grid.blocks(covering: range)
    erase { $0.version == version && blocks.contains($0.block) }
  }

  // MARK: what a store does that outlives the process

  // `sources` knows only what this process has read.
  func erase(source id: String?) {
    let source = id.map { Array($0.utf8) }
    erase { source == nil || $0.version.source == source }
  }

  // The database keeps its copy of what moves up.
  func erasePromoted(_ range: ByteRange, of token: ChunkToken) {}

  private func erase(where isMeant: (Key) -> Bool) {
    state.withLock { state in
      remove(state.rows.keys.filter(isMeant), from: &state)
      state.queue.removeAll { isMeant($0.key) }
    }
  }

  private func remove(_ keys: [Key], from state: inout State) {
    for key in keys { if let row = forget(key, from: &state) { database.delete(row.number, of: key) } }
  }

  @discardableResult private func forget(_ key: Key, from state: inout State) -> Row? {
    guard let row = state.rows.removeValue(forKey: key) else { return nil }
    state.byteCount -= row.byteCount
    if state.unwritten.removeValue(forKey: row.number) != nil { state.unwrittenByteCount -= row.byteCount }
    return row
  }
}
