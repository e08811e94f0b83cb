import Testing

@testable import RangeIO

struct TicketQueueTests {
  @Test func `a queue that people leave keeps no memory of them`() {
    var queue = TicketQueue<Int>()
    for number in 0..<100_000 {
      queue.append(number)
      queue.removed()
      queue.compact { _ in false }
    }
    #expect(queue.placeCount < 100 && queue.count == 0)
    #expect(queue.first { _ in true } ?? 100_000 >= 99_900, "what is left is short")
  }

  @Test func `tickets come in order, without those that were removed`() {
    var queue = TicketQueue<Int>()
    for number in 0..<1000 { queue.append(number) }
    for _ in 0..<500 { queue.removed() }
    var seen: [Int] = []
    while let first = queue.first(where: { $0 % 2 == 1 }) {
      seen.append(first)
      queue.removeFirst()
    }
    #expect(seen == Array(stride(from: 1, to: 1000, by: 2)) && queue.count == 0 && queue.placeCount == 0)
  }
}
