// Which bytes the flights bring, and which nothing brings.

extension Flights {
  /// Checks whether a request waits for the flight, or wants it to arrive.
  func isWanted(_ id: FlightID) -> Bool { isUnderWay(id) && slots[Int(id.slot)].standing != .cancelled }

  /// Checks whether a joinable flight brings some of `range`.
  func brings(_ range: ByteRange) -> Bool {
    let index = indexInJoinable(after: range.lowerBound)
    return index < joinable.count && joinable[index].range.lowerBound < range.upperBound
  }

  /// The parts of `range` that no joinable flight brings, in order.
  func uncovered(_ range: ByteRange) -> [ByteRange] {
    var rest: [ByteRange] = []
    var cursor = range.lowerBound
    for place in joinable[indexInJoinable(after: cursor)...] {
      guard place.range.lowerBound < range.upperBound else { break }
      if cursor < place.range.lowerBound { rest.append(cursor..<place.range.lowerBound) }
      cursor = place.range.upperBound
    }
    if cursor < range.upperBound { rest.append(cursor..<range.upperBound) }
    return rest
  }

  /// The parts of `range` that joinable flights bring, in order, with their purposes.
  func covered(_ range: ByteRange) -> [(range: ByteRange, purpose: ReadUrgency.Purpose)] {
    joinable[indexInJoinable(after: range.lowerBound)...].lazy.prefix { $0.range.lowerBound < range.upperBound }
      .compactMap { place in
        guard let part = ByteRanges.intersection(place.range, range) else { return nil }
        return (part, slots[Int(place.slot)].purpose)
      }
  }

  /// `true` for a flight under way that no waiting read has joined yet.
  func isPrefetch(_ id: FlightID) -> Bool { isUnderWay(id) && slots[Int(id.slot)].purpose == .prefetch }

  /// The stretches to fetch for `gaps`: widened, disjoint from every flight, and joined where they touch unless
  /// `isApart`.
  func missing(
    _ gaps: some Collection<ByteRange>, _ isApart: Bool, _ widen: (ByteRange) -> ByteRange
  ) -> SmallArray<ByteRange> {
    var stretches = SmallArray<ByteRange>()
    for gap in gaps {
      var cursor = gap.lowerBound
      var index = indexInJoinable(after: cursor)
      while cursor < gap.upperBound {
        let next = index < joinable.count ? joinable[index].range : nil
        let end = min(gap.upperBound, next?.lowerBound ?? .max)
        if cursor < end {
          let wide = widen(cursor..<end)
          precondition(wide.lowerBound <= cursor && wide.upperBound >= end, "widening takes nothing away")
          var lower = index > 0 ? max(wide.lowerBound, joinable[index - 1].range.upperBound) : wide.lowerBound
          let upper = min(wide.upperBound, next?.lowerBound ?? .max)
          if isApart {
            // Without what the stretch before it already brings.
            lower = max(lower, stretches.last?.upperBound ?? 0)
            if lower < upper { stretches.append(lower..<upper) }
          } else if let last = stretches.last, last.upperBound >= lower {
            stretches.replaceLast(with: last.lowerBound..<max(last.upperBound, upper))
          } else {
            stretches.append(lower..<upper)
          }
        }
        cursor = max(end, next?.upperBound ?? end)
        index += 1
      }
    }
    return stretches
  }

  /// The index of the first joinable flight that ends after `offset`.
  func indexInJoinable(after offset: Int) -> Int {
    joinable.partitionPoint { $0.range.upperBound > offset }
  }
}
