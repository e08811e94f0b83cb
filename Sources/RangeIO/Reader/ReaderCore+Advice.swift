extension ReaderCore {
  /// Acts on a hint from the caller about a range.
  func advise(_ advice: ReadAdvice, _ range: ByteRange) {
    guard gate.enter() else { return }
    defer { gate.leave() }
    let source = source
    guard let range = ByteRanges.intersection(range, 0..<source.byteCount), source.isSettled else { return }
    switch advice {
    case .willRead where head.isKept:
      // The result is not reported to anyone.
      _ = head.startFlightElsewhere { [head] in await Self.fetch(range, of: source, by: head) }
    case .discard:
      head.discard(range, of: source)
      fallthrough
    case .willRead:
      guard source.base == nil else { return }
      link.source.advise(advice, range, of: source)
    }
  }

  /// How many parts of a hint may be in flight at once.
  private static let mostHintedParts = 4

  /// Reads the part of `range` that the cache will keep, a few parts at once. Stops when a part fails.
  private static func fetch(_ range: ByteRange, of source: SourceDescription, by head: ReadNext) async {
    let kept = head.kept(of: range, of: source)
    let length = FlightTable.longestFlight
    var start = kept.lowerBound
    await withTaskGroup(of: Bool.self) { group in
      func fetchNext() {
        guard start < kept.upperBound else { return }
        var request = ReadRequest(start..<start + min(length, kept.upperBound - start), of: source)
        start = request.range.upperBound
        request.purpose = .prefetch
        group.addTask { [request] in (try? await head(request)) != nil }
      }
      for _ in 0..<mostHintedParts { fetchNext() }
      var goesOn = true
      for await isHere in group {
        goesOn = goesOn && isHere
        if goesOn { fetchNext() }
      }
    }
  }
}
