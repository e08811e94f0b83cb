// What is fetched with missing bytes.

extension CachingStage {
  /// Extends a missing stretch to the range to fetch for it: the stretch, its blocks, or more.
  struct Widening: Sendable {
    enum Extent: Equatable, Sendable {
      case exact
      case blocks
      /// The blocks of this grid, which are longer than the cache's.
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
      guard case .extents(let coarse) = extent else { return blocks }
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

  /// The widening of a read that is about to fetch missing bytes.
  func widening(_ request: ReadRequest, _ token: ChunkToken, _ next: ReadNext) -> Widening {
    Widening(store, token, extent(request, token.grid, next), in: request.source.byteCount)
  }

  /// The widening that a read of one range would have now.
  func wideningNow(_ range: ByteRange, of source: SourceDescription, _ token: ChunkToken, _ next: ReadNext) -> Widening
  {
    let blocks = hasOwnBlockSize ? 1 : source.fetchBlocks
    return Widening(store, token, extent(of: blocks, range, source, token.grid, next), in: source.byteCount)
  }

  private func extent(_ request: ReadRequest, _ grid: BlockGrid, _ next: ReadNext) -> Widening.Extent {
    switch fill {
    case .exact, .requestedFirst: return .exact
    // Who names several ranges, or asks ahead, has said what is wanted.
    case .automatic where traits.keepsPartsOfBlocks && (!request.moreRanges.isEmpty || request.purpose == .prefetch):
      return extent(of: 0, request.range, request.source, grid, next)
    case .block, .automatic:
      let isAlone = request.moreRanges.isEmpty && request.purpose == .demand && !hasOwnBlockSize
      let blocks = isAlone ? request.source.fetchBlocks(with: request.range, on: grid) : 1
      // One of many tasks, like one of many ranges in a call: unless more than a block was of use lately, exactly the range.
      if isAlone, blocks == 1, fill == .automatic, traits.keepsPartsOfBlocks, lines.isBusy(request.source, next) {
        return .exact
      }
      return extent(of: blocks, request.range, request.source, grid, next)
    }
  }

  private func extent(
    of blocks: Int, _ range: ByteRange, _ source: SourceDescription, _ grid: BlockGrid, _ next: ReadNext
  ) -> Widening.Extent {
    guard blocks == 0 else {
      // Around a range that is longer than that there is nothing to gain.
      guard blocks > 1, let coarse = BlockGrid(blockSize: blocks << grid.shift), range.count < coarse.blockSize else {
        return .blocks
      }
      return .extents(coarse)
    }
    guard fill == .automatic, traits.keepsPartsOfBlocks else { return .blocks }
    // As far as is known: a stage that gathers nothing knows of no cost.
    guard traits.mayOutliveProcess, let gathering = next.gathering(of: source) else { return .exact }
    return grid.blockSize <= gathering.gap ? .blocks : .exact
  }
}
