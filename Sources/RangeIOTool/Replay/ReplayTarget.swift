#if Tool
import RangeIO
import RangeIOTiers

/// A cache above a source, through which the reads of a trace go one after the other.
protocol ReplayTarget {
  /// Reads `range`, which must not be empty and must be within the source.
  ///
  /// - Parameter fetched: the ranges fetched from the source during this are appended: whole blocks; the last block is
  ///   cut at the end of the source.
  mutating func read(_ range: ByteRange, fetched: inout [ByteRange]) async throws
}

/// A memory store alone. Missing blocks are fetched here, as the stage would do it, but without its cost.
struct StoreTarget: ReplayTarget {
  private let store: MemoryStore
  private let token: ChunkToken
  private let source: MadeUpSource

  init(_ store: MemoryStore, _ grid: BlockGrid, _ source: MadeUpSource) {
    self.store = store
    self.source = source
    token = store.token(of: source.description, on: grid)
  }

  mutating func read(_ range: ByteRange, fetched: inout [ByteRange]) throws {
    if store.hit(range, token: token.number, grid: token.grid) != nil { return }
    let gaps: [ByteRange]
    switch store.lookUp(range, token: token.number, grid: token.grid) {
    case .hit: return
    case .partial(_, _, let missing): gaps = missing
    case .miss: gaps = [range]
    }
    for gap in gaps { fetch(token.grid.outward(gap, in: source.byteCount), fetched: &fetched) }
  }

  private func fetch(_ range: ByteRange, fetched: inout [ByteRange]) {
    fetched.append(range)
    let ticket = token.ticket(fetchedAt: store.now)
    let reservation = store.reserve(range, ofRun: range.count, for: token)
    let bytes = source.bytes(of: range)
    guard let reservation else { return }
    store.insert(bytes, at: range, ticket: ticket, reservation: reservation)
  }
}

/// A store with tiers alone, as `StoreTarget` is for a memory store. Evicted blocks are moved, and are on the disk if
/// there is one, before the next read: so the counts do not depend on how fast the machine compresses and writes.
struct TierTarget: ReplayTarget {
  let store: TieredStore
  private let executor: SteppingExecutor
  private let token: ChunkToken
  private let source: MadeUpSource

  init(
    _ tiers: ReplayTiers, _ budget: ByteCount, _ options: ReplayOptions, _ policy: Eviction,
    _ source: MadeUpSource
  ) async throws {
    executor = SteppingExecutor()
    store = try await tiers.store(budget, options, policy, executor)
    self.source = source
    token = store.token(of: source.description, on: options.grid)
  }

  mutating func read(_ range: ByteRange, fetched: inout [ByteRange]) throws {
    if store.hit(range, token: token.number, grid: token.grid) != nil { return }
    var gaps: [ByteRange] = []
    switch store.lookUp(range, token: token.number, grid: token.grid) {
    case .hit: break
    case .partial(_, let held, let missing):
      gaps = missing
      // A piece that cannot be loaded counts as missing. The codecs used here never fail.
      for piece in held {
        guard case .here(_?) = piece.loader.answer() else {
          gaps.append(piece.wanted)
          continue
        }
      }
    case .miss: gaps = [range]
    }
    for gap in gaps { fetch(token.grid.outward(gap, in: source.byteCount), fetched: &fetched) }
    executor.run()
  }

  private func fetch(_ range: ByteRange, fetched: inout [ByteRange]) {
    fetched.append(range)
    let ticket = token.ticket(fetchedAt: store.now)
    let reservation = store.reserve(range, ofRun: range.count, for: token)
    let bytes = source.bytes(of: range)
    guard let reservation else { return }
    store.insert(bytes, at: range, ticket: ticket, reservation: reservation)
  }
}

/// A reader with a `.caching` stage and a store, as in a program.
struct ReaderTarget: ReplayTarget {
  private let reader: RangeReader
  private let source: MadeUpSource

  init(_ store: MemoryStore, _ grid: BlockGrid, _ source: MadeUpSource) async throws {
    self.source = source
    reader = try await RangeReader(source, [.caching(store, blockSize: .bytes(grid.blockSize))])
  }

  /// Closes the reader.
  func close() async {
    ReaderLog.note("the cache", reader)
    await reader.close()
  }

  mutating func read(_ range: ByteRange, fetched: inout [ByteRange]) async throws {
    _ = try await reader.read(range)
    source.takeReads(into: &fetched)
  }
}
#endif
