extension SpillStore {
  /// Queues a chunk to be written soon, or refuses it. Writes nothing itself.
  @discardableResult package func insertDemoted(_ chunk: Chunk) -> Bool {
    let isTaken = offer(chunk, isGated: configuration.admission == .secondTimeOnceFull) == .taken
    if isTaken { writer.wake() }
    return isTaken
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
    let now = self.now
    let wallNow = configuration.wallClock()
    let largest = core.largestRecord(identity: identity.bytes.count)
    let (offer, replaced) = state.withLock { state in
      state.offer(chunk, of: identity, isGated: isGated, largest: largest, now: now, wallNow: wallNow)
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
  package func reserve(_ range: ByteRange, ofRun run: Int, for token: ChunkToken) -> ChunkReservation? {
    guard token.isAlive, isWritable else { return nil }
    return ChunkReservation(byteCount: 0, blockCount: token.grid.blocks(covering: range).count, token: token)
  }

  /// Does nothing, since nothing was charged.
  package func cancel(_ reservation: ChunkReservation) {}

  /// Queues the whole blocks of `range` to be written. Makes copies, since waiting chunks must not keep the reader's
  /// memory.
  @discardableResult package func insert(
    _ bytes: Bytes, at range: ByteRange, ticket: ChunkTicket, reservation: ChunkReservation
  ) -> Bool {
    var isTaken = false
    for (block, part) in ticket.token.grid.pieces(of: range) {
      let slice = bytes.slice(part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound)
      let copy = Bytes(count: part.count) { slice.copyBytes(to: $0) }
      if insertDemoted(Chunk(ticket: ticket, block: block, piece: RangedBytes(part, copy))) { isTaken = true }
    }
    return isTaken && ticket.isValid
  }

  /// Does nothing: the store holds a copy, which stays.
  package func erasePromoted(_ range: ByteRange, of token: ChunkToken) {}
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
