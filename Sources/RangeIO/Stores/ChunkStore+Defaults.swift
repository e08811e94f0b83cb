// Default implementations.

extension ChunkStore {
  /// By default `false`.
  public var keepsPartsOfBlocks: Bool { false }

  /// By default `nil`: all requests go to ``lookUp(_:token:grid:)``.
  public func hit(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bytes? { nil }

  /// By default calls ``erase(_:of:)`` for the whole source.
  public func eraseRetired(_ token: ChunkToken) {
    guard token.source.byteCount > 0 else { return }
    erase(0..<token.source.byteCount, of: token)
  }

  /// By default erases token by token.
  public func erase(source id: String) {
    for token in sources.tokens(ofID: id) { eraseRetired(token) }
  }

  /// By default erases token by token.
  public func eraseAll() {
    for token in sources.all { eraseRetired(token) }
  }

  /// By default asks ``holds(_:token:grid:)`` for each block. The origin has the name of the store's type.
  public func explain(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ReadExplanation.Part] {
    let origin = ReadExplanation.Origin("\(Self.self)")
    return grid.pieces(of: range).map { _, part in
      holds(part, token: token, grid: grid)
        ? ReadExplanation.Part(part, origin)
        : .missing(part, origin, "it does not hold all of these bytes of the block")
    }
  }

  /// By default empty.
  public func residents() -> AnyIterator<[Chunk]> { AnyIterator { nil } }

  /// By default asks ``lookUp(_:token:grid:)``.
  public func holds(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool {
    switch lookUp(range, token: token, grid: grid) {
    case .hit: true
    case .partial(_, _, let gaps): gaps.isEmpty
    case .miss: false
    }
  }

  /// By default asks ``lookUp(_:token:grid:)``.
  public func holdsSome(of range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool {
    if case .miss = lookUp(range, token: token, grid: grid) { false } else { true }
  }

  /// By default reserves and inserts each piece separately.
  public func insertDemoted(_ chunk: Chunk) -> ChunkInsertion {
    var all = ChunkInsertion(isPublished: true)
    for piece in chunk.pieces {
      let room = reserve(piece.range, ofRun: piece.range.count, for: chunk.token)
      all.evicted += room.evicted
      guard let reservation = room.reservation else {
        all.isPublished = false
        continue
      }
      let one = insert(piece.bytes, at: piece.range, ticket: chunk.ticket, reservation: reservation)
      all.evicted += one.evicted
      all.isPublished = all.isPublished && one.isPublished
    }
    return all
  }

  /// By default erases the range here.
  public func erasePromoted(_ range: ByteRange, of token: ChunkToken) { erase(range, of: token) }

  /// By default does nothing.
  public func sendEvictions(to outlet: any EvictionSink) {}

  /// By default the system's continuous clock.
  public var now: ReadInstant { TimeSource.continuous.now }

  /// By default waits for one of four turns. All stores in the process that have no turns of their own share these
  /// four.
  public nonisolated(nonsending) func enterUnreserved() async throws {
    try await UnreservedTurns.permits.enter(UnreservedTurns.nobodyCloses)
  }

  /// Ends the turn.
  public func leaveUnreserved() { UnreservedTurns.permits.leave() }
}

private enum UnreservedTurns {
  static let permits = Permits(4)
  static let nobodyCloses = WaiterRegistry()
}
