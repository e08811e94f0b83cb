import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct FlightWaitersTests {
  private static func id(_ number: Int) -> WaiterID { WaiterID(number: UInt64(number)) }

  private static func waiters(_ numbers: Range<Int>) -> FlightWaiters<Int> {
    var waiters = FlightWaiters<Int>()
    for number in numbers { _ = waiters.enter(id(number), number) }
    return waiters
  }

  private static func enter(_ waiters: inout FlightWaiters<Int>, _ number: Int, silent: Bool = false) -> Bool {
    waiters.enter(id(number), silent ? nil : number)
  }

  private static func leave(_ waiters: inout FlightWaiters<Int>, _ number: Int) -> Bool { waiters.leave(id(number)) }

  @Test func `waiters are handed out in the order they came`() {
    #expect(Array(Self.waiters(1..<1)) == [])
    #expect(Array(Self.waiters(1..<2)) == [1])
    #expect(Array(Self.waiters(1..<6)) == [1, 2, 3, 4, 5])
  }

  @Test func `one that comes in twice counts once`() {
    var waiters = FlightWaiters<Int>()
    for number in 1...3 {
      #expect(Self.enter(&waiters, number))
      #expect(!Self.enter(&waiters, number))
    }
    #expect(waiters.count == 3)
    #expect(Array(waiters) == [1, 2, 3])
  }

  @Test func `a silent one counts and is not handed out`() {
    for silent in 1...3 {
      var waiters = FlightWaiters<Int>()
      for number in 1...3 { #expect(Self.enter(&waiters, number, silent: number == silent)) }
      #expect(waiters.count == 3)
      #expect(Array(waiters) == [1, 2, 3].filter { $0 != silent })
      #expect(Self.leave(&waiters, silent))
      #expect(waiters.count == 2)
    }
  }

  @Test func `a waiter that leaves is gone, the others keep their order`() {
    for leaving in 1...5 {
      var waiters = Self.waiters(1..<6)
      #expect(Self.leave(&waiters, leaving))
      #expect(Array(waiters) == (1...5).filter { $0 != leaving })
      #expect(waiters.count == 4)
    }
  }

  @Test func `leaving counts once, and only for those who came`() {
    for leaving in 1...5 {
      var waiters = Self.waiters(1..<6)
      #expect(Self.leave(&waiters, leaving))
      #expect(!Self.leave(&waiters, leaving))
      #expect(!Self.leave(&waiters, 0))
      #expect(!Self.leave(&waiters, 99))
      #expect(waiters.count == 4)
    }
  }

  @Test func `one who comes after the first has left comes last`() {
    var waiters = Self.waiters(1..<3)
    #expect(Self.leave(&waiters, 1))
    #expect(Self.enter(&waiters, 3))
    #expect(Array(waiters) == [2, 3])
    var lonely = Self.waiters(1..<2)
    #expect(Self.leave(&lonely, 1))
    #expect(lonely.isEmpty)
    #expect(Self.enter(&lonely, 2))
    #expect(Array(lonely) == [2])
  }

  @Test func `one who comes out of order traps`() async {
    await #expect(processExitsWith: .failure) {
      var waiters = FlightWaiters<Int>()
      _ = waiters.enter(WaiterID(number: 2), 2)
      _ = waiters.enter(WaiterID(number: 1), 1)
    }
  }

  @Test func `seats of those who left do not pile up`() {
    var waiters = Self.waiters(1..<4)
    #expect(waiters.seatCount == 3)
    for number in 4..<2000 {
      #expect(Self.enter(&waiters, number))
      #expect(Self.leave(&waiters, number))
      #expect(waiters.seatCount <= 2 * waiters.count + 1)
    }
    #expect(Array(waiters) == [1, 2, 3])
    for number in 1..<4 { #expect(Self.leave(&waiters, number)) }
    #expect(waiters.seatCount == 0)
  }

  @Test(arguments: testSeeds)
  func `random coming and leaving agrees with a list`(seed: UInt64) {
    var random = TestRandom(seed)
    var waiters = FlightWaiters<Int>()
    var model: [Int] = []
    for number in 1...300 {
      if random.below(3) > 0 {
        #expect(Self.enter(&waiters, number))
        model.append(number)
      } else {
        let leaving = 1 + random.below(number)
        #expect(Self.leave(&waiters, leaving) == model.contains(leaving), "seed \(seed)")
        model.removeAll { $0 == leaving }
      }
      #expect(Array(waiters) == model, "seed \(seed)")
      #expect(waiters.count == model.count, "seed \(seed)")
      #expect(waiters.seatCount <= 2 * model.count + 1, "seed \(seed)")
    }
  }

  @Test func `thousands leave in any order without a search through all`() {
    let start = processorSeconds()
    var random = TestRandom(5)
    var waiters = Self.waiters(1..<100_001)
    for number in (2...100_000).shuffled(using: &random) where !waiters.leave(Self.id(number)) {
      Issue.record("\(number) was not there")
    }
    #expect(Array(waiters) == [1])
    // Linear: a second when nothing is optimized. Searches would take minutes.
    #expect(processorSeconds() - start < 20)
  }
}
