import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Calls that change the limits of one store and overlap, as a value.
@Suite struct LimitChangesTests {
  private var changes = LimitChanges(100)

  private mutating func begin(_ limit: Int) -> Int { changes.begin { _ in limit } }

  @Test mutating func `a call sets its limit at once, and leaves it when it ends`() {
    let call = begin(10)
    #expect(changes.limits == 10)
    changes.succeeded(call)
    #expect(changes.limits == 10)
  }

  @Test mutating func `a call that fails leaves the limit as it was`() {
    changes.succeeded(begin(50))
    changes.failed(begin(10))
    #expect(changes.limits == 50)
  }

  enum Ending: CaseIterable { case succeeds, fails }

  @Test(arguments: Ending.allCases, Ending.allCases)
  mutating func `of two calls that overlap, the one that ends first does not undo the other`(
    first: Ending, second: Ending
  ) {
    for isInOrder in [true, false] {
      changes = LimitChanges(100)
      let calls = [begin(10), begin(20)]
      let endings = [first, second]
      var hasEnded = [false, false]
      for index in isInOrder ? [0, 1] : [1, 0] {
        if endings[index] == .succeeds { changes.succeeded(calls[index]) } else { changes.failed(calls[index]) }
        hasEnded[index] = true
        // The newest that has not failed.
        let counts = [1, 0].first { !hasEnded[$0] || endings[$0] == .succeeds }
        #expect(changes.limits == counts.map { [10, 20][$0] } ?? 100, "\(endings), in order: \(isInOrder)")
      }
    }
  }

  @Test mutating func `what is restored is not the limit of another call that has failed`() {
    let (first, second) = (begin(10), begin(20))
    changes.failed(first)
    #expect(changes.limits == 20)
    changes.failed(second)
    #expect(changes.limits == 100)
  }

  @Test func `a call that changes one limit keeps nothing of a failed call's other`() {
    var changes = LimitChanges([100, 50])
    let first = changes.begin { _ in [10, 5] }
    let second = changes.begin { [20, $0[1]] }
    #expect(changes.limits == [20, 5])
    changes.succeeded(second)
    changes.failed(first)
    #expect(changes.limits == [20, 50])
  }

  /// Any number of calls, compared with a list of those that have not failed.
  @Test(arguments: 1...20 as ClosedRange<UInt64>) mutating func `the newest call that has not failed counts`(
    seed: UInt64
  ) {
    var random = TestRandom(seed)
    var left: [(limit: Int, number: Int, isWaiting: Bool)] = []
    for limit in 0..<200 {
      let waiting = left.indices.filter { left[$0].isWaiting }
      switch random.below(3) {
      case 0 where !waiting.isEmpty:
        let index = waiting[random.below(waiting.count)]
        changes.succeeded(left[index].number)
        left[index].isWaiting = false
      case 1 where !waiting.isEmpty:
        changes.failed(left.remove(at: waiting[random.below(waiting.count)]).number)
      default: left.append((limit, begin(limit), true))
      }
      #expect(changes.limits == left.last?.limit ?? 100, "seed \(seed)")
    }
  }

  @Test func `limits that are set late do not replace later ones`() {
    let changes = Locked(LimitChanges(100))
    let set = Noted<Int>()
    _ = changes.withLock { $0.begin { _ in 10 } }
    changes.set { limit in
      // Another call comes before this one has set anything.
      if set.all.isEmpty {
        _ = changes.withLock { $0.begin { _ in 20 } }
        changes.set { set.add($0) }
      }
      set.add(limit)
    }
    #expect(set.all == [20, 10, 20])
  }
}
