// What other stages ask a cache, apart from reads.

extension CachingStage: RoleStage, CacheStage {
  var role: StageRole { .caching(self) }

  var aheadBudget: ReadAheadBudget? { store.aheadBudget }

  func sharesStore(with other: any CacheStage) -> Bool {
    guard let other = other as? CachingStage else { return false }
    return store.sources === other.store.sources
  }

  func missing(_ range: ByteRange, of source: SourceDescription, forReadsOf count: Int) -> [ByteRange] {
    // Reads that bypass the cache keep nothing.
    guard count <= maxReadSize, whyLeftAlone(source) == nil, let token = token(of: source) else { return [] }
    let isExact = fill == .exact || fill == .automatic && traits.keepsPartsOfBlocks && !traits.mayOutliveProcess
    let wide = isExact ? range : token.grid.outward(range, in: source.byteCount)
    let blocks = token.grid.pieces(of: wide).lazy.map(\.range)
    let absent = ByteRanges.normalize(blocks.filter { !self.store.holds($0, token: token.number, grid: token.grid) })
    return absent.flatMap { token.flights.uncovered($0) }
  }

  func kept(of range: ByteRange, of source: SourceDescription) -> ByteRange {
    guard whyLeftAlone(source) == nil, let token = token(of: source),
      let first = token.grid.pieces(of: range).first?.range
    else {
      // Its read bypasses the store.
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

  /// True if the store would keep a run that starts with this block, including bookkeeping if the store counts that.
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

extension CachingStage {
  /// The most blocks explained at once: a store answers for each block separately.
  private static let explainedBlocks = 4096

  /// Tells what the store holds, what is in flight, and where the rest comes from, each with the reason why it is not
  /// nearer.
  func explain(
    _ range: ByteRange, of source: SourceDescription, next: ReadNext
  ) -> [ReadExplanation.Part] {
    func bypassing(_ why: String) -> [ReadExplanation.Part] {
      next.explain(range, of: source).map { $0.adding([.init(.cache, why)]) }
    }
    if let why = whyLeftAlone(source) { return bypassing(why) }
    guard range.count <= maxReadSize else { return bypassing("ranges of more than \(maxReadSize) bytes bypass it") }
    guard let token = token(of: source) else { return bypassing("a longer version of the source is read by now") }
    let found = explainStored(range, token)
    let isFirst =
      touched.map { !$0.remembers(Self.touchHash(range.lowerBound >> token.grid.shift, token.number)) } ?? false
    let bypasses = admission != nil && token.isBypassing
    // Like a read: if some of it must be loaded, the rest is stored together with it; otherwise the rest bypasses the
    // store.
    if isFirst || bypasses, found.allSatisfy({ $0.origin == .source || $0.origin == .memory }) {
      let why =
        isFirst
        ? "it keeps what is read again, and these bytes are read for the first time"
        : token.admission.current.whyBypassing
      return found.flatMap { part in
        guard part.origin == .source else { return [part] }
        return next.explain(part.range, of: source).map { $0.adding([.init(.cache, why)]) }
      }.joined()
    }
    return found.lookingFurther { missing in
      let parts = explainMissing(missing, of: source, token, next)
      guard touched != nil else { return parts }
      return parts.map { part in
        guard part.origin == .source else { return part }
        return part.adding([.init(.cache, "it keeps what is read again, and these bytes were read once")])
      }
    }
  }

  /// The store's answer, with neighbours joined.
  private func explainStored(_ range: ByteRange, _ token: ChunkToken) -> [ReadExplanation.Part] {
    let step = Self.explainedBlocks << token.grid.shift
    let parts = stride(from: range.lowerBound, to: range.upperBound, by: step).flatMap { start in
      let some = start..<start + min(step, range.upperBound - start)
      return store.explain(some, token: token.number, grid: token.grid).joined()
    }
    return parts.joined()
  }

  private func explainMissing(
    _ missing: ByteRange, of source: SourceDescription, _ token: ChunkToken, _ next: ReadNext
  ) -> [ReadExplanation.Part] {
    let flying = token.flights.covered(missing)
    let onTheirWay = flying.map { part, purpose in
      ReadExplanation.Part(part, .flight, detail: purpose == .demand ? nil : "read ahead; no read waits for it yet")
    }
    let rest = ByteRanges.gaps(in: missing, covered: flying.map(\.range)).flatMap { gap in
      next.explain(gap, of: source).map { part in
        var part = part.adding([.init(.flight, "no read of it is under way")])
        if (fill == .block || fill == .automatic), part.origin == .source, part.detail == nil {
          let whole = wideningNow(gap, of: source, token, next).of(gap)
          if whole != gap { part.detail = "as part of whole blocks, \(whole)" }
        }
        return part
      }
    }
    return (onTheirWay + rest).sorted { $0.range.lowerBound < $1.range.lowerBound }
  }
}
