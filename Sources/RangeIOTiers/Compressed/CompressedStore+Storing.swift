package import RangeIO
import Synchronization

extension CompressedStore {
  /// The result of storing one piece.
  private enum Outcome {
    case stored, present, dropped, expired, stale, incompressible
  }

  /// Compresses a chunk and keeps it, piece by piece.
  ///
  /// A piece that does not shrink by an eighth, or finds no room, is not kept: it goes to the outlet.
  @discardableResult package func insertDemoted(_ chunk: Chunk) -> Bool {
    var isKept = true
    for piece in chunk.pieces {
      let outcome = store(piece, chunk)
      switch outcome {
      case .stored, .present: continue
      case .stale: break
      case .dropped, .expired: dropped.wrappingAdd(1, ordering: .relaxed)
      case .incompressible: incompressible.wrappingAdd(1, ordering: .relaxed)
      }
      isKept = false
      guard outcome == .dropped || outcome == .incompressible, let outlet else { continue }
      // A disk may have room for it.
      outlet.take([
        Chunk(
          ticket: chunk.ticket, block: chunk.block, piece: piece, lastRead: chunk.lastRead,
          incompressibleBy: outcome == .incompressible ? configuration.codec.encoding : nil)
      ])
      outlet.proceed()
    }
    return isKept
  }

  private func store(_ piece: RangedBytes, _ chunk: Chunk) -> Outcome {
    let token = chunk.token
    guard chunk.isValid else { return .stale }
    // Offsets in larger blocks do not fit into a record.
    guard token.grid.shift <= 30 else { return .dropped }
    guard !isExpired(chunk) else { return .expired }
    guard !holds(piece.range, token: token.number, grid: token.grid) else { return .present }
    // It must shrink by an eighth to be worth keeping.
    let most = piece.range.count / 8 * 7
    guard most > 0 else { return .incompressible }
    guard let scratch = try? BufferPool.shared.buffer(most) else { return .dropped }
    guard let stored = piece.bytes.withUnsafeBytes({ configuration.codec.encode($0, into: scratch.memory) }),
      // The codec may be a custom one: never read a byte beyond its buffers.
      (1...most).contains(stored)
    else { return .incompressible }
    let start = chunk.block << token.grid.shift
    var record = RecordTable.Record()
    record.token = token.number
    record.block = chunk.block
    record.fetchedAt = chunk.fetchedAt.nanoseconds
    record.lastRead = chunk.lastRead?.nanoseconds ?? idleSince ?? now.nanoseconds
    record.lower = UInt32(piece.range.lowerBound - start)
    record.count = UInt32(piece.range.count)
    return keep(scratch.filled(stored), record, chunk.ticket)
  }

  /// Checks whether a chunk of the tier above is too old, or has been idle for too long.
  func isExpired(_ chunk: Chunk) -> Bool {
    let now = presentForLimits
    guard now != .min else { return false }
    let (age, idle) = shards[0].state.withLock { ($0.ageLimit, $0.idleLimit) }
    if AgeLimit.isReached(age, fetchedAt: chunk.fetchedAt.nanoseconds, now: now) { return true }
    return idleSince.map { now - max($0, chunk.lastRead?.nanoseconds ?? $0) >= idle } ?? false
  }

  /// When what the tier above had evicted before there was a limit for idle chunks begins to be idle; `nil` without one.
  private var idleSince: Int64? { shards[0].state.withLock { $0.idleLimit == .max ? nil : $0.idleSince } }

  /// Writes encoded bytes into a segment, and publishes the record.
  private func keep(_ encoded: UnsafeRawBufferPointer, _ record: RecordTable.Record, _ ticket: ChunkTicket) -> Outcome {
    // A limit that is lowered meanwhile waits for what this one holds and may give back.
    ledger.holdsForNow()
    defer { ledger.holdsNoMore() }
    guard takeRecord() else { return .dropped }
    let shard = shard(of: ChunkTable.hash(token: record.token, block: record.block))
    guard let place = place(for: encoded.count, in: shard) else {
      ledger.give(RecordTable.charge)
      return .dropped
    }
    place.bytes.copyMemory(from: encoded)
    let replaced = shard.state.withLock { $0.publish(record, at: place, ticket: ticket) }
    // The replaced records give their own charge back.
    ledger.give((replaced ?? 1) * RecordTable.charge)
    return replaced == nil ? .stale : .stored
  }

  private func takeRecord() -> Bool {
    for _ in 0..<4 {
      if ledger.take(RecordTable.charge, headroom: headroom) { return true }
      guard evictSegment() else { return false }
    }
    return false
  }

  // MARK: alone, without a tier above

  /// Makes no room yet: that happens when the needed size is known.
  package func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? {
    guard token.isAlive, token.number < ChunkTable.maxKeyPart, token.grid.shift <= 30, run <= ledger.limit / 2
    else { return nil }
    return ChunkReservation(byteCount: 0, blockCount: token.grid.blocks(covering: range).count, token: token)
  }

  package func cancel(_ reservation: ChunkReservation) {}

  /// Compresses the bytes of `range` block by block. Keeps the blocks that shrink.
  @discardableResult package func insert(
    _ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation
  ) -> Bool {
    var isPublished = true
    for chunk in Chunk.split(bytes, at: range, ticket: ticket) {
      insertDemoted(chunk)
      isPublished = isPublished && chunk.isValid
    }
    return isPublished
  }
}
