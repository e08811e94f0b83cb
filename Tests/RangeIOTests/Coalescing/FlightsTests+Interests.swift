import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

extension FlightsTests {
  // MARK: Prefetches

  @Test func `the first demand that joins a prefetch raises it, once`() {
    var table = Table(longest: 512)
    let prefetch = Self.request(&table, 0..<10, waiter: nil, purpose: .prefetch)
    #expect(prefetch.starts.map(\.purpose) == [.prefetch])
    #expect(prefetch.raised.isEmpty)
    #expect(Self.request(&table, 0..<10, 20..<30, waiter: 2).raised == [prefetch.starts[0].flight])
    #expect(Self.request(&table, 0..<10, waiter: 3).raised.isEmpty)
  }

  @Test func `a prefetch raises nothing, and what began as demand is never raised`() {
    var table = Table(longest: 512)
    _ = Self.request(&table, 0..<10, waiter: nil, purpose: .prefetch)
    #expect(Self.request(&table, 0..<10, waiter: nil, purpose: .prefetch).raised.isEmpty)
    _ = Self.request(&table, 64..<70)
    #expect(Self.request(&table, 64..<70, waiter: 2).raised.isEmpty)
  }

  @Test func `a demand over several prefetches raises each, in ascending order`() {
    var table = Table(longest: 512)
    let high = Self.request(&table, 128..<192, waiter: nil, purpose: .prefetch)
    let low = Self.request(&table, 0..<64, waiter: nil, purpose: .prefetch)
    let demand = Self.request(&table, 0..<192)
    #expect(demand.raised == [low.starts[0].flight, high.starts[0].flight])
    #expect(demand.starts.map(\.purpose) == [.demand])
  }

  @Test func `readers who join a prefetch and leave do not cancel it`() {
    var table = Table(longest: 512)
    let prefetch = Self.request(&table, 0..<10, waiter: nil, purpose: .prefetch)
    let reader = Self.request(&table, 0..<10, waiter: 2)
    #expect(Self.leave(&table, reader) == [])
    #expect(Array(table.completed(Self.flights(prefetch)[0])) == [])
  }

  @Test func `the task that asked for a prefetch cancels it by leaving`() {
    var table = Table(longest: 512)
    let prefetch = Self.request(&table, 0..<10, waiter: nil, purpose: .prefetch)
    #expect(Self.leave(&table, prefetch) == Self.flights(prefetch))
  }

  @Test func `a prefetch given up goes on for the readers who joined`() {
    var table = Table(longest: 512)
    let prefetch = Self.request(&table, 0..<10, waiter: nil, purpose: .prefetch)
    let reader = Self.request(&table, 0..<10, waiter: 2)
    #expect(Self.leave(&table, prefetch) == [])
    #expect(Self.leave(&table, reader) == Self.flights(prefetch))
  }

  @Test func `a flight that two prefetches want is cancelled when both have left`() {
    var table = Table(longest: 512)
    let first = Self.request(&table, 0..<10, waiter: nil, purpose: .prefetch)
    let second = Self.request(&table, 0..<10, waiter: nil, purpose: .prefetch)
    #expect(Self.leave(&table, first) == [])
    #expect(Self.leave(&table, second) == Self.flights(first))
  }

  @Test func `a prefetch keeps a demand's flight under way after the demand has left`() {
    var table = Table(longest: 512)
    let reader = Self.request(&table, 0..<10)
    _ = Self.request(&table, 0..<10, waiter: nil, purpose: .prefetch)
    #expect(Self.leave(&table, reader) == [])
    #expect(Array(table.completed(Self.flights(reader)[0])) == [])
  }

  // MARK: Generations

  @Test func `a newer generation joins nothing of an older one`() {
    var table = Table(longest: 512)
    let old = Self.request(&table, 0..<10)
    let new = Self.request(&table, 0..<10, waiter: 2, generation: 2)
    #expect(Self.started(new) == [0..<64])
    #expect(table.joinable.count == 1)
    #expect(Self.flights(Self.request(&table, 5..<10, waiter: 3, generation: 2)) == Self.flights(new))
    #expect(Array(table.completed(Self.flights(old)[0])) == [1])
    #expect(Array(table.completed(Self.flights(new)[0])) == [2, 3])
    #expect(table.isEmpty)
  }

  @Test func `widening takes no notice of flights of an older generation`() {
    var table = Table(longest: 512)
    _ = Self.request(&table, 20..<30, widen: Self.exact)
    #expect(Self.started(Self.request(&table, 10..<15, waiter: 2, generation: 2)) == [0..<64])
  }

  @Test func `a detached flight is left like any other`() {
    var table = Table(longest: 512)
    let plans = (1...2).map { Self.request(&table, 0..<10, waiter: $0) }
    let new = Self.request(&table, 0..<10, waiter: 3, generation: 2)
    #expect(Self.leave(&table, plans[0]) == [])
    #expect(Self.leave(&table, plans[1]) == Self.flights(plans[0]))
    #expect(Array(table.completed(Self.flights(plans[0])[0])) == [])
    #expect(Self.flights(Self.request(&table, 0..<10, waiter: 4, generation: 2)) == Self.flights(new))
  }

  @Test func `a request of an older generation joins none and is joined by none`() {
    var table = Table(longest: 512)
    let new = Self.request(&table, 0..<10, waiter: 1, generation: 2)
    let late = Self.request(&table, 0..<10, waiter: 2, generation: 1)
    #expect(Self.started(late) == [0..<64])
    #expect(late.joinedCount == 0)
    #expect(table.joinable.count == 1)
    let later = Self.request(&table, 0..<10, waiter: 3, generation: 1)
    #expect(Self.started(later) == [0..<64])
    #expect(Self.flights(Self.request(&table, 0..<10, waiter: 4, generation: 2)) == Self.flights(new))
    #expect(Array(table.completed(Self.flights(late)[0])) == [2])
    #expect(Self.leave(&table, later) == Self.flights(later))
    #expect(Array(table.completed(Self.flights(new)[0])) == [1, 4])
  }

  @Test func `the flights of a latecomer are laid out as any others`() {
    var table = Table(longest: 128)
    _ = Self.request(&table, 100..<110, generation: 2, widen: Self.exact)
    let late = Self.request(&table, 0..<10, 70..<300, waiter: 2, generation: 1)
    #expect(Self.started(late) == [0..<128, 128..<256, 256..<320])
    #expect(late.parts.map(\.range) == [0..<10, 70..<128, 128..<256, 256..<300])
  }
}
