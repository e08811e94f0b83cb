/// Divides the ranges of one read into spans, each of them one read of the source, so that they are read soonest. It
/// deals with numbers only.
///
/// The cost of a span is its bytes plus one *gap*: as many bytes as could be read in the time of a read of zero bytes.
/// Where spans wait for each other, the cheapest are the quickest: ranges less than a gap apart share one, unless it would be
/// too long. Where there are about as many spans as connections, shorter ones are quicker: see ``SpanSchedule``.
struct SpanPlanner: Equatable, Sendable {
  /// The cost of a read in addition to its bytes, in bytes.
  var gap: Int
  /// The most bytes in a span of several ranges. A single range is never cut, however long it is; nor are ranges that
  /// overlap.
  var longestSpan: Int
  /// The most bytes that may be over-read, as a multiple of the requested bytes.
  var maxWaste: Double
  /// The reads that run beside each other.
  var connections = 1
  /// Each of these reads has the full rate, as far as is known. If not, the sum of all costs counts.
  var haveOwnRate = true
  /// The most bytes that may be over-read by the reads that run beside each other, but 1 MiB by each: they are in memory until
  /// the last byte of their span has come.
  var maxOverRead = Int.max

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
  /// These are the cheapest spans, or quicker ones if there is more than one connection. If `maxWaste` forbids them, they are the
  /// spans for a smaller gap, and then the narrowest remaining gaps are filled.
  ///
  /// - Complexity: O(n log n), plus O(n) for each bit of the gap if `maxWaste` forbids the cheapest spans.
  func plan(_ ranges: [ByteRange]) -> Plan {
    let (order, atoms) = Self.atoms(of: ranges)
    guard atoms.count > 1 else { return Plan(spans: atoms, order: order) }
    // Limits the values so that no sum overflows: neither that of all gaps, nor the bytes of a span.
    let most = 1 << 60
    let line = SpanLine(
      atoms, longest: min(longestSpan, most), maxOverRead: maxOverRead, inEach: max(maxOverRead / connections, 1 << 20))
    let gap = max(0, min(gap, most / atoms.count))
    let allowed = maxWaste * Double(max(line.askedBytes, Self.minAskedBytes))
    var spans = Self.cheapest(line, gap, allowed)
    if connections > 1, haveOwnRate {
      // More than there are parts to read are not used.
      let schedule = SpanSchedule(gap: gap, connections: min(connections, atoms.count))
      spans = schedule.quickest(line, spans, allowed)
    }
    return Plan(spans: line.spans(spans), order: order, overReadBytes: line.overReadBytes(spans))
  }

  /// The cheapest spans of which no more than `allowed` bytes are over-read.
  private static func cheapest(_ line: SpanLine, _ gap: Int, _ allowed: Double) -> [Range<Int>] {
    func isAllowed(_ spans: [Range<Int>]) -> Bool { Double(line.overReadBytes(spans)) <= allowed }
    var spans = line.cheapest(gap: gap)
    guard !isAllowed(spans) else { return spans }
    var (good, bad) = (0, gap)
    spans = line.cheapest(gap: 0)
    while bad - good > 1 {
      let middle = good + (bad - good) / 2
      let tried = line.cheapest(gap: middle)
      if isAllowed(tried) { (good, spans) = (middle, tried) } else { bad = middle }
    }
    return line.join(spans, within: gap, bytes: allowed - Double(line.overReadBytes(spans)))
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
}
