// What is fetched with missing bytes.

extension CachingStage {
  /// What to fetch where a stretch is missing: the stretch, its blocks, or more.
  struct Widening: Sendable {
    enum Extent: Equatable, Sendable {
      case exact
      case blocks
      /// The blocks of this grid, which are the cache's or longer ones.
      case extents(BlockGrid)
    }

    private let store: any FullChunkStore
    private let token: ChunkToken
    private let extent: Extent
    private let byteCount: Int

    init(_ store: any FullChunkStore, _ token: ChunkToken, _ extent: Extent, in byteCount: Int) {
      self.store = store
      self.token = token
      self.extent = extent
      self.byteCount = byteCount
    }

    func of(_ gap: ByteRange) -> ByteRange {
      guard extent != .exact else { return gap }
      let blocks = token.grid.outward(gap, in: byteCount)
      guard case .extents(let coarse) = extent, coarse != token.grid else { return blocks }
      let wide = coarse.outward(blocks, in: byteCount)
      let size = token.grid.blockSize
      var (lower, upper) = (blocks.lowerBound, blocks.upperBound)
      // Only up to what is here already.
      while lower > wide.lowerBound, !isHere(lower - size..<lower) { lower -= size }
      while upper < wide.upperBound {
        let end = min(ByteRanges.sum(upper, size), byteCount)
        guard !isHere(upper..<end) else { break }
        upper = end
      }
      return lower..<upper
    }

    private func isHere(_ block: ByteRange) -> Bool { store.holds(block, token: token.number, grid: token.grid) }
  }

  /// What a read fetches where bytes are missing, before it goes on.
  func widening(_ request: ReadRequest, _ token: ChunkToken, _ next: ReadNext) -> Widening {
    Widening(store, token, extent(request, token.grid, next), in: request.source.byteCount)
  }

  private func extent(_ request: ReadRequest, _ grid: BlockGrid, _ next: ReadNext) -> Widening.Extent {
    switch fill {
    case .exact, .requestedFirst: return .exact
    case .block: return .extents(fetchGrid(of: request.source, grid))
    case .automatic:
      guard !request.moreRanges.isEmpty, store.keepsPartsOfBlocks else {
        return .extents(fetchGrid(of: request.source, grid))
      }
      // As far as is known: a stage that gathers nothing knows of no cost.
      guard store.mayOutliveProcess, let gathering = next.gathering(of: request.source) else { return .exact }
      return grid.blockSize <= gathering.gap ? .blocks : .exact
    }
  }

  /// The grid of what is fetched at once: the cache's, or a coarser one if the source says so and no block size was set.
  func fetchGrid(of source: SourceDescription, _ grid: BlockGrid) -> BlockGrid {
    guard !hasOwnBlockSize, let size = source.fetchSize, size > grid.blockSize else { return grid }
    return BlockGrid(blockSize: size) ?? grid
  }
}
