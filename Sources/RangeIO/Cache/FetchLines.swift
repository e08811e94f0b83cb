/// Fetches of single ranges, begun by reads that do not know of each other. Of more than are read at once, the others wait here,
/// and what lies close together is read as one request, as if one read had asked for all: a thousand tasks with a range each
/// take as long as one call with a thousand ranges. A fetch that need not wait is not delayed.
///
/// A line for each reader, since what is read through one ends when it is closed. Only demands wait: a prefetch that waited here
/// would not be raised by a demand that joins it. Flights that wait can be joined, and are given up when no read wants them.
/// Separate from `.caching`, because flights may outlive the stage.
final class FetchLines: Sendable {
  private let lines = Locked<[ObjectIdentifier: FetchLine<FetchPlace>]>([:])

  /// `true` if a fetch that begins now would wait.
  func isBusy(_ source: SourceDescription, _ next: ReadNext) -> Bool {
    guard let atOnce = next.gathering(of: source)?.groupsAtFirst else { return false }
    return lines.withLock { $0[ObjectIdentifier(next.bottom)]?.isFull(atOnce) ?? false }
  }

  /// Starts a fetch, or has it wait until others have ended.
  ///
  /// - Returns: its task; `nil` if it waits.
  func start(
    _ fetch: PlannedFetch, _ gathering: Gathering, _ keeper: CacheKeeper, _ next: ReadNext
  ) -> Task<Void, Never>? {
    guard withLine(of: next, { $0.begins(gathering.groupsAtFirst) }) else {
      let place = FetchPlace(fetch, keeper, next)
      let isNext = withLine(of: next) { $0.waits(place) { $0.hasLeft } }
      if isNext { goOn(fetch.request.source, keeper, next) }
      return nil
    }
    return PlannedFetch.start([fetch], isOneOfMany: false, keeper, next) { [self] in
      withLine(of: next) { $0.ended() }
      goOn(fetch.request.source, keeper, next)
    }
  }

  /// Starts as many as may be started.
  private func goOn(_ source: SourceDescription, _ keeper: CacheKeeper, _ next: ReadNext) {
    guard let gathering = next.gathering(of: source) else { preconditionFailure("stages stay where they are") }
    while true {
      switch withLine(of: next, { $0.next(gathering) }) {
      case .nothing: return
      case .group(let waiting):
        let groups = Self.groups(of: waiting.filter { !$0.fetch.hasLeft }, next)
        withLine(of: next) { $0.grouped(groups) }
      case .go(let places):
        let isStarted = FetchPlace.start(places, keeper, next) { [self] in
          withLine(of: next) { $0.ended() }
          goOn(source, keeper, next)
        }
        if !isStarted { withLine(of: next) { $0.ended() } }
      }
    }
  }

  /// Which of these to read together, by what is known now.
  private static func groups(
    of waiting: [FetchLine<FetchPlace>.Waiting], _ next: ReadNext
  ) -> [[FetchLine<FetchPlace>.Waiting]] {
    var groups: [[FetchLine<FetchPlace>.Waiting]] = []
    // A reader that has met a new version may still read the one before.
    for (_, some) in Dictionary(grouping: waiting, by: \.fetch.fetch.token.number) {
      let inOrder = some.sorted {
        let (a, b) = ($0.fetch.fetch.start.range, $1.fetch.fetch.start.range)
        return (a.lowerBound, a.upperBound) < (b.lowerBound, b.upperBound)
      }
      groups += PlannedFetch.groups(of: inOrder.map(\.fetch.fetch)[...], next).map { Array(inOrder[$0]) }
    }
    return groups
  }

  private func withLine<Result: Sendable>(
    of next: ReadNext, _ body: (inout FetchLine<FetchPlace>) -> Result
  ) -> Result {
    let reader = ObjectIdentifier(next.bottom)
    return lines.withLock { lines in
      let result = body(&lines[reader, default: FetchLine()])
      if lines[reader]?.isIdle == true { lines[reader] = nil }
      return result
    }
  }
}
