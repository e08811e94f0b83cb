/// A store with everything that ``Caching`` and `TieredChunkStore` ask of one. The library's stores implement it;
/// ``AdaptedStore`` makes one of any other store.
///
/// Tokens are named by their numbers here, since that is all that the path of a hit has.
package protocol FullChunkStore: ChunkStore {
  /// Returns the bytes of `range` if all of them are in memory and in one block. Most hits take this path.
  ///
  /// `nil` does not mean a miss: ``lookUp(_:token:grid:)`` is called next, and updates the counters; or
  /// ``noteMiss(_:token:grid:isFirst:)``, if `isAbsent` was set.
  ///
  /// - Parameter isAbsent: set if the range lies in one block and nothing of that block is here.
  /// - Complexity: allocates nothing.
  func hit(_ range: ByteRange, token: UInt64, grid: BlockGrid, isAbsent: inout Bool) -> Bytes?

  /// Counts as a miss what ``hit(_:token:grid:isAbsent:)`` has found to be absent. By default does nothing.
  ///
  /// - Parameter isFirst: whether it was not read lately, so that a store of another size would not keep it, either.
  func noteMiss(_ range: ByteRange, token: UInt64, grid: BlockGrid, isFirst: Bool)

  /// A read that begins at `offset` is on its way through the stages above: the processor may begin to fetch what the
  /// look-up will need. By default does nothing.
  func expect(_ offset: Int, token: UInt64, grid: BlockGrid)

  /// Returns what the store holds of `range` under the token with this number, on `grid`.
  func lookUp(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> ChunkLookup

  /// Whether the store holds all of `range`. Does not count as a read.
  func holds(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool

  /// Whether the store holds some of `range`. Does not count as a read.
  func holdsSome(of range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool

  /// Tells where the bytes of `range` would come from if they were looked up now, for `RangeReader.explain(_:)`.
  ///
  /// Returns parts in order that together make up `range`. A part that is not here has the origin
  /// ``ReadExplanation/Origin/source`` and the reason. Does not count as a read. By default asks
  /// ``holds(_:token:grid:)`` block by block.
  func explain(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ReadExplanation.Part]

  /// Waits for a turn to read without a reservation. This also bounds the memory that such reads use together.
  nonisolated(nonsending) func enterUnreserved() async throws

  /// Ends the turn.
  func leaveUnreserved()

  /// The current time, for the age of chunks.
  var now: ReadInstant { get }

  /// Erases all versions of the source with this id. By default calls ``ChunkStore/erase(_:of:)`` for each token, then
  /// ``ChunkStore/eraseLeftovers(of:)``.
  func erase(source id: String)

  /// Erases everything. By default in the same way as ``erase(source:)``.
  func eraseAll()

  /// Erases all chunks of a retired token. By default calls ``erase(_:of:)`` for the whole source.
  func eraseRetired(_ token: ChunkToken)

  /// The codec by which demoted chunks may come encoded: they are kept like that. By default `nil`: they may not.
  var takesEncodedBy: (any ChunkCodec)? { get }

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

  /// The bytes that the store may hold now, if it is one tier in memory, for which a cache can find out whether keeping
  /// more pays. By default `nil`.
  var memoryCapacity: Int? { get }

  /// Whether so many bytes more can be kept without evicting others. By default `false`.
  func hasRoom(for byteCount: Int) -> Bool

  /// Whether the store keeps parts of blocks, not only whole blocks. By default `false`.
  var keepsPartsOfBlocks: Bool { get }

  /// Where the store runs its background work. By default Swift's own threads.
  var background: BackgroundWork { get }

  // What users call `contains`, `remove`, `pin` and so on. Named apart, so that the one does not call itself.

  func has(_ range: ByteRange, of source: SourceDescription) -> Bool
  func removeSource(_ id: String)
  func removeBlocks(_ range: ByteRange, of source: SourceDescription)
  func removeEverything() -> ChunkRemoval
  func pinBlocks(_ range: ByteRange, of source: SourceDescription) throws
  func unpinBlocks(_ range: ByteRange, of source: SourceDescription)
  func keepMetadata(_ metadata: Bytes?, of source: SourceDescription) throws
  func relieveMemory(_ pressure: MemoryPressure)
  func limitTime(age: Duration?, idle: Duration?)

  /// Removes chunks that are older, or have been idle for longer, than the limits allow. A timer calls this.
  func removeExpired()
}

extension AnyIterator<[Chunk]> {
  /// Copies of the chunks of `shardCount` shards, one shard after the other. `step`: copies a few chunks of a shard
  /// from a place on, and returns where to continue; `nil` at its end.
  package static func steps(
    through shardCount: Int, _ step: @escaping (_ shard: Int, _ first: Int) -> ([Chunk], Int?)
  ) -> AnyIterator {
    var (shard, first) = (0, 0)
    return AnyIterator {
      guard shard < shardCount else { return nil }
      let (chunks, next) = step(shard, first)
      (shard, first) = next.map { (shard, $0) } ?? (shard + 1, 0)
      return chunks
    }
  }
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

  /// The codec by which chunks may come encoded. By default `nil`: they may not.
  var takesEncodedBy: (any ChunkCodec)? { get }
}

extension EvictionSink {
  package var takesEncodedBy: (any ChunkCodec)? { nil }
}

/// A reference to a sink that can be published atomically.
package final class EvictionSinkBox: Sendable {
  package let outlet: any EvictionSink

  package init(_ outlet: any EvictionSink) { self.outlet = outlet }
}

extension FullChunkStore {
  /// By default `nil`: all requests go to ``lookUp(_:token:grid:)``.
  package func hit(_ range: ByteRange, token: UInt64, grid: BlockGrid, isAbsent: inout Bool) -> Bytes? { nil }

  package func hit(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bytes? {
    var isAbsent = false
    return hit(range, token: token, grid: grid, isAbsent: &isAbsent)
  }

  package func noteMiss(_ range: ByteRange, token: UInt64, grid: BlockGrid, isFirst: Bool) {}

  /// By default does nothing.
  package func expect(_ offset: Int, token: UInt64, grid: BlockGrid) {}

  package func lookUp(_ range: ByteRange, of token: ChunkToken) -> ChunkLookup {
    lookUp(range, token: token.number, grid: token.grid)
  }

  package func erase(source id: String) {
    for token in sources.tokens(ofID: id) { eraseWhole(token) }
    eraseLeftovers(of: id)
  }

  package func eraseAll() {
    for token in sources.all { eraseWhole(token) }
    eraseLeftovers(of: nil)
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

  package var takesEncodedBy: (any ChunkCodec)? { nil }

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

  package func leaveUnreserved() { UnreservedTurns.permits.leave() }

  package func has(_ range: ByteRange, of source: SourceDescription) -> Bool {
    guard source.has(range), !range.isEmpty else { return range.isEmpty }
    return tokens(of: source).contains { holds(range, token: $0.number, grid: $0.grid) }
  }

  /// The tokens of a version. Makes one if only an earlier process may have left chunks of it.
  package func tokens(of source: SourceDescription) -> [ChunkToken] {
    let known = sources.tokens(of: source)
    guard known.isEmpty, mayOutliveProcess, let grid = BlockGrid(blockSize: source.preferredBlockSize) else {
      return known
    }
    return [token(of: source, on: grid, reading: false)]
  }

  package func removeSource(_ id: String) {
    let tokens = sources.tokens(ofID: id)
    for token in tokens { token.raiseGeneration() }
    // Pins first: a chunk that is added in between is not pinned, or is erased with the rest.
    for token in tokens { token.entry.forgetWhatIsKept() }
    erase(source: id)
  }

  package func removeBlocks(_ range: ByteRange, of source: SourceDescription) {
    let tokens = tokens(of: source)
    for token in tokens { token.raiseGeneration(of: token.grid.outward(range, in: .max)) }
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

  /// This store's token for `source` on `grid`. Erases the versions that it replaces.
  ///
  /// - Parameter reading: whether the source counts as being read for as long as the store lives, for code that uses a
  ///   store without the `Caching` stage: trace replay and tests.
  package func token(of source: SourceDescription, on grid: BlockGrid, reading: Bool = true) -> ChunkToken {
    let (token, retired) = sources.token(for: source, grid: grid, reading: reading)
    for token in retired { eraseRetired(token) }
    return token
  }

  // By default there is no memory to pin, keep or free, and no limit of time.

  package var memoryCapacity: Int? { nil }
  package func hasRoom(for byteCount: Int) -> Bool { false }
  package var keepsPartsOfBlocks: Bool { false }
  package var background: BackgroundWork { BackgroundWork() }
  package func pinBlocks(_ range: ByteRange, of source: SourceDescription) throws { throw Self.keepsNo("pins") }
  package func unpinBlocks(_ range: ByteRange, of source: SourceDescription) {}
  package func keepMetadata(_ metadata: Bytes?, of source: SourceDescription) throws { throw Self.keepsNo("metadata") }
  package func relieveMemory(_ pressure: MemoryPressure) {}
  package func limitTime(age: Duration?, idle: Duration?) {}
  package func removeExpired() {}

  package static func keepsNo(_ what: String) -> ReadError {
    ReadError(
      .invalidConfiguration, "neither this store nor one that it is composed of keeps \(what): a MemoryStore does")
  }
}

/// The turns of all stores in the process that have none of their own.
private enum UnreservedTurns {
  static let permits = Permits(4)
  static let nobodyCloses = WaiterRegistry()
}

extension ChunkStore {
  /// This store with everything that a cache asks of one. Costs a dynamic cast: resolve it once, not for each read.
  package var full: any FullChunkStore { self as? any FullChunkStore ?? AdaptedStore(self) }
}
