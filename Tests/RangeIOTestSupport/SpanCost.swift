import RangeIO

/// The cost model of merging, and its optimum, found in ways of their own.
enum SpanCost {
  /// The bytes of all spans, and a gap for each.
  static func of(_ spans: [ByteRange], gap: Int) -> Int { spans.reduce(0) { $0 + gap + $1.count } }

  /// `ranges` as what may not be cut: those that overlap as one.
  static func pieces(of ranges: [ByteRange]) -> [ByteRange] {
    var pieces: [ByteRange] = []
    for range in ranges.filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = pieces.last, last.overlaps(range) {
        pieces[pieces.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        pieces.append(range)
      }
    }
    return pieces
  }

  /// The least cost of spans no longer than `longest`, unless they are one piece: of all ways there are.
  static func leastOfAll(_ pieces: [ByteRange], gap: Int, longest: Int) -> Int {
    guard pieces.count > 1 else { return of(pieces, gap: gap) }
    var least = Int.max
    for cuts in 0..<1 << (pieces.count - 1) {
      var spans = [pieces[0]]
      var parts = [1]
      for index in 1..<pieces.count {
        if cuts >> (index - 1) & 1 == 1 {
          spans.append(pieces[index])
          parts.append(1)
        } else {
          spans[spans.count - 1] = spans[spans.count - 1].lowerBound..<pieces[index].upperBound
          parts[parts.count - 1] += 1
        }
      }
      if zip(spans, parts).allSatisfy({ $0.count <= longest || $1 == 1 }) { least = min(least, of(spans, gap: gap)) }
    }
    return least
  }

  /// The same by dynamic programming: for each piece, whichever piece its span begins with.
  static func least(_ pieces: [ByteRange], gap: Int, longest: Int) -> Int {
    var costs = [0]
    for end in pieces.indices {
      var least = Int.max
      for begin in 0...end {
        let length = pieces[end].upperBound - pieces[begin].lowerBound
        guard length <= longest || begin == end else { continue }
        least = min(least, costs[begin] + gap + length)
      }
      costs.append(least)
    }
    return costs[pieces.count]
  }

  /// What no plan can be quicker than over so many connections, in bytes of one connection, and the bytes of the plan: all
  /// connections are busy from the first moment to the last, and each request costs a gap.
  static func leastTime(_ pieces: [ByteRange], gap: Int, connections: Int) -> (time: Double, bytes: Int) {
    let widths = zip(pieces, pieces.dropFirst()).map { $1.lowerBound - $0.upperBound }.sorted()
    var bytes = pieces.reduce(0) { $0 + $1.count }
    var best = (time: Double.infinity, bytes: bytes)
    for (joined, width) in ([0] + widths).enumerated() {
      bytes += width
      let rounds = max(1, Double(pieces.count - joined) / Double(connections))
      let time = rounds * Double(gap) + Double(bytes) / Double(connections)
      if time < best.time { best = (time, bytes) }
    }
    return best
  }

  /// How long connections take that each read one span after the other, in bytes of one connection.
  static func time(_ spans: [ByteRange], gap: Int, connections: Int) -> Double {
    var busy = [Double](repeating: 0, count: min(connections, spans.count))
    for span in spans {
      let first = busy.indices.min { busy[$0] < busy[$1] }!  // there is a connection at least
      busy[first] += Double(gap + span.count)
    }
    return busy.max() ?? 0
  }
}
