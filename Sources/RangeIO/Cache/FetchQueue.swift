import Synchronization

/// The fetches of one read that are more than the stages below read at once. Each that ends starts the next.
///
/// So the first requests to a source that was never read from show what the others cost: when the gap worth reading over
/// has changed, the fetches that still wait are grouped anew. A thousand ranges that were all grouped before the first
/// had come would be grouped by a guess.
///
/// Flights that wait here can be joined, and are given up when no request wants them any more. The queue lasts as long as
/// tasks of it run, and each of them ends by starting another, or finds the queue empty.
final class FetchQueue: Sendable {
  private let fetches: [PlannedFetch]
  private let order: Locked<FetchOrder>
  private let next: ReadNext
  private let keeper: CacheKeeper

  /// - Parameters:
  ///   - fetches: of one plan, in ascending order.
  ///   - groups: which of them to read together by what is known now: more than are read at once.
  init(
    _ fetches: [PlannedFetch], _ groups: [Range<Int>], _ gathering: Gathering, _ next: ReadNext, _ keeper: CacheKeeper
  ) {
    self.fetches = fetches
    order = Locked(FetchOrder(groups, gathering))
    self.next = next
    self.keeper = keeper
  }

  /// Starts as many as are read at once, or half as many if nothing was measured yet: then each that ends starts two, until
  /// as many are read as can be.
  func start() {
    for _ in 0..<order.withLock({ $0.chains }) { startNext() }
  }

  /// A group has ended.
  private func goOn() {
    let starts = order.withLock { $0.addsChain() ? 2 : 1 }
    for _ in 0..<starts { startNext() }
  }

  private func startNext() {
    var elsewhere = false
    while let group = takeNext() {
      let some = fetches[group]
      let (token, ids) = (some[group.lowerBound].token, some.map(\.start.flight))
      guard token.flights.areWanted(ids) else {
        PlannedFetch.giveUp(some, CachingStage.GivenUp(error: CancellationError()), keeper)
        continue
      }
      let race = StartRace()
      let task = PlannedFetch.start(some, isOneOfMany: true, elsewhere: elsewhere, keeper, next) { [self] in
        if race.hasEnded() { goOn() }
      }
      token.flights.startedLate(ids, task)
      guard race.hasReturned() else { return }
      // The source did not suspend. The next one would come on top of this one, and keep this thread still longer.
      elsewhere = true
    }
  }

  private func takeNext() -> Range<Int>? {
    let gathering = next.gathering(of: fetches[0].request.source)
    if let rest = order.withLock({ $0.toGroup(by: gathering) }) {
      let groups = PlannedFetch.groups(of: fetches[rest], next)
      order.withLock { $0.group(groups) }
    }
    return order.withLock { $0.next() }
  }
}

/// Which comes first: that the call which starts a task returns, or that the task ends. The second of the two goes on.
private final class StartRace: Sendable {
  private let isDecided = Atomic<Bool>(false)

  /// The task has ended. Returns `true` if the call had returned before.
  func hasEnded() -> Bool { isDecided.exchange(true, ordering: .acquiringAndReleasing) }
  /// The call has returned. Returns `true` if the task had ended before.
  func hasReturned() -> Bool { isDecided.exchange(true, ordering: .acquiringAndReleasing) }
}

/// Which fetches come next, and when the rest is to be grouped anew. Knows numbers only.
struct FetchOrder: Equatable, Sendable {
  /// By what `groups` were made.
  private var gathering: Gathering
  /// The groups that wait, the next one last.
  private var groups: [Range<Int>]
  private let end: Int
  private var takenCount = 0
  /// The number of groups taken when the gap is looked at again.
  private var nextLook = 1

  /// The groups read at once: the end of each starts the next.
  private(set) var chains: Int

  /// - Parameter groups: not empty; together a range of indices from 0 on.
  init(_ groups: [Range<Int>], _ gathering: Gathering) {
    self.gathering = gathering
    chains = min(gathering.groupsAtFirst, gathering.groupsAtOnce)
    end = groups.last?.upperBound ?? 0
    self.groups = groups.reversed()
  }

  /// A group has ended. Returns `true` if it starts two.
  mutating func addsChain() -> Bool {
    guard chains < gathering.groupsAtOnce else { return false }
    chains += 1
    return true
  }

  mutating func next() -> Range<Int>? {
    takenCount += 1
    return groups.popLast()
  }

  /// The fetches to be grouped anew, if the gap differs by more than an eighth from that of their groups, or their most
  /// bytes do. Looks at the gap less and less often, since grouping takes O(n log n): about thirty times in a thousand
  /// groups.
  mutating func toGroup(by gathering: Gathering?) -> Range<Int>? {
    guard takenCount >= nextLook, let gathering, let first = groups.last?.lowerBound else { return nil }
    nextLook = takenCount + max(1, takenCount / 4)
    guard gathering.isOther(than: self.gathering) else { return nil }
    self.gathering = gathering
    return first..<end
  }

  /// Takes the new groups of what ``toGroup(by:)`` returned, without the fetches that were taken since.
  mutating func group(_ groups: [Range<Int>]) {
    let first = self.groups.last?.lowerBound ?? end
    self.groups = groups.filter { $0.upperBound > first }.map { max($0.lowerBound, first)..<$0.upperBound }.reversed()
  }
}

extension Gathering {
  /// What was grouped by `old` is to be grouped anew: the gap differs by more than an eighth, or the most bytes do.
  func isOther(than old: Gathering) -> Bool { abs(gap - old.gap) > old.gap / 8 || longest != old.longest }
}
