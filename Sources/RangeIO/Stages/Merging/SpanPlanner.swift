/// Cuts the ranges of one read into spans, each a read of the source of its own, so that they cost least together. Knows
/// numbers only.
///
/// A span costs its bytes and one *gap*: as many bytes as could be read in the time that a read of no bytes takes. So
/// spans meet where less than a gap lies between what is asked for, unless one would be too long.
struct SpanPlanner: Equatable, Sendable {
  /// What a read costs in addition to its bytes, in bytes.
  var gap: Int
  /// The most bytes of a span of several ranges. One range is never cut, however long; nor are ranges that overlap.
  var longestSpan: Int
  /// The most bytes that may be over-read, added to those asked for, as a multiple of these.
  var mostWaste: Double

  /// A read of the source, and the ranges that it is for.
  struct Span: Equatable, Sendable {
    /// From the start of the first range to the end of the last.
    var range: ByteRange
    /// Of the plan's `order`.
    var asked: Range<Int>
  }

  /// What to read.
  struct Plan: Equatable, Sendable {
    /// In ascending order, disjoint.
    var spans: [Span] = []
    /// The numbers of the ranges in the order of their starts, without empty ones.
    var order: [Int] = []
    /// The bytes that spans hold and no range does.
    var overReadBytes = 0
  }

  /// Asked for less than this, as much may be read in vain as if it were this: the multiple of a few bytes would keep
  /// ranges apart that lie in one block.
  static let leastAskedBytes = 65_536

  /// The spans for `ranges`, which may come in any order and overlap.
  ///
  /// The cheapest there are; where `mostWaste` forbids these, those for a smaller gap, with the narrowest gaps that are
  /// left filled in.
  ///
  /// - Complexity: O(n log n), and another O(n) for each bit of the gap where `mostWaste` forbids the cheapest.
  func plan(_ ranges: [ByteRange]) -> Plan {
    let (order, atoms) = Self.atoms(of: ranges)
    guard let first = atoms.first, atoms.count > 1 else { return Plan(spans: atoms, order: order) }
    // So that no sum overflows: of all gaps, and of what a span holds.
    let most = 1 << 60
    let longest = min(longestSpan, most)
    let gap = max(0, min(gap, most / atoms.count))
    var unasked = [0]
    unasked.reserveCapacity(atoms.count)
    // How much nobody asks for, from the first to each.
    for (before, atom) in zip(atoms, atoms.dropFirst()) {
      unasked.append(unasked[unasked.count - 1] + (atom.range.lowerBound - before.range.upperBound))
    }
    let askedBytes = atoms[atoms.count - 1].range.upperBound - first.range.lowerBound - unasked[atoms.count - 1]
    let allowed = mostWaste * Double(max(askedBytes, Self.leastAskedBytes))
    var spans = Self.cheapest(atoms, unasked, gap: gap, longest: longest)
    if Double(Self.overReadBytes(spans, askedBytes)) > allowed {
      var (good, bad) = (0, gap)
      spans = Self.cheapest(atoms, unasked, gap: 0, longest: longest)
      while bad - good > 1 {
        let middle = good + (bad - good) / 2
        let tried = Self.cheapest(atoms, unasked, gap: middle, longest: longest)
        if Double(Self.overReadBytes(tried, askedBytes)) > allowed {
          bad = middle
        } else {
          (good, spans) = (middle, tried)
        }
      }
      spans = Self.join(
        spans, within: gap, longest: longest, bytes: allowed - Double(Self.overReadBytes(spans, askedBytes)))
    }
    return Plan(spans: spans, order: order, overReadBytes: Self.overReadBytes(spans, askedBytes))
  }

  /// What may not be cut: ranges, together where they overlap. In order; disjoint, but they may touch.
  private static func atoms(of ranges: [ByteRange]) -> (order: [Int], atoms: [Span]) {
    let order = ranges.indices.filter { !ranges[$0].isEmpty }.sorted {
      (ranges[$0].lowerBound, ranges[$0].upperBound, $0) < (ranges[$1].lowerBound, ranges[$1].upperBound, $1)
    }
    var atoms: [Span] = []
    for (place, number) in order.enumerated() {
      let range = ranges[number]
      if let last = atoms.last, range.lowerBound < last.range.upperBound {
        atoms[atoms.count - 1] = Span(
          range: last.range.lowerBound..<max(last.range.upperBound, range.upperBound),
          asked: last.asked.lowerBound..<place + 1)
      } else {
        atoms.append(Span(range: range, asked: place..<place + 1))
      }
    }
    return (order, atoms)
  }

  /// The spans that cost least, by dynamic programming: those up to an atom cost what those up to another one before it
  /// cost, and a span from there. The best of these is the least in a window that only moves on: a queue that rises from
  /// its front to its back has it in front.
  private static func cheapest(_ atoms: [Span], _ unasked: [Int], gap: Int, longest: Int) -> [Span] {
    /// What all spans cost in addition to the bytes asked for, if one begins with this atom: without those that it holds.
    func key(_ index: Int) -> Int { (index == 0 ? 0 : costs[index - 1]) - unasked[index] }
    var costs: [Int] = []
    var begins: [Int] = []
    costs.reserveCapacity(atoms.count)
    begins.reserveCapacity(atoms.count)
    var queue: [Int] = []
    var front = 0
    for (index, atom) in atoms.enumerated() {
      // Of equals the earlier stays: fewer spans.
      while queue.count > front, key(queue[queue.count - 1]) > key(index) { queue.removeLast() }
      queue.append(index)
      while queue[front] < index, atom.range.upperBound - atoms[queue[front]].range.lowerBound > longest { front += 1 }
      costs.append(key(queue[front]) + unasked[index] + gap)
      begins.append(queue[front])
    }
    var spans: [Span] = []
    var end = atoms.count
    while end > 0 {
      let begin = begins[end - 1]
      spans.append(together(atoms[begin], atoms[end - 1]))
      end = begin
    }
    return spans.reversed()
  }

  private static func together(_ first: Span, _ last: Span) -> Span {
    Span(
      range: first.range.lowerBound..<last.range.upperBound, asked: first.asked.lowerBound..<last.asked.upperBound)
  }

  private static func overReadBytes(_ spans: [Span], _ askedBytes: Int) -> Int {
    spans.reduce(-askedBytes) { $0 + $1.range.count }
  }

  /// Joins neighbours, the nearest first, while there are bytes to waste: gaps of one width would else be read all or
  /// none.
  private static func join(_ spans: [Span], within gap: Int, longest: Int, bytes: Double) -> [Span] {
    func width(_ index: Int) -> Int { spans[index + 1].range.lowerBound - spans[index].range.upperBound }
    // Of each stretch of joined spans, what is at one end knows the other.
    var firsts = Array(spans.indices)
    var lasts = firsts
    var bytes = bytes
    for index in (0..<spans.count - 1).sorted(by: { (width($0), $0) < (width($1), $1) }) {
      guard width(index) < gap, Double(width(index)) <= bytes else { break }
      let (first, last) = (firsts[index], lasts[index + 1])
      guard spans[last].range.upperBound - spans[first].range.lowerBound <= longest else { continue }
      (lasts[first], firsts[last]) = (last, first)
      bytes -= Double(width(index))
    }
    var joined: [Span] = []
    var index = 0
    while index < spans.count {
      joined.append(together(spans[index], spans[lasts[index]]))
      index = lasts[index] + 1
    }
    return joined
  }
}
