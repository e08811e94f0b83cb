// What a store need not write itself.

extension ChunkStore {
  /// No.
  public var keepsPartsOfBlocks: Bool { false }

  /// Nothing: all is asked of ``lookUp(_:token:grid:)``.
  public func hit(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bytes? { nil }

  /// All that ``erase(_:of:)`` erases.
  public func eraseRetired(_ token: ChunkToken) {
    guard token.source.byteCount > 0 else { return }
    erase(0..<token.source.byteCount, of: token)
  }

  /// Token by token.
  public func erase(source id: String) {
    for token in sources.tokens(ofID: id) { eraseRetired(token) }
  }

  /// Token by token.
  public func eraseAll() {
    for token in sources.all { eraseRetired(token) }
  }

  /// As ``holds(_:token:grid:)`` says of each block, under the name of the type.
  public func explain(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ReadExplanation.Part] {
    let origin = ReadOrigin(rawValue: "\(Self.self)")
    return grid.pieces(of: range).map { _, part in
      holds(part, token: token, grid: grid)
        ? ReadExplanation.Part(part, origin)
        : .missing(part, origin, "it does not hold all of these bytes of the block")
    }
  }

  /// None.
  public func residents() -> AnyIterator<[Chunk]> { AnyIterator { nil } }

  /// As ``lookUp(_:token:grid:)`` says.
  public func holds(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool {
    switch lookUp(range, token: token, grid: grid) {
    case .hit: true
    case .partial(_, _, let gaps): gaps.isEmpty
    case .miss: false
    }
  }

  /// As ``lookUp(_:token:grid:)`` says.
  public func holdsSome(of range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool {
    if case .miss = lookUp(range, token: token, grid: grid) { false } else { true }
  }

  /// Piece by piece, each with room of its own.
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

  /// Erases it here.
  public func erasePromoted(_ range: ByteRange, of token: ChunkToken) { erase(range, of: token) }

  /// Nothing.
  public func sendEvictions(to outlet: any EvictionSink) {}

  /// By the continuous clock of the system.
  public var now: ReadInstant { TimeSource.continuous.now }

  /// One of four turns that all stores of the process share which have none of their own.
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
