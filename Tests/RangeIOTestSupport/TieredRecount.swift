import Synchronization

@testable import RangeIO
@testable import RangeIOTiers

/// What a walk through all that two tiers and the way between them hold finds, to be compared with what they counted on
/// their way. Knows the inside of the stores, so that no test needs to.
struct TieredRecount {
  /// A compressed piece.
  struct Piece: Sendable {
    let token: ChunkToken
    let block: Int
    let range: ByteRange
    let fetchedAt: Int64
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
  private(set) var queued: [DemotionQueueState.Entry] = []
  /// What does not add up, in words.
  private(set) var faults: [String] = []
  private let tiers: MemoryTiers
  private let store: TieredStore
  private let outer: TieredStore?
  private var segmentFootprints = 0

  /// Walks through `store`, in which nobody changes anything meanwhile.
  ///
  /// - Parameter outer: the store of three tiers of which it is the upper one.
  init(_ store: TieredStore, _ quiet: Quiet = .atRest, of outer: TieredStore? = nil) {
    self.store = store
    self.outer = outer
    tiers = store.memory!
    memory = MemoryRecount(tiers.memory, isQuiet: quiet > .no)
    faults = memory.faults.map { "above: \($0)" }
    for (number, shard) in tiers.compressed!.shards.enumerated() { walk(shard, number) }
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
    let noted = shard.segmentBytes.load(ordering: .relaxed)
    let (found, capacities) = shard.state.withLock { ($0.recounted(), $0.segmentBytes) }
    pieces += found.pieces
    segmentFootprints += found.segmentFootprints
    faults += found.faults.map { "below, shard \(number): \($0)" }
    expect(capacities == noted, "below: \(noted) bytes of segments are noted of \(capacities)")
  }

  // MARK: in between

  private mutating func walkQueue(_ quiet: Quiet) {
    let queue = store.mover.queue
    queued = queue.all
    let charges = queued.reduce(0) { $0 + $1.charge }
    let isChargedRightly = queued.allSatisfy { $0.charge == DemotionQueueState.charge($0.chunk) }
    expect(isChargedRightly, "a chunk on its way is charged wrongly")
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
    for entry in outer?.mover.queue.all ?? [] {
      sums[ObjectIdentifier(entry.chunk.token), default: (entry.chunk.token, 0)].bytes += entry.chunk.byteCount
    }
    let isMoving = !store.mover.queue.moving.isEmpty || !(outer?.mover.queue.moving.isEmpty ?? true)
    for (token, bytes) in sums.values {
      let charged = token.chargedBytesBelow.load(ordering: .relaxed)
      // What is being moved and cannot be found any more is charged until that has ended.
      expect(
        isMoving ? charged >= bytes : charged == bytes,
        "token \(token.number) counts \(charged) of \(bytes) bytes below")
    }
  }

  private mutating func checkAccounts(_ quiet: Quiet) {
    let below = segmentFootprints + pieces.count * RecordTable.charge
    let counted = tiers.compressed!.ledger.bytes
    // Whoever found a piece keeps its segment, which is charged for as long.
    expect(
      quiet == .no ? counted >= below : counted == below, "below: \(counted) bytes are charged, \(below) are there")
    let above = memory.bytes + tiers.memory.ledger.metadataBytes
    let countedAbove = tiers.memory.ledger.bytes
    expect(
      quiet == .no ? countedAbove >= above : countedAbove == above,
      "above: \(countedAbove) bytes are charged, \(above) are there")
    let staging = outer?.spill?.state.withLock { $0.staging.limit } ?? 0
    let sum = store.mover.queue.limit + (outer?.mover.queue.limit ?? 0) + staging + countedAbove + counted
    let taken = tiers.budget.bytes
    expect(taken == sum, "\(taken) bytes of the budget are taken, \(sum) are charged")
  }

  // MARK: rest

  private mutating func checkRest() {
    let waiting = queued.count
    expect(waiting == 0, "\(waiting) chunks are on their way at rest")
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

/// What a walk through one shard finds.
private struct ShardRecount: Sendable {
  var pieces: [TieredRecount.Piece] = []
  var segmentFootprints = 0
  var faults: [String] = []

  mutating func expect(_ condition: Bool, _ fault: @autoclosure () -> String) {
    if !condition { faults.append(fault()) }
  }
}

extension CompressedShard {
  fileprivate mutating func recounted() -> ShardRecount {
    var found = ShardRecount()
    for slot in 1..<UInt32(max(1, table.slotsUsed)) where table[slot].isUsed { note(slot, &found) }
    checkSums(&found)
    checkSegments(&found)
    return found
  }

  private mutating func note(_ slot: UInt32, _ found: inout ShardRecount) {
    let record = table[slot]
    guard sources.contains(record.token) else {
      found.faults.append("a record of no source")
      return
    }
    let token = sources.token(record.token)
    let start = record.block << token.grid.shift
    let range = start + Int(record.lower)..<start + Int(record.upper)
    let isInside = Int(record.upper) <= token.grid.blockSize && range.upperBound <= token.source.byteCount
    found.expect(record.count > 0 && isInside, "a record of \(range), in blocks of \(token.grid.blockSize)")
    let hash = ChunkTable.hash(token: record.token, block: record.block)
    let siblings = slots(record.token, record.block, hash)
    found.expect(siblings.contains(slot), "block \(record.block) cannot be found")
    found.expect(siblings.count <= PieceList.maxCount, "block \(record.block) has \(siblings.count) pieces")
    let end = Int(record.offset) + Int(record.stored)
    guard Int(record.segment) < segments.count, let segment = segments[Int(record.segment)], end <= segment.used else {
      found.faults.append("a record outside of its segment")
      return
    }
    let place = place(slot)
    let header = UnsafeRawPointer(place.memory.base + Int(place.offset) - Self.headerCount)
    found.expect(header.load(as: UInt32.self) == slot, "a record's header names another")
    found.expect(header.load(fromByteOffset: 4, as: UInt32.self) == record.stored, "a header says another length")
    found.pieces.append(
      .init(
        token: token, block: record.block, range: range, fetchedAt: record.fetchedAt, stored: place.stored, place: place
      ))
  }

  private func checkSums(_ found: inout ShardRecount) {
    let pieces = found.pieces
    found.expect(pieces.count == table.count, "\(table.count) records are counted of \(pieces.count)")
    let stored = pieces.reduce(0) { $0 + $1.stored }
    found.expect(stored == storedBytes, "\(storedBytes) stored bytes are counted of \(stored)")
    let raw = pieces.reduce(0) { $0 + $1.range.count }
    found.expect(raw == rawBytes, "\(rawBytes) raw bytes are counted of \(raw)")
    for source in sources.all {
      let mine = pieces.reduce(0) { $0 + ($1.token === source.token ? 1 : 0) }
      found.expect(mine > 0 && mine == source.blocks, "\(source.blocks) of \(mine) pieces of a source are counted")
    }
  }

  private func checkSegments(_ found: inout ShardRecount) {
    let live = Dictionary(grouping: found.pieces) { $0.place.segment }
    var capacities = 0
    for (number, value) in segments.enumerated() {
      guard let value else { continue }
      capacities += value.memory.capacity
      found.segmentFootprints += SegmentMemory.footprint(of: value.memory.capacity)
      let mine = (live[UInt32(number)] ?? []).sorted { $0.place.offset < $1.place.offset }
      let bytes = mine.reduce(0) { $0 + $1.stored }
      found.expect(value.liveBytes == bytes, "segment \(number) counts \(value.liveBytes) of \(bytes) live bytes")
      found.expect(value.pending == 0, "segment \(number) has \(value.pending) places that are being written")
      found.expect(value.used <= value.memory.capacity, "segment \(number) is used beyond its end")
      for (one, next) in zip(mine, mine.dropFirst()) where Int(one.place.offset) + one.stored > Int(next.place.offset) {
        found.faults.append("two records share bytes of segment \(number)")
      }
      let isKnown = open == UInt32(number) || sealed.contains(UInt32(number))
      found.expect(isKnown, "segment \(number) is neither open nor sealed")
    }
    found.expect(Set(sealed).count == sealed.count, "a segment is sealed twice")
    found.expect(sealed.allSatisfy { segments[Int($0)] != nil }, "a segment is sealed that is gone")
    found.expect(capacities == segmentBytes, "\(segmentBytes) bytes of segments are counted of \(capacities)")
  }
}
