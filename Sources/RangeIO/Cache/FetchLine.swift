/// Which of the fetches that wait for their turn go next, and which of them together. A value: fetches arrive and end, and
/// groups come out. It knows no ranges, no tasks and no locks.
///
/// The fetch that has waited longest goes next, with all that are grouped with it. Fetches that arrive later are grouped with
/// those that wait once they are a fifth of them. So grouping, which takes O(n log n), costs each fetch O(log n) in the mean.
struct FetchLine<Fetch: Sendable>: Sendable {
  struct Waiting: Sendable {
    /// Counts up in order of arrival.
    let number: Int
    let fetch: Fetch
  }

  enum Step: Sendable {
    /// Start these as one request.
    case go([Fetch])
    /// Group these, which are in no order, and pass the groups to ``grouped(_:)``.
    case group([Waiting])
    case nothing
  }

  private var underWay = 0
  private var lastNumber = 0
  /// Arrived since the others were grouped.
  private var ungrouped: [Waiting] = []
  /// The next one last.
  private var groups: [[Waiting]] = []
  private var groupedCount = 0
  private var isGrouping = false
  /// By what `groups` were made.
  private var gathering: Gathering?
  private var taken = 0
  /// The number of groups taken when the gap is looked at again.
  private var nextLook = 1
  /// The number of `ungrouped` at which places that have left are removed.
  private var nextSweep = minSweep
  private static var minSweep: Int { 64 }

  init() {}

  private var hasWaiting: Bool { isGrouping || !ungrouped.isEmpty || !groups.isEmpty }
  /// Those that wait, and those of them that have left and are not removed yet.
  var waitingCount: Int { ungrouped.count + groupedCount }
  /// Nothing is under way, and nothing waits.
  var isIdle: Bool { underWay == 0 && !hasWaiting }

  /// A fetch that arrives waits.
  func isFull(_ atOnce: Int) -> Bool { underWay >= atOnce || hasWaiting }

  /// A fetch arrives. Returns `true` if it starts now. Otherwise pass it to ``waits(_:hasLeft:)``.
  mutating func begins(_ atOnce: Int) -> Bool {
    guard !isFull(atOnce) else { return false }
    underWay += 1
    return true
  }

  /// A fetch waits. Returns `true` if nothing is under way by now, whose end would start it: ask ``next(_:)``.
  ///
  /// - Parameter hasLeft: whether a fetch that waits is not wanted any more. Called now and then, so that no more than half
  ///   of those that wait for long have left.
  mutating func waits(_ fetch: Fetch, hasLeft: (Fetch) -> Bool) -> Bool {
    if ungrouped.count >= nextSweep {
      ungrouped.removeAll { hasLeft($0.fetch) }
      nextSweep = max(Self.minSweep, 2 * ungrouped.count)
    }
    lastNumber += 1
    ungrouped.append(Waiting(number: lastNumber, fetch: fetch))
    return underWay == 0
  }

  /// Fetches that were started as one request have ended.
  mutating func ended() {
    precondition(underWay > 0, "a request ends once")
    underWay -= 1
  }

  /// Decides what to do next. Ask until there is nothing: after each end, and after ``grouped(_:)``.
  mutating func next(_ gathering: Gathering) -> Step {
    guard !isGrouping, underWay < gathering.groupsAtFirst else { return .nothing }
    if isToGroup(by: gathering) {
      self.gathering = gathering
      isGrouping = true
      defer { (ungrouped, groups, groupedCount) = ([], [], 0) }
      return .group(groups.flatMap(\.self) + ungrouped)
    }
    guard let group = groups.popLast() else { return .nothing }
    underWay += 1
    taken += 1
    groupedCount -= group.count
    return .go(group.map(\.fetch))
  }

  /// Takes the groups of what ``next(_:)`` has returned. None is empty.
  mutating func grouped(_ made: [[Waiting]]) {
    func first(_ group: [Waiting]) -> Int { group.reduce(.max) { min($0, $1.number) } }
    groups = made.map { (first($0), $0) }.sorted { $0.0 > $1.0 }.map(\.1)
    groupedCount = made.reduce(0) { $0 + $1.count }
    isGrouping = false
  }

  private mutating func isToGroup(by gathering: Gathering) -> Bool {
    if groups.isEmpty || 4 * ungrouped.count > groupedCount { return !ungrouped.isEmpty }
    guard taken >= nextLook, let old = self.gathering else { return false }
    nextLook = taken + max(1, taken / 4)
    return gathering.isOther(than: old)
  }
}
