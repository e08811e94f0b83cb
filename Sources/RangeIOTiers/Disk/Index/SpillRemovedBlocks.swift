import RangeIO

/// The combined tombstones of one source: up to which sequence each block does not exist.
///
/// Tombstones are added one at a time in any order, and each record of a directory asks when the directory is opened.
/// So this is a few lists of spans, each in order, disjoint, and at least twice as long as the next; lists of equal
/// length are merged (as in a binomial heap). n tombstones cost O(n log n) in total, and a question O(log² n).
package struct SpillRemovedBlocks {
  struct Span: Equatable {
    var blocks: Range<UInt64>
    /// Records with a lower sequence do not exist.
    var bound: UInt64
  }

  private(set) var lists: [[Span]] = []
  /// The number of spans merged so far. For tests.
  private(set) var work = 0

  mutating func add(_ blocks: Range<UInt64>, bound: UInt64) {
    guard !blocks.isEmpty else { return }
    var list = [Span(blocks: blocks, bound: bound)]
    while let last = lists.last, last.count < list.count * 2 {
      lists.removeLast()
      work += last.count + list.count
      list = Self.merge(last, list)
    }
    lists.append(list)
  }

  /// Merges all lists into one if that costs less than asking each of them so many questions.
  mutating func prepare(forQuestions questions: Int) {
    let (asking, overflow) = questions.multipliedReportingOverflow(by: lists.count)
    guard lists.count > 1, overflow || asking >= lists.reduce(0, { $0 + $1.count }) else { return }
    while let shorter = lists.popLast(), let longer = lists.popLast() {
      work += longer.count + shorter.count
      lists.append(Self.merge(longer, shorter))
      if lists.count == 1 { return }
    }
  }

  /// `true` if a record of `block` with this sequence was removed.
  func removes(_ block: UInt64, _ sequence: UInt64) -> Bool {
    lists.contains { list in
      let next = (0..<list.count).partitionPoint { list[$0].blocks.lowerBound > block }
      guard next > 0 else { return false }
      return block < list[next - 1].blocks.upperBound && sequence < list[next - 1].bound
    }
  }

  /// Where spans of both lists overlap, the higher bound wins.
  static func merge(_ a: [Span], _ b: [Span]) -> [Span] {
    var merged: [Span] = []
    merged.reserveCapacity(a.count + b.count)
    var (inA, inB) = (0, 0)
    // Everything before this is merged.
    var place: UInt64 = 0
    while inA < a.count || inB < b.count {
      let (first, second) = (rest(of: a, inA, from: place), rest(of: b, inB, from: place))
      let start = min(first.blocks.lowerBound, second.blocks.lowerBound)
      // Up to where one of them ends or the other begins.
      var (end, bound) = (UInt64.max, UInt64(0))
      func take(_ span: Span) {
        let begins = span.blocks.lowerBound == start
        end = min(end, begins ? span.blocks.upperBound : span.blocks.lowerBound)
        if begins { bound = max(bound, span.bound) }
      }
      take(first)
      take(second)
      append(Span(blocks: start..<end, bound: bound), to: &merged)
      place = end
      if inA < a.count, a[inA].blocks.upperBound <= place { inA += 1 }
      if inB < b.count, b[inB].blocks.upperBound <= place { inB += 1 }
    }
    return merged
  }

  /// The rest of a span; after all others if there is none.
  private static func rest(of list: [Span], _ index: Int, from place: UInt64) -> Span {
    guard index < list.count else { return Span(blocks: .max..<UInt64.max, bound: 0) }
    let blocks = list[index].blocks
    return Span(blocks: max(place, blocks.lowerBound)..<blocks.upperBound, bound: list[index].bound)
  }

  /// Joins it with the last one if they form one span.
  private static func append(_ span: Span, to merged: inout [Span]) {
    if let last = merged.last, last.bound == span.bound, last.blocks.upperBound == span.blocks.lowerBound {
      merged[merged.count - 1].blocks = last.blocks.lowerBound..<span.blocks.upperBound
    } else {
      merged.append(span)
    }
  }
}

/// Blocks of one source that are already removed, so that removing them again need not be written down. Only a few
/// spans, since forgetting one only costs another tombstone.
struct SpillRemovedSpans {
  /// In order, disjoint, and not touching.
  private(set) var spans: [Range<UInt64>] = []

  static let maxCount = 64

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
    if spans.count >= Self.maxCount { spans.removeFirst() }
    let place = spans.firstIndex { $0.lowerBound > lower } ?? spans.count
    spans.insert(lower..<upper, at: place)
  }

  /// Notes that a block may be there again.
  mutating func remove(_ block: UInt64) {
    guard let place = spans.firstIndex(where: { $0.contains(block) }) else { return }
    let span = spans[place]
    let rest = [span.lowerBound..<block, block + 1..<span.upperBound].filter { !$0.isEmpty }
    spans.replaceSubrange(place...place, with: rest)
    if spans.count > Self.maxCount { spans.removeFirst() }
  }
}
