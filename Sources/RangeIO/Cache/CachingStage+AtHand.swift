import Synchronization

extension CachingStage {
  /// Reads and keeps a missing range, if the stages below have its bytes at hand.
  ///
  /// Takes no flight: nothing waits here, so there is nothing to join. Two reads of one block at the same moment may both
  /// read it, each on its own thread; one of them is kept. Room is reserved before the bytes are read, and they are
  /// published as those of a flight are: under the shard's lock, if the ticket is still valid. Without room they are
  /// returned all the same.
  ///
  /// - Parameters:
  ///   - ticket: from before the look-up that has found nothing of the range.
  ///   - timing: measures how long the source takes.
  /// - Returns: `nil` if a flight must bring the bytes, as when they are not at hand. Nothing has changed then, but that room
  ///   may have been made for them.
  func readAtHand(
    _ request: ReadRequest, _ ticket: ChunkTicket, _ timing: AdmissionMeter.Timing?, _ next: ReadNext
  ) -> ReadResponse? {
    guard hasBytesAtHand.load(ordering: .relaxed), request.isPlain, request.purpose == .demand,
      let wide = wide(request, ticket.token), ticket.token.flights.isIdle || !ticket.token.flights.brings(wide)
    else { return nil }
    let reservation = store.reserve(wide, ofRun: wide.count, for: ticket.token)
    // A source that lends memory tells these reads from others by the grid.
    let below =
      request.source.isBorrowed
      ? ReadRequest(wide, of: request.source, urgency: nil, grid: ticket.token.grid)
      : ReadRequest(plain: wide, of: request.source)
    timing?.begin()
    guard case .here(let response) = next.answer(below), response.bytes.count == wide.count, response.moreBytes.isEmpty
    else {
      if let reservation { store.cancel(reservation) }
      hasBytesAtHand.store(false, ordering: .relaxed)
      return nil
    }
    timing?.end()
    // Handed over: a copy would count a reference to the token.
    if let reservation = consume reservation {
      store.insert(response.bytes, at: wide, ticket: ticket, reservation: reservation)
    }
    countMiss(request, next)
    guard wide != request.range else { return ReadResponse(response.bytes) }
    let lower = request.range.lowerBound - wide.lowerBound
    return ReadResponse(response.bytes.slice(lower..<lower + request.range.count))
  }

  /// Loads a piece of the store that is all of a read, if that takes no waiting: it is compressed and small, or on a disk and
  /// in the page cache.
  ///
  /// Takes no flight, for the same reason. Two reads of one piece at the same moment may both load it.
  ///
  /// - Returns: the bytes of the read; `nil` if a flight must load the piece.
  func loadAtHand(
    _ piece: DeferredPiece, _ request: ReadRequest, _ token: ChunkToken
  ) -> ReadAnswer<Bytes?>? {
    guard piece.wanted == request.range, piece.range.contains(piece.wanted), piece.loader.isQuick,
      piece.range.count <= Self.maxQuickBytes, token.flights.isIdle || !token.flights.brings(piece.range)
    else { return nil }
    let loaded = piece.loader.answer()
    guard case .here(let bytes?) = loaded else { return loaded }
    guard bytes.count == piece.range.count else { return .here(nil) }
    guard piece.range != piece.wanted else { return loaded }
    let lower = piece.wanted.lowerBound - piece.range.lowerBound
    return .here(bytes.slice(lower..<lower + piece.wanted.count))
  }

  /// The bytes of a read that bypasses the store, if the stages below have them at hand.
  ///
  /// While they have nothing at hand, only one read in sixteen asks: a source that waits would be asked twice.
  func readBypassingAtHand(_ request: ReadRequest, _ next: ReadNext) -> ReadResponse? {
    guard request.isPlain, !request.source.isBorrowed,
      hasBytesAtHand.load(ordering: .relaxed) || next.bottom.cacheMisses % 16 == 0
    else { return nil }
    let response = next.answer(request).value
    let isAtHand = response.map { $0.bytes.count == request.range.count && $0.moreBytes.isEmpty } ?? false
    if hasBytesAtHand.load(ordering: .relaxed) != isAtHand { hasBytesAtHand.store(isAtHand, ordering: .relaxed) }
    return isAtHand ? response : nil
  }

  /// The most bytes of several blocks that are copied apart, so that each can be evicted for itself. Others are read into separate
  /// memory by a task.
  private static var maxCopiedBytes: Int { 64 << 10 }

  /// The range to fetch for a read, if it is no longer than a source copies on its caller's thread.
  private func wide(_ request: ReadRequest, _ token: ChunkToken) -> ByteRange? {
    let (range, grid) = (request.range, token.grid)
    let wide: ByteRange
    switch fill {
    case .exact: wide = range
    // The rest of the block follows in the background.
    case .requestedFirst: return nil
    case .block, .automatic:
      guard hasOwnBlockSize || request.source.fetchSize == nil else { return nil }
      wide = grid.outward(range, in: request.source.byteCount)
    }
    let isOneBlock = grid.block(at: wide.lowerBound) == grid.block(at: wide.upperBound - 1)
    return wide.count <= (isOneBlock ? Self.maxQuickBytes : Self.maxCopiedBytes) ? wide : nil
  }
}
