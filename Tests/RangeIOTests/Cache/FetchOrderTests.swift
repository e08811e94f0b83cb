import Testing

@testable import RangeIO

/// In which order planned fetches start, and when they are grouped anew: numbers only.
struct FetchOrderTests {
  private func order(_ counts: [Int], gap: Int = 800, atFirst: Int = 2) -> FetchOrder {
    var end = 0
    let groups = counts.map { count in
      defer { end += count }
      return end..<end + count
    }
    return FetchOrder(groups, gathering(gap, atFirst: atFirst))
  }

  private func gathering(_ gap: Int, longest: Int = 1000, atFirst: Int = 2) -> Gathering {
    Gathering(gap: gap, longest: longest, groupsAtOnce: 2, groupsAtFirst: atFirst)
  }

  @Test func `groups come one after the other, until none is left`() {
    var order = order([2, 1, 3])
    #expect(order.chains == 2)
    let isWider = order.addsChain()
    #expect(!isWider)
    #expect((0..<5).map { _ in order.next() } == [0..<2, 2..<3, 3..<6, nil, nil])
  }

  @Test func `fewer begin while nothing was measured, and the first that end start two`() {
    var order = order([1, 1, 1], atFirst: 1)
    #expect(order.chains == 1)
    let added = [order.addsChain(), order.addsChain()]
    #expect(added == [true, false] && order.chains == 2)
  }

  @Test(arguments: [
    // The gap now, and whether the rest is grouped by it.
    (800, false), (900, false), (700, false), (901, true), (699, true), (0, true), (1 << 50, true),
  ]) func `the rest is grouped anew when the gap has changed by more than an eighth`(gap: Int, isNew: Bool) {
    var order = order([2, 1, 3])
    _ = order.next()
    #expect(order.toGroup(by: gathering(gap)) == (isNew ? 2..<6 : nil))
  }

  @Test func `and when they may be longer, or must be shorter`() {
    var order = order([2, 1, 3])
    _ = order.next()
    #expect(order.toGroup(by: gathering(800, longest: 2000)) == 2..<6)
    _ = order.next()
    #expect(order.toGroup(by: gathering(800, longest: 2000)) == nil)
    #expect(order.toGroup(by: gathering(800)) == nil, "not looked at again so soon")
    _ = order.next()
    #expect(order.next() == nil)
  }

  @Test func `and not before a group was taken, nor when none is left, nor where no gap is known`() {
    var order = order([2, 1])
    #expect(order.toGroup(by: gathering(0)) == nil)
    _ = order.next()
    #expect(order.toGroup(by: nil) == nil)
    _ = order.next()
    #expect(order.toGroup(by: gathering(0)) == nil)
  }

  @Test func `new groups take the place of those that wait`() {
    var order = order([1, 1, 1, 1])
    _ = order.next()
    #expect(order.toGroup(by: gathering(8000)) == 1..<4)
    order.group([1..<3, 3..<4])
    #expect(order.next() == 1..<3)
    // The gap of these is the new one.
    #expect(order.toGroup(by: gathering(8000)) == nil)
    #expect(order.next() == 3..<4)
  }

  @Test func `groups taken while the rest is grouped are not taken again`() {
    var order = order([1, 1, 1, 1, 1])
    _ = order.next()
    #expect(order.toGroup(by: gathering(8000)) == 1..<5)
    #expect(order.next() == 1..<2)
    order.group([1..<4, 4..<5])
    #expect(order.next() == 2..<4)
    // All were taken.
    #expect(order.next() == 4..<5)
    order.group([1..<5])
    #expect(order.next() == nil)
  }

  @Test func `a gap that never rests is looked at about thirty times in a thousand groups`() {
    var order = order(Array(repeating: 1, count: 1000))
    var looks = 0
    for number in 1...1000 {
      _ = order.next()
      guard let rest = order.toGroup(by: gathering(number % 2 == 0 ? 800 : 8000)) else { continue }
      looks += 1
      order.group(rest.map { $0..<$0 + 1 })
    }
    #expect((5...35).contains(looks))
  }
}
