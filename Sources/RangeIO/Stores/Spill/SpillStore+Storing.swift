extension SpillStore {
  /// Queues a chunk to be written soon, or refuses it. Writes nothing itself.
  public func insertDemoted(_ chunk: Chunk) -> ChunkInsertion {
    let isTaken = offer(chunk, isGated: configuration.admission == .secondTimeOnceFull) == .taken
    if isTaken { writer.wake() }
    return ChunkInsertion(isPublished: isTaken)
  }

  /// The result of offering a chunk.
  enum Offer: Equatable {
    /// It will be written, or is already here.
    case taken
    /// It cannot be kept.
    case ineligible
    /// It came for the first time.
    case gated
    /// Too many wait, or the disk is sick.
    case dropped
    /// It was removed in between.
    case stale
    /// Its record is larger than a segment.
    case neverFits
  }

  /// - Parameters:
  ///   - isGated: whether a full store takes only what comes for the second time.
  ///   - isAsked: whether the user asks for it, so that the cost of its source does not matter.
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
      // An append-only source is known here by the length it had at first: a record of a later part would have another
      // length than its block.
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
      // Writing may also try a sick disk, since there may be nothing yet to read.
      guard state.breaker.lets(now: now), state.writesPausedUntil.map({ now >= $0 }) ?? true else {
        state.counts.dropped += 1
        return (.dropped, nil)
      }
      // A source is entered with its first chunk, but not for a chunk that finds no room.
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

  /// Only whole blocks of versions that can be told apart.
  private func isEligible(_ chunk: Chunk) -> Bool {
    let source = chunk.token.source
    return chunk.morePieces.isEmpty && chunk.piece.range.count > 0 && source.validator != nil
      && chunk.token.grid.shift <= 30 && chunk.block <= SpillTable.largestBlock
      && chunk.piece.range == chunk.token.grid.range(of: chunk.block, in: source.byteCount)
  }

  /// Whether a source costs more to read than a disk, or its cost does not matter.
  func isDearEnough(_ source: SourceDescription, for count: Int) -> Bool {
    configuration.sources == .all || source.cost.isDearer(than: SourceDescription.Cost(), for: count)
  }

  /// Changes the memory for chunks that wait to be written. If they need more, they are dropped, which only costs time.
  ///
  /// - Returns: the previous limit.
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

  /// Makes no room: chunks that find no room are dropped.
  public func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkRoom {
    guard token.isAlive, isWritable else { return ChunkRoom(reservation: nil) }
    return ChunkRoom(
      reservation: ChunkReservation(byteCount: 0, blockCount: token.grid.blocks(covering: range).count, token: token))
  }

  /// Does nothing, since nothing was charged.
  public func cancel(_ reservation: ChunkReservation) {}

  /// Queues the whole blocks of `range` to be written. Makes copies, since waiting chunks must not keep the reader's
  /// memory.
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

  /// Does nothing: the store holds a copy, which stays.
  public func erasePromoted(_ range: ByteRange, of token: ChunkToken) {}
}

extension SourceDescription.Cost {
  /// Whether reading this many bytes takes longer than with `other`.
  func isDearer(than other: SourceDescription.Cost, for count: Int) -> Bool {
    func time(_ cost: SourceDescription.Cost) -> Double {
      Double(cost.latency.nanoseconds) / 1e9 + Double(count) / max(1, cost.bytesPerSecond)
    }
    return time(self) > time(other)
  }
}
