import Synchronization

@testable import RangeIO

/// What a walk through all that two tiers and the way between them hold finds, to be compared with what they counted on
/// their way. Knows the inside of the stores, so that no test needs to.
struct TieredRecount {
  /// A compressed piece.
  struct Piece {
    let token: ChunkToken
    let block: Int
    let range: ByteRange
    let birth: Int64
    let stored: Int
    let place: CompressedShard.Place
  }

  /// How little happens meanwhile: what must be equal then, and what may be more.
  enum Quiet: Comparable {
    /// Room is reserved, or being given back; pieces that were found keep their segments.
    case no
    /// Nothing of that, but chunks may wait to be moved.
    case yes
    /// And none does: no byte is in both tiers.
    case atRest
  }

  let memory: MemoryRecount
  private(set) var pieces: [Piece] = []
  private(set) var queued: [MovingQueue.Entry] = []
  /// What does not add up, in words.
  private(set) var faults: [String] = []
  private let tiers: MemoryTiers
  private let store: TieredChunkStore
  private var segmentFootprints = 0

  /// Walks through `store`, in which nobody changes anything meanwhile.
  init(_ store: TieredChunkStore, _ quiet: Quiet = .atRest) {
    self.store = store
    tiers = store.memory!
    memory = MemoryRecount(tiers.memory, isQuiet: quiet > .no)
    faults = memory.faults.map { "above: \($0)" }
    for (number, shard) in tiers.compressed.shards.enumerated() { walk(shard, number) }
    walkQueue(quiet)
    checkTokens()
    checkAccounts(quiet)
    if quiet == .atRest { checkRest() }
  }

  private mutating func expect(_ condition: Bool, _ fault: @autoclosure () -> String) {
    if !condition { faults.append(fault()) }
  }

  // MARK: below

  private mutating func walk(_ shard: CompressedStore.Shard, _ number: Int) {
    let first = pieces.count
    let noted = shard.segmentBytes.load(ordering: .relaxed)
    var found: [String] = []
    shard.state.withLock { state in
      func expect(_ condition: Bool, _ fault: @autoclosure () -> String) {
        if !condition { found.append("shard \(number): \(fault())") }
      }
      var live: [UInt32: [(offset: Int, stored: Int)]] = [:]
      for slot in 1..<UInt32(max(1, state.table.slotsUsed)) where state.table[slot].isUsed {
        let record = state.table[slot]
        guard state.sources.contains(record.token) else {
          found.append("a record of no source")
          continue
        }
        let token = state.sources.token(record.token)
        let start = record.block << token.grid.shift
        let range = start + Int(record.lower)..<start + Int(record.upper)
        expect(
          record.count > 0 && record.upper <= token.grid.blockSize && range.upperBound <= token.source.byteCount,
          "a record of \(range), in blocks of \(token.grid.blockSize)")
        let hash = ChunkTable.hash(token: record.token, block: record.block)
        let siblings = state.slots(record.token, record.block, hash)
        expect(siblings.contains(slot), "block \(record.block) cannot be found")
        expect(siblings.count <= PieceList.longest, "block \(record.block) has \(siblings.count) pieces")
        let isHere =
          Int(record.segment) < state.segments.count && state.segments[Int(record.segment)] != nil
          && Int(record.offset) + Int(record.stored) <= state.segments[Int(record.segment)]!.used
        guard isHere else {
          found.append("a record outside of its segment")
          continue
        }
        let place = state.place(slot)
        let header = UnsafeRawPointer(place.memory.base + Int(place.offset) - CompressedShard.headerCount)
        expect(
          header.load(as: UInt32.self) == slot && header.load(fromByteOffset: 4, as: UInt32.self) == record.stored,
          "a record's header is another's")
        live[record.segment, default: []].append((Int(record.offset), Int(record.stored)))
        pieces.append(
          Piece(token: token, block: record.block, range: range, birth: record.birth, stored: place.stored, place: place))
      }
      let own = pieces[first...]
      expect(own.count == state.table.count, "\(state.table.count) records are counted of \(own.count)")
      let stored = own.reduce(0) { $0 + $1.stored }
      expect(stored == state.storedBytes, "\(state.storedBytes) stored bytes are counted of \(stored)")
      let raw = own.reduce(0) { $0 + $1.range.count }
      expect(raw == state.rawBytes, "\(state.rawBytes) raw bytes are counted of \(raw)")
      for source in state.sources.all {
        let mine = own.reduce(0) { $0 + ($1.token === source.token ? 1 : 0) }
        expect(mine > 0 && mine == source.blocks, "\(source.blocks) of \(mine) pieces of a source are counted")
      }
      var capacities = 0
      for (segment, value) in state.segments.enumerated() {
        guard let value else { continue }
        capacities += value.memory.capacity
        segmentFootprints += SegmentMemory.footprint(of: value.memory.capacity)
        let mine = (live[UInt32(segment)] ?? []).sorted { $0.offset < $1.offset }
        let bytes = mine.reduce(0) { $0 + $1.stored }
        expect(value.liveBytes == bytes, "segment \(segment) counts \(value.liveBytes) of \(bytes) live bytes")
        expect(value.pending == 0, "segment \(segment) has \(value.pending) places that are being written")
        expect(value.used <= value.memory.capacity, "segment \(segment) is used beyond its end")
        for (one, next) in zip(mine, mine.dropFirst()) where one.offset + one.stored > next.offset {
          found.append("shard \(number): two records share bytes of segment \(segment)")
        }
        let isKnown = state.open == UInt32(segment) || state.sealed.contains(UInt32(segment))
        expect(isKnown, "segment \(segment) is neither open nor sealed")
      }
      expect(Set(state.sealed).count == state.sealed.count, "a segment is sealed twice")
      expect(state.sealed.allSatisfy { state.segments[Int($0)] != nil }, "a segment is sealed that is gone")
      expect(capacities == state.segmentBytes, "\(state.segmentBytes) bytes of segments are counted of \(capacities)")
      expect(capacities == noted, "\(noted) bytes of segments are noted of \(capacities)")
    }
    faults += found.map { "below: \($0)" }
  }

  // MARK: in between

  private mutating func walkQueue(_ quiet: Quiet) {
    let queue = store.mover.queue
    queued = queue.all
    let charges = queued.reduce(0) { $0 + $1.charge }
    expect(queued.allSatisfy { $0.charge == MovingQueue.charge($0.chunk) }, "a chunk on its way is charged wrongly")
    let waiting = queued.reduce(0) { $0 + (queue.moving.contains($1.number) ? 0 : 1) }
    expect(queue.waitingCount == waiting, "\(queue.waitingCount) chunks are said to wait, \(waiting) do")
    if queue.moving.isEmpty {
      expect(queue.bytes == charges, "\(queue.bytes) bytes are said to be on their way, \(charges) are")
    } else {
      expect(queue.bytes >= charges, "\(queue.bytes) bytes are said to be on their way, \(charges) are")
    }
    expect(queue.bytes <= queue.limit || quiet == .no, "\(queue.bytes) bytes are on their way, over \(queue.limit)")
    if quiet > .no { expect(queue.moving.isEmpty, "a chunk is being moved by nobody") }
  }

  // MARK: accounts

  private mutating func checkTokens() {
    var sums: [ObjectIdentifier: (token: ChunkToken, bytes: Int)] = [:]
    for token in store.sources.all { sums[ObjectIdentifier(token)] = (token, 0) }
    for piece in pieces { sums[ObjectIdentifier(piece.token), default: (piece.token, 0)].bytes += piece.stored }
    for entry in queued {
      sums[ObjectIdentifier(entry.chunk.token), default: (entry.chunk.token, 0)].bytes += entry.chunk.byteCount
    }
    let isMoving = !store.mover.queue.moving.isEmpty
    for (token, bytes) in sums.values {
      let charged = token.chargedBytesBelow.load(ordering: .relaxed)
      // What is being moved and cannot be found any more is charged until that has ended.
      expect(
        isMoving ? charged >= bytes : charged == bytes, "token \(token.number) counts \(charged) of \(bytes) bytes below")
    }
  }

  private mutating func checkAccounts(_ quiet: Quiet) {
    let below = segmentFootprints + pieces.count * RecordTable.charge
    let counted = tiers.compressed.ledger.bytes
    // Whoever found a piece keeps its segment, which is charged for as long.
    expect(
      quiet == .no ? counted >= below : counted == below, "below: \(counted) bytes are charged, \(below) are there")
    let above = memory.bytes + store.sources.metadataBytes
    let countedAbove = tiers.memory.ledger.bytes
    expect(
      quiet == .no ? countedAbove >= above : countedAbove == above,
      "above: \(countedAbove) bytes are charged, \(above) are there")
    let sum = store.mover.queue.limit + countedAbove + counted
    expect(tiers.budget.bytes == sum, "\(tiers.budget.bytes) bytes of the budget are taken, \(sum) are charged")
  }

  // MARK: rest

  private mutating func checkRest() {
    expect(queued.isEmpty, "\(queued.count) chunks are on their way at rest")
    var above: [ObjectIdentifier: [Int: [ByteRange]]] = [:]
    for entry in memory.entries {
      let start = entry.block << entry.token.grid.shift
      above[ObjectIdentifier(entry.token), default: [:]][entry.block] = entry.pieces.map {
        start + $0.range.lowerBound..<start + $0.range.upperBound
      }
    }
    for piece in pieces {
      for other in above[ObjectIdentifier(piece.token)]?[piece.block] ?? [] where other.overlaps(piece.range) {
        faults.append("\(other) of token \(piece.token.number) is above, and \(piece.range) below")
      }
    }
  }

  // MARK: contents

  /// Compares every byte that is held anywhere.
  ///
  /// - Parameter expected: the bytes that are right, of a token and a range.
  mutating func compare(_ expected: (ChunkToken, ByteRange) -> Bytes) {
    let codec = LZ4Codec()
    for entry in memory.entries {
      let start = entry.block << entry.token.grid.shift
      for piece in entry.pieces {
        let range = start + piece.range.lowerBound..<start + piece.range.upperBound
        expect(piece.bytes == expected(entry.token, range), "above: a wrong byte is kept in \(range)")
      }
    }
    for entry in queued {
      for piece in entry.chunk.pieces {
        expect(piece.bytes == expected(entry.chunk.token, piece.range), "a wrong byte is on its way in \(piece.range)")
      }
    }
    for piece in pieces {
      let decoded = Bytes(count: piece.range.count) { buffer in
        // What is not decoded is not what is expected either.
        _ = codec.decode(UnsafeRawBufferPointer(piece.place.bytes), into: buffer)
      }
      expect(decoded == expected(piece.token, piece.range), "below: a wrong byte is kept in \(piece.range)")
    }
  }
}
