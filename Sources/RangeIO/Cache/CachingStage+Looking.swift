// What other stages ask a cache, apart from reads.

extension CachingStage: CacheStage {
  func sharesStore(with other: any CacheStage) -> Bool {
    guard let other = other as? CachingStage else { return false }
    return store.sources === other.store.sources
  }

  func missing(_ range: ByteRange, of source: SourceDescription, forReadsOf count: Int) -> [ByteRange] {
    // What is read past the cache is not kept, by any read.
    guard count <= largest, source.isSettled, let token = token(of: source) else { return [] }
    let wide = fill == .exact ? range : token.grid.outward(range, in: source.byteCount)
    let blocks = token.grid.pieces(of: wide).lazy.map(\.range)
    let absent = ByteRanges.normalize(blocks.filter { !self.store.holds($0, token: token.number, grid: token.grid) })
    return absent.flatMap { token.flights.uncovered($0) }
  }

  func kept(of range: ByteRange, of source: SourceDescription) -> ByteRange {
    guard let token = token(of: source), let first = token.grid.pieces(of: range).first?.range else {
      // It is read past the store.
      return range.lowerBound..<range.lowerBound
    }
    var count = range.count
    while count > 0 {
      // If a request is too large, the store refuses it before anything is fetched.
      if isAdmitted(first.clamped(to: range), ofRun: count, token) { break }
      count /= 2
    }
    return range.lowerBound..<range.lowerBound + count
  }

  /// Whether the store would keep a run that starts with this block, including bookkeeping if the store counts that.
  private func isAdmitted(_ first: ByteRange, ofRun count: Int, _ token: ChunkToken) -> Bool {
    func charge(ofRun count: Int) -> Int? {
      guard let reservation = store.reserve(first, ofRun: count, for: token) else { return nil }
      store.cancel(reservation)
      return reservation.byteCount
    }
    guard let one = charge(ofRun: count) else { return false }
    let (all, overflow) = one.multipliedReportingOverflow(by: count >> token.grid.shift)
    guard !overflow else { return false }
    return all <= count || charge(ofRun: all) != nil
  }

  func discard(_ range: ByteRange, of source: SourceDescription) {
    guard let token = token(of: source) else { return }
    let grid = token.grid
    // Only blocks that lie fully within the range: neighbours keep theirs.
    let lower = grid.blocks(covering: 0..<range.lowerBound).upperBound
    let upper =
      range.upperBound >= source.byteCount
      ? grid.blocks(covering: 0..<source.byteCount).upperBound
      : grid.block(at: range.upperBound)
    guard lower < upper else { return }
    store.erase(lower << grid.shift..<grid.range(of: upper - 1, in: source.byteCount).upperBound, of: token)
  }
}
