package import RangeIO

extension SpillStore {
  /// Queues a chunk to be written soon, or refuses it. Writes nothing itself.
  @discardableResult package func insertDemoted(_ chunk: Chunk) -> Bool {
    let offer = offer(chunk, isGated: !configuration.keepsFirstReads)
    if offer == .taken { writer.wake() }
    return offer == .taken || offer == .present
  }

  /// - Parameters:
  ///   - isGated: whether a full store takes only what comes for the second time.
  ///   - isAsked: whether the user asks for it, so that the cost of its source does not matter.
  ///   - isBound: whether its token was bound to its source before.
  func offer(_ chunk: Chunk, isGated: Bool, isAsked: Bool = false, isBound: Bool = false) -> SpillStaging.Offer {
    guard readOnlyReason == nil else { return .dropped }
    let token = chunk.token
    let costsMoreThanDisk = isAsked || costsMoreThanDisk(token.source, for: chunk.range.count)
    let isEligible = costsMoreThanDisk && isEligible(chunk)
    let now = self.now
    let wallNow = configuration.wallClock()
    // `nil`: the token must be bound first, once.
    let made = state.withLock { state -> (offer: SpillStaging.Offer, replaced: SpillStaging.Entry?)? in
      let binding = isEligible ? state.sources.binding(of: token.number) : nil
      if isEligible, binding == nil, !isBound { return nil }
      guard let identity = binding?.identity else {
        state.counts.offered += 1
        state.counts.ineligible += 1
        if !costsMoreThanDisk { state.counts.rejectedFastSource += 1 }
        return (.ineligible, nil)
      }
      return state.offer(
        chunk, of: identity, isGated: isGated, largest: core.largestRecord(identity: identity.bytes.count), now: now,
        wallNow: wallNow)
    }
    guard let (offer, replaced) = made else {
      // It stays unbound where it is retired, or the store is closed.
      _ = binding(of: token)
      return self.offer(chunk, isGated: isGated, isAsked: isAsked, isBound: true)
    }
    withExtendedLifetime(replaced) {}
    return offer
  }

  /// Only whole blocks of versions that can be told apart.
  private func isEligible(_ chunk: Chunk) -> Bool {
    let source = chunk.token.source
    return chunk.morePieces.isEmpty && chunk.range.count > 0 && source.validator != nil
      && chunk.token.grid.shift <= 30 && chunk.block <= SpillTable.maxBlock
      && chunk.range == chunk.token.grid.range(of: chunk.block, in: source.byteCount)
  }

  /// Checks whether a source costs more to read than a disk, or its cost does not matter.
  func costsMoreThanDisk(_ source: SourceDescription, for count: Int) -> Bool {
    configuration.keepsFastSources || source.cost.isDearer(than: SourceDescription.Cost(), for: count)
  }

  /// Changes the memory for chunks that wait to be written. If they need more, they are dropped, which only costs time.
  /// Returns the previous limit.
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

  /// Blocks of the usual size cannot wait for the disk, so none of them is kept: says so, as what went wrong.
  ///
  /// - Parameter disk: as the user has configured it.
  func noteTooLittleRoom(_ disk: DiskConfiguration, below memory: ByteCount) {
    let usual = ByteCount.bytes(65_536)
    let least = usual.bytes + SpillStaging.overhead
    let most =
      if disk.stagingBytes >= least {
        "a quarter of the memory above, \(memory): give it 512 KiB, or have no memory above (`TieredStore(disk:)`)"
      } else if let asked = disk.stagingLimit {
        "`stagingLimit` says, \(asked): make it 128 KiB"
      } else {
        "an eighth of the disk's limit, \(disk.limit): make it 1 MiB, or set `stagingLimit`"
      }
    state.withLock { state in
      guard state.staging.limit < least, state.lastFailure == nil else { return }
      state.lastFailure = ReadError(
        .limitExceeded,
        "blocks of \(usual) are not kept on the disk, since those that wait for it may take no more than \(most)")
    }
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
    return isTaken && ticket.isValid(for: range)
  }
}

/// Storing because the user asks for it.
extension SpillStore {
  /// See ``TieredStore/store(_:at:of:)``.
  package func store(_ bytes: Bytes, at range: ByteRange, of source: SourceDescription) async throws {
    let context = ReadError.Context(source: source.name, range: range)
    let grid = try check(bytes, range, source, context)
    let token = token(of: source, on: grid, reading: false)
    let ticket = token.ticket(fetchedAt: now)
    for (block, part) in grid.pieces(of: range) {
      let piece = bytes.slice(part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound)
      try await write(Chunk(ticket: ticket, block: block, piece: RangedBytes(part, piece)), context)
    }
    try await flush()
    // It was removed in between: nothing to do.
    guard !holds(range, token: token.number, grid: grid), ticket.isValid(for: range) else { return }
    throw whyNotNow(context)
  }

  private func check(
    _ bytes: Bytes, _ range: ByteRange, _ source: SourceDescription, _ context: ReadError.Context
  ) throws -> BlockGrid {
    guard let grid = BlockGrid(blockSize: source.preferredBlockSize.bytes), !range.isEmpty, range.lowerBound >= 0,
      range.upperBound <= source.byteCount, grid.outward(range, in: source.byteCount) == range,
      bytes.count == range.count
    else {
      throw ReadError(
        .rangeNotSatisfiable,
        "\(bytes.count) bytes for \(range) are not whole blocks of \(source.preferredBlockSize.bytes) bytes of a source of "
          + "\(source.byteCount): give whole blocks", context: context)
    }
    guard readOnlyReason == nil else {
      throw ReadError(
        .invalidConfiguration,
        "the cache directory is only read: open it for writing, and with the same `refusesWhenFull`", context: context)
    }
    guard isWritable else { throw ReadError(.closed, "the disk tier was closed", context: context) }
    guard source.isSettled, SpillIdentity(source, grid) != nil, grid.shift <= 30 else {
      throw ReadError(
        .invalidConfiguration,
        "what version of the source this is cannot be written down: it needs a validator with a persistent form, and to "
          + "be settled", context: context)
    }
    return grid
  }

  /// Queues a chunk to be written, as soon as there is room.
  private func write(_ chunk: Chunk, _ context: ReadError.Context) async throws {
    // Others may take the room first, so try a few times.
    for _ in 0..<8 {
      switch offer(chunk, isGated: false, isAsked: true) {
      case .taken, .present: return
      case .dropped: try await flush()
      case .stale:
        guard isWritable else { throw ReadError(.closed, "the disk tier was closed", context: context) }
        return
      case .ineligible, .gated, .neverFits:
        throw ReadError(
          .limitExceeded,
          "it can never fit: a block of \(chunk.range.count) bytes does not fit into a file of "
            + "\(configuration.segmentBytes) bytes, or into the \(configuration.stagingBytes) that may wait to be written: "
            + "choose a larger limit, larger files, more memory for what waits or smaller blocks", context: context)
      }
    }
    throw whyNotNow(context)
  }

  private func whyNotNow(_ context: ReadError.Context) -> ReadError {
    let (isSick, failure) = state.withLock { (!$0.breaker.isClosed, $0.lastFailure) }
    if isSick, let failure { return failure }
    return .noSpillRoom(configuration.directory)
  }

  // MARK: sizes

  /// The smallest segment size that holds this many whole blocks of one source uncompressed and unencrypted, with all overhead; in
  /// whole pages, as the disk counts. `nil` for a source that is not spilled.
  package static func segmentSize(holding blocks: Int, of source: SourceDescription, on grid: BlockGrid) -> ByteCount? {
    guard let identity = SpillIdentity(source, grid) else { return nil }
    let record = SpillFormat.recordCount(payload: grid.blockSize) + SpillFooter.growth
    let count = identity.bytes.count
    let source = SpillFormat.recordCount(payload: count) + 8 + SpillFormat.padded(count)
    let fixed = SpillFormat.headerCount + OpenSegment.emptyClosingCount(isEncrypted: false)
    return .bytes(SpillLedger.rounded(fixed + source + blocks * record))
  }

  /// The limit under which a directory has room for this many segments. The store keeps one of them free.
  package static func limit(segments: Int, of size: ByteCount) -> ByteCount {
    .bytes(SpillFormat.fixedBytes + segments * SpillLedger.rounded(size.bytes))
  }
}

extension SourceDescription.Cost {
  /// Checks whether reading this many bytes takes longer than with `other`.
  func isDearer(than other: SourceDescription.Cost, for count: Int) -> Bool {
    func time(_ cost: SourceDescription.Cost) -> Double {
      Double(cost.latency.nanoseconds) / 1e9 + Double(count) / max(1, cost.rate)
    }
    return time(self) > time(other)
  }
}
