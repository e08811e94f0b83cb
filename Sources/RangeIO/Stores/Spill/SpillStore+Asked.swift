extension SpillStore {
  /// See ``TieredChunkStore/store(_:at:of:)``.
  package func store(_ bytes: Bytes, at range: ByteRange, of source: SourceDescription) async throws {
    let context = ReadError.Context(source: source.name, offset: range.lowerBound, count: range.count)
    let grid = try check(bytes, range, source, context)
    let known = sources.tokens(of: source).first { $0.grid == grid }
    let token = known ?? makeToken(source, grid)
    let ticket = token.ticket(fetchedAt: now)
    for (block, part) in grid.pieces(of: range) {
      let piece = bytes.slice(part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound)
      try await write(Chunk(ticket: ticket, block: block, piece: RangedBytes(part, piece)), context)
    }
    try await flush()
    // It was removed in between: nothing to do.
    guard !holds(range, token: token.number, grid: grid), ticket.isValid else { return }
    throw whyNotNow(context)
  }

  private func makeToken(_ source: SourceDescription, _ grid: BlockGrid) -> ChunkToken {
    let (token, retired) = sources.token(for: source, grid: grid, reading: false)
    for old in retired { eraseRetired(old) }
    return token
  }

  private func check(
    _ bytes: Bytes, _ range: ByteRange, _ source: SourceDescription, _ context: ReadError.Context
  ) throws -> BlockGrid {
    guard let grid = BlockGrid(blockSize: source.preferredBlockSize), !range.isEmpty, range.lowerBound >= 0,
      range.upperBound <= source.byteCount, grid.outward(range, in: source.byteCount) == range,
      bytes.count == range.count
    else {
      throw ReadError(
        .rangeNotSatisfiable,
        "\(bytes.count) bytes for \(range) are not whole blocks of \(source.preferredBlockSize) bytes of a source of "
          + "\(source.byteCount): give whole blocks", context: context)
    }
    guard readOnlyReason == nil else {
      throw ReadError(
        .invalidConfiguration,
        "the spill directory is only read: open it for writing, and with the same `refusesWhenFull`", context: context)
    }
    guard isWritable else { throw ReadError(.closed, "the spill store was closed", context: context) }
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
      case .taken: return
      case .dropped: try await flush()
      case .stale:
        guard isWritable else { throw ReadError(.closed, "the spill store was closed", context: context) }
        return
      case .ineligible, .gated, .neverFits:
        throw ReadError(
          .limitExceeded,
          "it can never fit: a block of \(chunk.byteCount) bytes does not fit into a file of "
            + "\(configuration.segmentBytes) bytes, or into the \(configuration.stagingBytes) that may wait to be written: "
            + "choose a larger limit, larger files or smaller blocks", context: context)
      }
    }
    throw whyNotNow(context)
  }

  private func whyNotNow(_ context: ReadError.Context) -> ReadError {
    let (isSick, failure) = state.withLock { (!$0.breaker.isClosed, $0.lastFailure) }
    if isSick, let failure { return failure }
    return .noSpillRoom(configuration.directory)
  }
}
