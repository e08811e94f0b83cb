/// A store with everything that ``Caching`` and ``TieredChunkStore`` ask of one. The library's stores implement it;
/// ``AdaptedStore`` makes one of any other store.
///
/// Tokens are named by their numbers here, since that is all that the path of a hit has.
package protocol FullChunkStore: ChunkStore {
  /// Returns the bytes of `range` if all of them are in memory and in one block. Most hits take this path.
  ///
  /// `nil` does not mean a miss: ``lookUp(_:token:grid:)`` is called next, and updates the counters.
  ///
  /// - Complexity: allocates nothing.
  func hit(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bytes?

  /// Returns what the store holds of `range` under the token with this number, on `grid`.
  func lookUp(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> ChunkLookup

  /// Whether the store holds all of `range`. Does not count as a read.
  func holds(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool

  /// Whether the store holds some of `range`. Does not count as a read.
  func holdsSome(of range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool

  /// Tells where the bytes of `range` would come from if they were looked up now, for `RangeReader.explain(_:)`.
  ///
  /// Returns parts in order that together make up `range`. A part that is not here has the origin
  /// ``ReadExplanation/Origin/source`` and the reason. Does not count as a read. By default asks ``holds(_:token:grid:)`` block by block.
  func explain(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ReadExplanation.Part]

  /// Waits for a turn to read without a reservation. This also bounds the memory that such reads use together.
  nonisolated(nonsending) func enterUnreserved() async throws

  /// Ends the turn.
  func leaveUnreserved()

  /// The current time, for the age of chunks.
  var now: ReadInstant { get }

  /// Erases all chunks of a retired token. By default calls ``erase(_:of:)`` for the whole source.
  func eraseRetired(_ token: ChunkToken)

  /// As ``ChunkTier/insertDemoted(_:)``.
  @discardableResult func insertDemoted(_ chunk: Chunk) -> Bool

  /// As ``ChunkTier/erasePromoted(_:of:)``.
  func erasePromoted(_ range: ByteRange, of token: ChunkToken)

  /// Copies of the resident chunks, a few with each step, for a lower tier that outlives the process. Chunks that are
  /// added or removed during the iteration may or may not be included.
  ///
  /// By default empty.
  func residents() -> AnyIterator<[Chunk]>

  /// Sends all chunks that are evicted to make room to `outlet` from now on. Called once, before the store is used. By
  /// default does nothing.
  func sendEvictions(to outlet: any EvictionSink)

  // What users call `contains` and `remove`. Named apart, so that the one does not call itself.

  func has(_ range: ByteRange, of source: SourceDescription) -> Bool
  func removeSource(_ id: String)
  func removeBlocks(_ range: ByteRange, of source: SourceDescription)
  func removeEverything() -> ChunkRemoval
}

/// Receives the chunks that a tier evicts.
package protocol EvictionSink: AnyObject, Sendable {
  /// Takes chunks, or drops them.
  ///
  /// Must be quick, must not wait and must not call a store: it may be called under the lock of the place that the
  /// chunks leave, so that a look-up always finds them in one place or the other.
  func take(_ chunks: ArraySlice<Chunk>)

  /// Called after ``take(_:)``, outside of locks. Continues with the chunks that were taken.
  func proceed()
}

/// A reference to an outlet that can be published atomically.
final class EvictionSinkBox: Sendable {
  let outlet: any EvictionSink

  init(_ outlet: any EvictionSink) { self.outlet = outlet }
}

extension FullChunkStore {
  /// By default `nil`: all requests go to ``lookUp(_:token:grid:)``.
  package func hit(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bytes? { nil }

  package func lookUp(_ range: ByteRange, of token: ChunkToken) -> ChunkLookup {
    lookUp(range, token: token.number, grid: token.grid)
  }

  package func eraseRetired(_ token: ChunkToken) { eraseWhole(token) }

  package func explain(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ReadExplanation.Part] {
    explain(range, token: token, grid: grid, as: ReadExplanation.Origin("\(Self.self)"))
  }

  func explain(
    _ range: ByteRange, token: UInt64, grid: BlockGrid, as origin: ReadExplanation.Origin
  ) -> [ReadExplanation.Part] {
    grid.pieces(of: range).map { _, part in
      holds(part, token: token, grid: grid)
        ? ReadExplanation.Part(part, origin)
        : .missing(part, origin, "it does not hold all of these bytes of the block")
    }
  }

  package func residents() -> AnyIterator<[Chunk]> { AnyIterator { nil } }

  /// By default asks ``lookUp(_:token:grid:)``.
  package func holds(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool {
    switch lookUp(range, token: token, grid: grid) {
    case .hit: true
    case .partial(_, _, let gaps): gaps.isEmpty
    case .miss: false
    }
  }

  /// By default asks ``lookUp(_:token:grid:)``.
  package func holdsSome(of range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool {
    if case .miss = lookUp(range, token: token, grid: grid) { false } else { true }
  }

  @discardableResult package func insertDemoted(_ chunk: Chunk) -> Bool { insertPieces(of: chunk) }

  package func erasePromoted(_ range: ByteRange, of token: ChunkToken) { erase(range, of: token) }

  package func sendEvictions(to outlet: any EvictionSink) {}

  /// By default the system's continuous clock.
  package var now: ReadInstant { TimeSource.continuous.now }

  /// By default waits for one of four turns. All stores in the process that have no turns of their own share these
  /// four.
  package nonisolated(nonsending) func enterUnreserved() async throws {
    try await UnreservedTurns.permits.enter(UnreservedTurns.nobodyCloses)
  }

  /// Ends the turn.
  package func leaveUnreserved() { UnreservedTurns.permits.leave() }

  package func has(_ range: ByteRange, of source: SourceDescription) -> Bool {
    guard source.has(range), !range.isEmpty else { return range.isEmpty }
    return tokens(of: source).contains { holds(range, token: $0.number, grid: $0.grid) }
  }

  /// The tokens of a version. Makes one if only an earlier process may have left chunks of it.
  func tokens(of source: SourceDescription) -> [ChunkToken] {
    let known = sources.tokens(of: source)
    guard known.isEmpty, mayOutliveProcess, let grid = BlockGrid(blockSize: source.preferredBlockSize) else {
      return known
    }
    let (token, retired) = sources.token(for: source, grid: grid, reading: false)
    for token in retired { eraseRetired(token) }
    return [token]
  }

  package func removeSource(_ id: String) {
    let tokens = sources.tokens(ofID: id)
    for token in tokens { token.raiseGeneration() }
    for token in tokens { token.entry.forgetWhatIsKept() }
    erase(source: id)
  }

  package func removeBlocks(_ range: ByteRange, of source: SourceDescription) {
    let tokens = tokens(of: source)
    for token in tokens { token.raiseGeneration() }
    guard let range = ByteRanges.intersection(range, 0..<source.byteCount) else { return }
    for token in tokens { erase(token.grid.outward(range, in: token.source.byteCount), of: token) }
  }

  package func removeEverything() -> ChunkRemoval {
    for token in sources.all {
      token.raiseGeneration()
      token.entry.forgetWhatIsKept()
    }
    eraseAll()
    return ChunkRemoval()
  }
}

private enum UnreservedTurns {
  static let permits = Permits(4)
  static let nobodyCloses = WaiterRegistry()
}
