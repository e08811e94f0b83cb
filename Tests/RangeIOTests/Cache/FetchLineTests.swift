import Testing

@testable import RangeIO

/// Which fetches of different reads go, wait and go together: numbers only.
struct FetchLineTests {
  private func gathering(_ atOnce: Int = 2, gap: Int = 800) -> Gathering {
    Gathering(gap: gap, longest: 1000, groupsAtOnce: atOnce, groupsAtFirst: atOnce)
  }

  /// What comes next, where those that wait are grouped by tens: 11 and 14 together.
  private func next(_ line: inout FetchLine<Int>, _ gathering: Gathering) -> [Int]? {
    while true {
      switch line.next(gathering) {
      case .nothing: return nil
      case .go(let fetches): return fetches.sorted()
      case .group(let waiting): line.grouped(Dictionary(grouping: waiting) { $0.fetch / 10 }.map(\.value))
      }
    }
  }

  @Test func `as many as are read at once start now, the others when these end`() {
    var line = FetchLine<Int>()
    let began = [10, 20, 30].map { line.arrived($0, atOnce: 2) }
    #expect(began == [true, true, false])
    #expect(line.isFull(2) && !line.isIdle)
    var all = [next(&line, gathering())]
    line.ended()
    all += [next(&line, gathering()), next(&line, gathering())]
    #expect(all == [nil, [30], nil])
    line.ended()
    line.ended()
    #expect(line.isIdle && !line.isFull(2))
  }

  @Test func `the one that waits longest goes next, with those beside it`() {
    var line = FetchLine<Int>()
    for fetch in [1, 31, 11, 35, 12, 21, 33] { _ = line.arrived(fetch, atOnce: 1) }
    var all: [[Int]?] = []
    for _ in 0..<5 {
      line.ended()
      all.append(next(&line, gathering(1)))
      if all.last == .some(nil) { break }
    }
    #expect(all == [[31, 33, 35], [11, 12], [21], nil])
    #expect(line.isIdle)
  }

  @Test func `none that arrives overtakes one that waits`() {
    var line = FetchLine<Int>()
    _ = [1, 2].map { line.arrived($0, atOnce: 1) }
    line.ended()
    // The one that ended has not asked for the next one yet.
    let began = line.arrived(30, atOnce: 1)
    #expect(!began)
    #expect(next(&line, gathering(1)) == [2])
  }

  @Test func `those that arrive while others are grouped wait for the next time`() {
    var line = FetchLine<Int>()
    for fetch in [1, 2] { _ = line.arrived(fetch, atOnce: 1) }
    line.ended()
    guard case .group(let waiting) = line.next(gathering(1)) else {
      Issue.record("nothing to group")
      return
    }
    _ = line.arrived(3, atOnce: 1)
    guard case .nothing = line.next(gathering(1)) else {
      Issue.record("grouped twice at a time")
      return
    }
    line.grouped([waiting])
    // One more is more than a fifth of them: all are grouped anew.
    #expect(next(&line, gathering(1)) == [2, 3])
  }

  @Test func `few that arrive later do not have the others grouped anew, nor does the same gap`() {
    var line = FetchLine<Int>()
    for fetch in 0..<100 { _ = line.arrived(fetch * 10, atOnce: 1) }
    line.ended()
    #expect(next(&line, gathering(1)) == [10])
    line.ended()
    _ = line.arrived(25, atOnce: 1)
    #expect(next(&line, gathering(1)) == [20])
    line.ended()
    // Another gap has all of them grouped.
    _ = line.arrived(35, atOnce: 1)
    #expect(next(&line, gathering(1, gap: 2000)) == [30, 35])
  }

  @Test func `more go at once when more may`() {
    var line = FetchLine<Int>()
    for fetch in [10, 20, 30, 40] { _ = line.arrived(fetch, atOnce: 1) }
    #expect(next(&line, gathering(1)) == nil)
    let all = (0..<3).map { _ in next(&line, gathering(3)) }
    #expect(all == [[20], [30], nil])
  }

  @Test func `those that have left do not stay in memory, however many come`() {
    var line = FetchLine<Int>()
    _ = line.arrived(0, atOnce: 1)
    var most = 0
    for fetch in 1...10_000 {
      // Each has left when the next one comes, but for one of a hundred.
      _ = line.waits(fetch) { $0 % 100 != 0 }
      most = max(most, line.waitingCount)
    }
    #expect(most < 300)
    line.ended()
    guard case .group(let waiting) = line.next(gathering(1)) else {
      Issue.record("nothing waits")
      return
    }
    #expect(waiting.map(\.fetch).filter { $0 % 100 == 0 } == Array(stride(from: 100, through: 10_000, by: 100)))
  }

  @Test func `who waits when the last one has ended starts the next`() {
    var line = FetchLine<Int>()
    let began = [line.begins(1), line.begins(1)]
    #expect(began == [true, false])
    line.ended()
    let isNext = line.waits(2) { _ in false }
    #expect(isNext)
    #expect(next(&line, gathering(1)) == [2])
  }
}

extension FetchLine<Int> {
  /// A fetch arrives. Returns `true` if it starts now, and `false` if it waits.
  fileprivate mutating func arrived(_ fetch: Int, atOnce: Int) -> Bool {
    if begins(atOnce) { return true }
    _ = waits(fetch) { _ in false }
    return false
  }
}
