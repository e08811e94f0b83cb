extension SpillStore {
  /// Takes a chunk to be written soon, or not: nothing is written here.
  public func accept(_ chunk: Chunk) -> ChunkInsertion {
    let isTaken = offer(chunk, isGated: configuration.admission == .secondTimeOnceFull) == .taken
    if isTaken { writer.wake() }
    return ChunkInsertion(isPublished: isTaken)
  }

  /// What came of a chunk.
  enum Offer: Equatable {
    /// It will be written, or is here already.
    case taken
    /// It is not one to be kept.
    case ineligible
    /// It came for the first time.
    case gated
    /// Too many wait, or the disk is sick.
    case dropped
    /// It was removed meanwhile.
    case stale
    /// A record of it is larger than a segment.
    case neverFits
  }

  /// - Parameter isGated: whether, once full, only what comes for the second time is taken.
  func offer(_ chunk: Chunk, isGated: Bool) -> Offer {
    guard readOnlyReason == nil else { return .dropped }
    let token = chunk.token
    guard isEligible(chunk), let slot = slot(of: token) else {
      state.withLock { state in
        state.counts.offered += 1
        state.counts.ineligible += 1
      }
      return .ineligible
    }
    let key = SpillTable.key(source: slot, block: chunk.block)
    let span = SpillFormat.recordCount(payload: chunk.piece.range.count)
    let now = self.now
    let wallNow = configuration.wallClock()
    return state.withLock { state -> Offer in
      state.counts.offered += 1
      guard !state.isClosed, chunk.ticket.isValid else {
        state.counts.stale += 1
        return .stale
      }
      guard span <= writer.largestRecord(of: state.sources[slot].identity) else {
        state.counts.ineligible += 1
        return .neverFits
      }
      guard !isExpired(chunk, &state, now) else {
        state.counts.expirations += 1
        return .ineligible
      }
      let found = state.table.find(source: slot, block: chunk.block)
      let isFound =
        found != 0 && !state.isExpired(state.table[found].birthMilliseconds * 1_000_000, wallNow: wallNow)
      if let waiting = state.staging[key], !waiting.chunk.ticket.isValid {
        // Removed, and about to be erased.
        _ = state.unstage { $0 == key && $1.number == waiting.number }
      }
      if isFound || state.staging[key] != nil {
        state.counts.present += 1
        return .taken
      }
      if isGated, state.isFull {
        let fingerprint = Ghost.fingerprint(of: key)
        guard state.ghost.remove(fingerprint) else {
          state.ghost.insert(fingerprint, limit: max(16, state.table.count))
          state.counts.gated += 1
          return .gated
        }
      }
      guard state.breaker.isClosed, state.writesPausedUntil.map({ now >= $0 }) ?? true,
        state.staging.append(chunk, slot: slot, key: key)
      else {
        state.counts.dropped += 1
        return .dropped
      }
      state.sources[slot].staged += 1
      return .taken
    }
  }

  /// Whole blocks of sources that are dearer than a disk.
  private func isEligible(_ chunk: Chunk) -> Bool {
    let source = chunk.token.source
    guard chunk.morePieces.isEmpty, chunk.piece.range.count > 0, source.validator != nil,
      UInt64(chunk.block) <= SpillTable.largestBlock, chunk.token.grid.shift <= 30,
      chunk.piece.range == chunk.token.grid.range(of: chunk.block, in: source.byteCount)
    else { return false }
    return configuration.sources == .all || source.cost.isDearer(than: SourceCost(), for: chunk.piece.range.count)
  }

  private func isExpired(_ chunk: Chunk, _ state: inout SpillState, _ now: ReadInstant) -> Bool {
    guard state.ageLimit != .max else { return false }
    return now < chunk.birth || now.nanoseconds - chunk.birth.nanoseconds >= state.ageLimit
  }

  // MARK: alone, without a tier above

  /// Promises nothing: what finds no room is dropped.
  public func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkRoom {
    guard token.isAlive, isWritable else { return ChunkRoom(reservation: nil) }
    return ChunkRoom(
      reservation: ChunkReservation(byteCount: 0, blockCount: token.grid.blocks(covering: range).count, token: token))
  }

  /// Nothing was charged.
  public func cancel(_ reservation: ChunkReservation) {}

  /// Takes the whole blocks of `range` to be written.
  public func insert(
    _ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation
  ) -> ChunkInsertion {
    for (block, part) in ticket.token.grid.pieces(of: range) {
      let slice = bytes.slice(part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound)
      _ = accept(Chunk(ticket: ticket, block: block, piece: ChunkPiece(part, slice)))
    }
    return ChunkInsertion(isPublished: ticket.isValid)
  }

  /// Does nothing: what is here is a copy, and stays.
  public func letGo(_ range: ByteRange, of token: ChunkToken) {}
}

extension SourceCost {
  /// Whether reading so many bytes takes longer than with `other`.
  func isDearer(than other: SourceCost, for count: Int) -> Bool {
    func time(_ cost: SourceCost) -> Double {
      Double(cost.latency.nanoseconds) / 1e9 + Double(count) / max(1, cost.bytesPerSecond)
    }
    return time(self) > time(other)
  }
}
