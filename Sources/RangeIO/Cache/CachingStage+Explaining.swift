extension CachingStage: ExplainingStage {
  /// How many blocks are explained at once: a store answers for each block separately.
  private static let explainedBlocks = 4096

  /// Tells what the store holds, what is in flight, and where the rest comes from, each with the reason why it is not
  /// nearer.
  func explain(
    _ range: ByteRange, of source: SourceDescription, next: ReadNext
  ) -> [ReadExplanation.Part] {
    func past(_ why: String) -> [ReadExplanation.Part] {
      next.explain(range, of: source).map { $0.adding([.init(.cache, why)]) }
    }
    guard source.isSettled else { return past("the source was changed a moment ago, and may be changing still") }
    guard range.count <= largest else { return past("ranges of more than \(largest) bytes bypass it") }
    guard let token = token(of: source) else { return past("a longer version of the source is read by now") }
    let found = explainStored(range, token)
    let isFirst = touched.map { !$0.remembers(Self.touchHash(range, token)) } ?? false
    // Like a read: if some of it must be loaded, the rest is stored together with it; otherwise the rest goes past the
    // store.
    if isFirst, found.allSatisfy({ $0.origin == .source || $0.origin == .memory }) {
      let why = "it keeps what is read again, and these bytes are read for the first time"
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

  /// Explains what the store lacks.
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
        if fill == .block, part.origin == .source, part.detail == nil {
          let whole = token.grid.outward(gap, in: source.byteCount)
          if whole != gap { part.detail = "as part of whole blocks, \(whole)" }
        }
        return part
      }
    }
    return (onTheirWay + rest).sorted { $0.range.lowerBound < $1.range.lowerBound }
  }
}
