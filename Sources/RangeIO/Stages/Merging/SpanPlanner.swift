/// Divides the ranges of one read into spans, each of them one read of the source, at the lowest total cost. It deals
/// with numbers only.
///
/// The cost of a span is its bytes plus one *gap*: as many bytes as could be read in the time of a read of zero bytes.
/// So ranges less than a gap apart share a span, unless the span would be too long.
struct SpanPlanner: Equatable, Sendable {
  /// The cost of a read in addition to its bytes, in bytes.
  var gap: Int
  /// The most bytes in a span of several ranges. A single range is never cut, however long it is; nor are ranges that
  /// overlap.
  var longestSpan: Int
  /// The most bytes that may be over-read, as a multiple of the requested bytes.
  var maxWaste: Double

  /// One read of the source, and the ranges it is for.
  struct Span: Equatable, Sendable {
    /// From the start of the first range to the end of the last.
    var range: ByteRange
    /// Positions in the plan's `order`.
    var asked: Range<Int>
  }

  struct Plan: Equatable, Sendable {
    /// In ascending order, without overlaps.
    var spans: [Span] = []
    /// The indices of the ranges in the order of their starts, without the empty ranges.
    var order: [Int] = []
    /// The bytes in spans that belong to no range.
    var overReadBytes = 0
  }

  /// Requests of fewer bytes than this count as this many for the waste limit. A multiple of only a few bytes would
  /// separate ranges that lie in one block.
  static let minAskedBytes = 65_536

  /// The spans for `ranges`, which may come in any order and overlap.
  ///
  /// These are the cheapest spans. If `maxWaste` forbids them, they are the spans for a smaller gap, and then the
  /// narrowest remaining gaps are filled.
  ///
  /// - Complexity: O(n log n), plus O(n) for each bit of the gap if `maxWaste` forbids the cheapest spans.
  func plan(_ ranges: [ByteRange]) -> Plan {
    let (order, atoms) = Self.atoms(of: ranges)
    guard let first = atoms.first, atoms.count > 1 else { return Plan(spans: atoms, order: order) }
    // Limits the values so that no sum overflows: neither that of all gaps, nor the bytes of a span.
    let most = 1 << 60
    let longest = min(longestSpan, most)
    let gap = max(0, min(gap, most / atoms.count))
    var unasked = [0]
    unasked.reserveCapacity(atoms.count)
    // The number of unrequested bytes from the first atom to each.
    for (before, atom) in zip(atoms, atoms.dropFirst()) {
      unasked.append(unasked[unasked.count - 1] + (atom.range.lowerBound - before.range.upperBound))
    }
    let askedBytes = atoms[atoms.count - 1].range.upperBound - first.range.lowerBound - unasked[atoms.count - 1]
    let allowed = maxWaste * Double(max(askedBytes, Self.minAskedBytes))
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

  /// The parts that must not be cut: single ranges, or several that overlap. In order and disjoint, but they may touch.
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

  /// The cheapest spans, by dynamic programming: the cost up to an atom is the cost up to an earlier atom, plus one
  /// span from there. The cheapest choice is the minimum of a sliding window. A queue whose keys rise from front to
  /// back has it at the front.
  private static func cheapest(_ atoms: [Span], _ unasked: [Int], gap: Int, longest: Int) -> [Span] {
    /// The cost of all spans beyond the requested bytes if one span begins with this atom, without the bytes in that
    /// span.
    func key(_ index: Int) -> Int { costs[index] - unasked[index] }
    // Before each atom, and after the last.
    var costs = [0]
    var begins: [Int] = []
    costs.reserveCapacity(atoms.count + 1)
    begins.reserveCapacity(atoms.count)
    var queue: [Int] = []
    var front = 0
    for (index, atom) in atoms.enumerated() {
      // Of equal keys the earlier one stays, which means fewer spans.
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

  /// Joins neighbouring spans, the nearest first, until the waste limit is reached. Without this, of several gaps of
  /// the same width either all or none would be read over.
  private static func join(_ spans: [Span], within gap: Int, longest: Int, bytes: Double) -> [Span] {
    func width(_ index: Int) -> Int { spans[index + 1].range.lowerBound - spans[index].range.upperBound }
    // The first and the last span of each joined stretch point to each other.
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
