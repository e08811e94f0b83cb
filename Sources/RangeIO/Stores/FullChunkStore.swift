/// A store with everything that caches and stores of several tiers ask of one: a map from blocks to bytes. The library's
/// stores implement it; ``AdaptedStore`` makes one of any other store.
///
/// Tokens are named by their numbers where a hit passes, since that is all that its path has.
package protocol FullChunkStore: ChunkStore {
  /// Returns the bytes of `range` if all of them are in memory and in one block. Most hits take this path.
  ///
  /// `nil` does not mean a miss: ``lookUp(_:token:grid:)`` is called next, and updates the counters, unless `isAbsent` was
  /// set and ``MemoryStore/noteMiss(_:token:grid:isFirst:)`` counts it.
  ///
  /// - Parameter isAbsent: set if the range lies in one block and nothing of that block is here.
  /// - Complexity: allocates nothing.
  func hit(_ range: ByteRange, token: UInt64, grid: BlockGrid, isAbsent: inout Bool) -> Bytes?

  /// A read that begins at `offset` is on its way through the stages above: the processor may begin to fetch what the
  /// look-up will need. By default does nothing.
  func expect(_ offset: Int, token: UInt64, grid: BlockGrid)

  /// Returns what the store holds of `range` under the token with this number, on `grid`.
  func lookUp(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> ChunkLookup

  /// The parts of `range` that the store holds, in order. Does not count as a read.
  func coverage(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ByteRange]

  /// Checks whether the store holds all of `range`. Does not count as a read.
  func holds(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool

  /// Tells where the bytes of `range` would come from if they were looked up now, for `RangeReader.explain(_:)`.
  ///
  /// Returns parts in order that together make up `range`. A part that is not here has the origin
  /// ``ReadExplanation/Origin/source`` and the reason. Does not count as a read.
  func explain(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ReadExplanation.Part]

  /// The room for what is read ahead, which is not evicted while its ``ChunkReservation/hold`` lasts. By default `nil`: it is
  /// evicted like the rest.
  var aheadBudget: ReadAheadBudget? { get }

  /// Keeps a chunk that the tier above has evicted, or drops it. Returns `true` if all of it is kept.
  @discardableResult func insertDemoted(_ chunk: Chunk) -> Bool

  /// Erases a scope. Returns what is still to be freed.
  @discardableResult func erase(_ scope: ChunkScope) -> ChunkRemoval

  /// Does what an order says, as far as it concerns this store.
  @discardableResult func change(_ order: StoreOrder) -> StoreOrder.Outcome

  /// Copies of the resident chunks, a few with each step, for a lower tier that outlives the process. Chunks that are
  /// added or removed during the iteration may or may not be included. By default empty.
  func residents() -> AnyIterator<[Chunk]>

  /// Sends all chunks that are evicted to make room to `outlet` from now on. Called once, before the store is used. By
  /// default does nothing.
  func sendEvictions(to outlet: any EvictionSink)
}

extension FullChunkStore {
  // By default all requests go to `lookUp`.

  package func hit(_ range: ByteRange, token: UInt64, grid: BlockGrid, isAbsent: inout Bool) -> Bytes? { nil }
  package func expect(_ offset: Int, token: UInt64, grid: BlockGrid) {}
  package var aheadBudget: ReadAheadBudget? { nil }

  package func hit(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bytes? {
    var isAbsent = false
    return hit(range, token: token, grid: grid, isAbsent: &isAbsent)
  }

  package func lookUp(_ range: ByteRange, of token: ChunkToken) -> ChunkLookup {
    lookUp(range, token: token.number, grid: token.grid)
  }

  package func holds(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool {
    ByteRanges.gaps(in: range, covered: coverage(range, token: token, grid: grid)).isEmpty
  }

  /// The current time by the store's clock.
  package var now: ReadClock.Instant { traits.time.now }

  /// Checks whether the store holds some of `range`. Does not count as a read.
  package func holdsSome(of range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool {
    !coverage(range, token: token, grid: grid).isEmpty
  }

  @discardableResult package func insertDemoted(_ chunk: Chunk) -> Bool { insertPieces(of: chunk) }

  @discardableResult package func erase(_ scope: ChunkScope) -> ChunkRemoval {
    eraseTokens(of: scope)
    return ChunkRemoval()
  }

  /// Erases what tokens lead to, then what none leads to.
  package func eraseTokens(of scope: ChunkScope) {
    for (token, range) in sources.parts(of: scope) { erase(range, of: token) }
    switch scope {
    case .source(let id): erase(source: id)
    case .everything: erase(source: nil)
    case .range, .promoted, .retired, .version: return
    }
  }

  @discardableResult package func change(_ order: StoreOrder) -> StoreOrder.Outcome { .notHere }
  package func residents() -> AnyIterator<[Chunk]> { AnyIterator { nil } }
  package func sendEvictions(to outlet: any EvictionSink) {}
}

extension FullChunkStore {
  /// Removes a scope, for users: no read can publish any of it until it is erased everywhere, nor what it was asked for before.
  @discardableResult package func remove(_ scope: ChunkScope) -> ChunkRemoval {
    var isWhole = true
    if case .version(let source, _) = scope {
      // What an earlier process has left of it may have no token yet.
      _ = tokens(of: source)
      isWhole = false
    }
    var removal = ChunkRemoval()
    sources.removing(scope) { tokens in
      // Pins first: a chunk that is added in between is not pinned, or is erased with the rest.
      if isWhole { for token in tokens { token.entry.forgetWhatIsKept() } }
      removal = erase(scope)
    }
    return removal
  }

  func has(_ range: ByteRange, of source: SourceDescription) -> Bool {
    guard source.has(range), !range.isEmpty else { return range.isEmpty }
    return tokens(of: source).contains { holds(range, token: $0.number, grid: $0.grid) }
  }

  /// The tokens of a version. Makes one if only an earlier process may have left chunks of it.
  package func tokens(of source: SourceDescription) -> [ChunkToken] {
    let known = sources.tokens(of: source)
    guard known.isEmpty, traits.mayOutliveProcess, let grid = BlockGrid(blockSize: source.preferredBlockSize.bytes)
    else {
      return known
    }
    return [token(of: source, on: grid, reading: false)]
  }

  /// This store's token for `source` on `grid`. Erases the versions that it replaces.
  ///
  /// - Parameter reading: whether the source counts as being read for as long as the store lives, for code that uses a
  ///   store without a stage: trace replay and tests.
  package func token(of source: SourceDescription, on grid: BlockGrid, reading: Bool = true) -> ChunkToken {
    let (token, retired) = sources.token(for: source, grid: grid, reading: reading)
    for token in retired { erase(.retired(token)) }
    return token
  }
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

  /// The encoding in which chunks may come. By default `nil`: they may not come encoded.
  var takesEncodedBy: ChunkEncoding? { get }
}

extension EvictionSink {
  var takesEncodedBy: ChunkEncoding? { nil }
}

/// A reference to a sink that can be published atomically.
package final class EvictionSinkBox: Sendable {
  package let outlet: any EvictionSink

  package init(_ outlet: any EvictionSink) { self.outlet = outlet }
}

/// The end of a removal, whose chunks can no longer be found. Their memory is freed as this is iterated, when others
/// need the room, or all at once when it is released.
package struct ChunkRemoval: AsyncSequence, Sendable {
  /// The bytes freed so far, as charged, and all that there are to free.
  package typealias Progress = (removedBytes: Int, totalBytes: Int)

  /// Frees one part; `nil` when everything is freed. Releasing the closure frees the rest.
  private let step: @Sendable () -> Progress?

  /// - Parameter step: by default there is nothing to free.
  package init(step: @escaping @Sendable () -> Progress? = { nil }) { self.step = step }

  package func makeAsyncIterator() -> Iterator { Iterator(step: step) }

  /// Frees one part with each element. Never waits, and yields to other tasks in between. Ends early if others free the
  /// rest.
  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let step: @Sendable () -> Progress?

    package mutating func next() async -> Progress? { await next(isolation: nil) }

    /// Frees the next part and returns the progress; `nil` when everything is freed.
    package mutating func next(isolation actor: isolated (any Actor)?) async -> Progress? {
      guard let progress = step() else { return nil }
      await Task.yield()
      return progress
    }
  }
}
