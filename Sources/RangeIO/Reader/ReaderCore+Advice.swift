extension ReaderCore {
  /// What the user expects of a range.
  func advise(_ advice: ReadAdvice, _ range: ByteRange) {
    guard gate.enter() else { return }
    defer { gate.leave() }
    let source = source
    guard let range = ByteRanges.intersection(range, 0..<source.byteCount), source.isSettled else { return }
    switch advice {
    case .willRead where head.isKept:
      var request = ReadRequest(range, of: source)
      request.purpose = .prefetch
      // It is told nobody what becomes of it.
      _ = head.startFlightElsewhere { [head, request] in _ = try? await head(request) }
    case .discard:
      head.discard(range, of: source)
      fallthrough
    case .willRead:
      guard source.base == nil else { return }
      link.source.advise(advice, range, of: source)
    }
  }
}
