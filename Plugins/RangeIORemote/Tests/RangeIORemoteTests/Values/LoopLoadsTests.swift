import Testing

@testable import RangeIORemote

@Suite struct LoopLoadsTests {
  @Test func `requests are spread evenly, the first loop first`() {
    var loads = LoopLoads(count: 3)
    #expect((0..<7).map { _ in loads.enter() } == [0, 1, 2, 0, 1, 2, 0])
    #expect(loads.underWay == [3, 2, 2])
  }

  @Test func `one request at a time stays on one loop`() {
    var loads = LoopLoads(count: 4)
    for _ in 0..<5 {
      let number = loads.enter()
      #expect(number == 0)
      loads.leave(number)
    }
  }

  @Test func `while all are busy the next request goes where one has ended`() {
    var loads = LoopLoads(count: 4)
    for _ in 0..<32 { _ = loads.enter() }
    for ended in [2, 0, 3, 3, 1] {
      loads.leave(ended)
      #expect(loads.enter() == ended)
    }
  }
}
