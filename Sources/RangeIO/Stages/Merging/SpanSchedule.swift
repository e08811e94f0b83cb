/// Estimates how long connections take to read spans, and finds spans that take less time. It deals with numbers only.
///
/// Each connection reads one span after the other, and the one that is free first takes the next. A span takes as long as its
/// bytes and a gap. Of many spans each connection reads about as much as the others, so that the sum of all decides. Of few
/// the longest one decides, or how often the latency is waited for.
struct SpanSchedule {
  /// What a read costs in addition to its bytes, in bytes of one connection.
  let gap: Int
  let connections: Int

  /// What keeps a connection busy takes time from other reads: this part of it counts as time of this read. So what lies very
  /// close together is read as one, although a connection is free for each.
  private static let shareOfWork = 1.0 / 16
  /// Of more spans than this for each connection it hardly matters which waits for which.
  private static let maxRounds = 16

  /// The bytes that one connection could read until the last span has come.
  func time(_ counts: some Sequence<Int>) -> Double {
    // A heap: the connection that is free first is at its top.
    var free = [Double](repeating: 0, count: connections)
    var end = 0.0
    for count in counts {
      let done = free[0] + Double(count) + Double(gap)
      end = max(end, done)
      var hole = 0
      while true {
        var child = 2 * hole + 1
        guard child < free.count else { break }
        if child + 1 < free.count, free[child + 1] < free[child] { child += 1 }
        guard free[child] < done else { break }
        free[hole] = free[child]
        hole = child
      }
      free[hole] = done
    }
    return end
  }

  private func cost(_ counts: [Int]) -> Double {
    let work = counts.reduce(0) { $0 + Double($1) + Double(gap) }
    return time(counts) + Self.shareOfWork * work / Double(connections)
  }

  /// Spans that take less time than the cheapest ones, if there are some.
  ///
  /// Tried are smaller gaps, by which as many spans remain as the connections read in one round, two, and so on; then shorter
  /// spans, so that no connection reads for longer than the others.
  ///
  /// - Parameters:
  ///   - allowed: the most bytes that may be over-read.
  /// - Complexity: O(n log n).
  func quickest(_ line: SpanLine, _ cheapest: [Range<Int>], _ allowed: Double) -> [Range<Int>] {
    guard cheapest.count < Self.maxRounds * connections else { return cheapest }
    var best = (spans: cheapest, cost: cost(cheapest.map(line.byteCount)))
    func consider(_ spans: [Range<Int>]) {
      let cost = cost(spans.map(line.byteCount))
      if cost < best.cost, Double(line.overReadBytes(spans)) <= allowed { best = (spans, cost) }
    }
    let near = Int(Double(gap) * Self.shareOfWork)
    let widths = line.gaps.sorted(by: >)
    let rounds = (1...Self.maxRounds).map { $0 * connections - 1 }
    let gaps = [gap, near, 0] + rounds.filter { $0 < widths.count }.map { widths[$0] }.filter { $0 > near && $0 < gap }
    for gap in gaps {
      let spans = line.cheapest(gap: gap)
      consider(spans)
      let share = spans.reduce(0) { $0 + line.byteCount($1) } / connections
      for longest in [share / 2, share, share + share / 16, share + share / 8] {
        consider(line.cheapest(gap: gap, longest: longest))
      }
    }
    return best.spans
  }
}
