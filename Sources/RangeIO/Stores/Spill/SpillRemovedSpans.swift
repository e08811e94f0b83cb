/// Blocks of one source that are already removed, so that removing them again need not be written down. Only a few
/// spans, since forgetting one only costs another tombstone.
struct SpillRemovedSpans {
  /// In order, disjoint, and not touching.
  private(set) var spans: [Range<UInt64>] = []

  static let most = 64

  func contains(_ blocks: Range<UInt64>) -> Bool {
    spans.contains { $0.lowerBound <= blocks.lowerBound && blocks.upperBound <= $0.upperBound }
  }

  mutating func add(_ blocks: Range<UInt64>) {
    guard !blocks.isEmpty else { return }
    var (lower, upper) = (blocks.lowerBound, blocks.upperBound)
    spans.removeAll { span in
      guard span.lowerBound <= upper, lower <= span.upperBound else { return false }
      (lower, upper) = (min(lower, span.lowerBound), max(upper, span.upperBound))
      return true
    }
    if spans.count >= Self.most { spans.removeFirst() }
    let place = spans.firstIndex { $0.lowerBound > lower } ?? spans.count
    spans.insert(lower..<upper, at: place)
  }

  /// Notes that a block may be there again.
  mutating func remove(_ block: UInt64) {
    guard let place = spans.firstIndex(where: { $0.contains(block) }) else { return }
    let span = spans[place]
    let rest = [span.lowerBound..<block, block + 1..<span.upperBound].filter { !$0.isEmpty }
    spans.replaceSubrange(place...place, with: rest)
    if spans.count > Self.most { spans.removeFirst() }
  }
}
