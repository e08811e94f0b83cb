// Which ranges become one span, by what is known now.

extension MergingStage: RoleStage {
  /// The longest span to a source whose rate is not known yet: if it is a hundredth of what is assumed, 32 MiB take
  /// minutes, and this a few seconds.
  private static let maxGuess = 1 << 20
  /// The same while what came with the description is on its way: it takes about as long, and tells the rate.
  private static let firstGuess = 64 << 10
  /// The longest while few reads have measured the rate, which may be that of one connection alone: if all share it, eight spans
  /// take eight times as long as planned.
  private static let maxYoung = 4 << 20
  /// The most over-read bytes of the spans that are read at once.
  private static let maxOverReadBytes = SystemMemory.bounded(.mebibytes(128), toPart: 6).bytes
  /// The gap if bytes cost nothing: wider than any span, so that there are as few spans as possible.
  private static let widestGap = 0x1p50

  var role: StageRole { .gathering(groups: groups, gathering) }

  func groups(_ ranges: [ByteRange], of source: SourceDescription) -> [Range<Int>] {
    planner(for: source).plan(ranges).spans.map(\.asked)
  }

  func gathering(of source: SourceDescription) -> Gathering {
    let planner = planner(for: source)
    let isGuess = measures && source.measuredCost?.isGuess == true
    return Gathering(
      gap: planner.gap, longest: planner.longestSpan, groupsAtOnce: concurrentSpans,
      groupsAtFirst: isGuess ? concurrentSpans - concurrentSpans / 2 : concurrentSpans)
  }

  /// The planner for spans of `source` as of now.
  func planner(for source: SourceDescription) -> SpanPlanner {
    var planner = planner
    // A source that measures itself also sees reads that run together.
    let measured = source.measuredCost
    planner.connections = min(measured?.connections ?? .max, concurrentSpans)
    planner.haveOwnRate = measures && measured != nil
    planner.maxOverRead = Self.maxOverReadBytes
    guard measures else { return planner }
    let cost = measured.map {
      SourceDescription.Cost(latency: $0.leastLatency ?? $0.cost.latency, bytesPerSecond: $0.cost.rate)
    }
    let model = cost.map { LatencyModel($0) } ?? model(of: source)
    planner.gap = Int(min(model.gap, Self.widestGap))
    if let measured, measured.isGuess || measured.isYoung {
      let most = !measured.isGuess ? Self.maxYoung : source.isArriving ? Self.firstGuess : Self.maxGuess
      planner.longestSpan = min(planner.longestSpan, most)
    }
    return planner
  }
}
