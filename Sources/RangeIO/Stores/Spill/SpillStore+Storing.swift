extension SpillStore {
  /// Takes a chunk to be written soon, or not: nothing is written here.
  public func insertDemoted(_ chunk: Chunk) -> ChunkInsertion {
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

  /// - Parameters:
  ///   - isGated: whether, once full, only what comes for the second time is taken.
  ///   - isAsked: whether the user asks for it, so that it does not matter what its source costs.
  func offer(_ chunk: Chunk, isGated: Bool, isAsked: Bool = false) -> Offer {
    guard readOnlyReason == nil else { return .dropped }
    let token = chunk.token
    let isDearEnough = isAsked || isDearEnough(token.source, for: chunk.piece.range.count)
    guard isDearEnough, isEligible(chunk), let binding = binding(of: token), let identity = binding.identity else {
      state.withLock { state in
        state.counts.offered += 1
        state.counts.ineligible += 1
        if !isDearEnough { state.counts.notSlower += 1 }
      }
      return .ineligible
    }
    let span = SpillFormat.recordCount(payload: chunk.piece.range.count)
    let now = self.now
    let wallNow = configuration.wallClock()
    let (offer, replaced) = state.withLock { state -> (Offer, SpillStaging.Entry?) in
      state.counts.offered += 1
      guard !state.isClosed, chunk.ticket.isValid else {
        state.counts.stale += 1
        return (.stale, nil)
      }
      guard span <= writer.largestRecord(identity: identity.bytes.count),
        chunk.byteCount + SpillStaging.overhead <= state.staging.limit
      else {
        state.counts.ineligible += 1
        return (.neverFits, nil)
      }
      // A source that is only added to is known here by the length that it had at first: of what came later a record
      // would say another length than its block has.
      guard chunk.piece.range.count == identity.count(ofBlock: chunk.block) else {
        state.counts.ineligible += 1
        return (.ineligible, nil)
      }
      guard !state.isExpired(chunk, now: now) else {
        state.counts.ineligible += 1
        state.counts.expirations += 1
        return (.ineligible, nil)
      }
      let known = state.sources.binding(of: token.number)?.slot
      let found = known.map { state.table.find(source: $0, block: chunk.block) } ?? 0
      if found != 0,
        !state.isExpired(state.table[found].birthMilliseconds * 1_000_000, wallNow: wallNow)
      {
        state.counts.present += 1
        return (.taken, nil)
      }
      if isGated, state.isFull {
        let fingerprint = Ghost.fingerprint(of: SpillTable.ghostKey(check: identity.check, block: chunk.block))
        guard state.ghost.remove(fingerprint) else {
          state.ghost.insert(fingerprint, limit: max(16, state.table.count))
          state.counts.gated += 1
          return (.gated, nil)
        }
      }
      // Of a sick disk what is written tries it, too: there may be nothing yet that could be read.
      guard state.breaker.lets(now: now), state.writesPausedUntil.map({ now >= $0 }) ?? true else {
        state.counts.dropped += 1
        return (.dropped, nil)
      }
      // A source enters with its first chunk: not for one that finds no room.
      guard known != nil || state.staging.hasRoom(for: chunk),
        let slot = state.sources.enter(sourceOf: token.number),
        let key = SpillTable.key(source: slot, block: chunk.block)
      else {
        state.counts.dropped += 1
        return (.dropped, nil)
      }
      let (isTaken, replaced) = state.stage(chunk, slot: slot, key: key)
      return (isTaken ? .taken : .dropped, replaced)
    }
    withExtendedLifetime(replaced) {}
    return offer
  }

  /// Whole blocks of versions that can be told apart.
  private func isEligible(_ chunk: Chunk) -> Bool {
    let source = chunk.token.source
    return chunk.morePieces.isEmpty && chunk.piece.range.count > 0 && source.validator != nil
      && chunk.token.grid.shift <= 30 && chunk.block <= SpillTable.largestBlock
      && chunk.piece.range == chunk.token.grid.range(of: chunk.block, in: source.byteCount)
  }

  /// Whether a source costs more to read than a disk, or what it costs does not matter.
  func isDearEnough(_ source: SourceDescription, for count: Int) -> Bool {
    configuration.sources == .all || source.cost.isDearer(than: SourceCost(), for: count)
  }

  /// Changes the bytes that may wait to be written. What waits is dropped if that is too much, which costs time only.
  ///
  /// - Returns: the limit before.
  func setStagingLimit(_ limit: Int) -> Int {
    let (before, dropped) = state.withLock { state -> (Int, [SpillStaging.Entry]) in
      let before = state.staging.limit
      state.staging.limit = limit
      guard state.staging.bytes > limit else { return (before, []) }
      let dropped = state.unstage { _, entry in !entry.isBeingWritten }
      state.counts.dropped += dropped.count
      return (before, dropped)
    }
    withExtendedLifetime(dropped) {}
    return before
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

  /// Takes the whole blocks of `range` to be written: copies, since what waits must not keep the memory of who reads.
  public func insert(
    _ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation
  ) -> ChunkInsertion {
    var isTaken = false
    for (block, part) in ticket.token.grid.pieces(of: range) {
      let slice = bytes.slice(part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound)
      let copy = Bytes(count: part.count) { slice.copyBytes(to: $0) }
      if insertDemoted(Chunk(ticket: ticket, block: block, piece: RangedBytes(part, copy))).isPublished {
        isTaken = true
      }
    }
    return ChunkInsertion(isPublished: isTaken && ticket.isValid)
  }

  /// Does nothing: what is here is a copy, and stays.
  public func erasePromoted(_ range: ByteRange, of token: ChunkToken) {}
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
