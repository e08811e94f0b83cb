import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

struct HedgePlanTests {
  @Test func `a quantile is at most a quarter too long`() {
    var latencies = DecayedLatencies()
    for milliseconds in 1...100 { latencies.add(.milliseconds(milliseconds)) }
    let late = latencies.quantile(0.95)
    #expect(late >= .milliseconds(95) && late <= .milliseconds(119))
    #expect(latencies.quantile(0.5) >= .milliseconds(50) && latencies.quantile(0.5) <= .milliseconds(63))
    #expect(DecayedLatencies().quantile(0.95) == .zero)
  }

  @Test func `what was long ago counts less and less`() {
    var latencies = DecayedLatencies()
    for _ in 0..<5000 { latencies.add(.seconds(1)) }
    #expect(latencies.quantile(0.95) >= .seconds(1))
    #expect(latencies.count <= DecayedLatencies.maxCount)
    for _ in 0..<3000 { latencies.add(.milliseconds(1)) }
    #expect(latencies.quantile(0.5) < .milliseconds(2))
    for _ in 0..<3000 { latencies.add(.milliseconds(1)) }
    #expect(latencies.quantile(0.95) < .milliseconds(2))
  }

  @Test func `nothing is late before enough is known of its size`() {
    var plan = HedgePlan(quantile: 0.95, share: 1, leastSamples: 20)
    for _ in 0..<20 {
      #expect(plan.began(1000) == nil)
      plan.succeeded(1000, after: .milliseconds(10))
    }
    #expect(plan.began(1000) != nil)
    #expect(plan.began(65_536) != nil)
    #expect(plan.began(65_537) == nil)
    #expect([1, 65_536, 65_537, 1 << 20, 1 << 24, 1 << 25].map(HedgePlan.sizeClass) == [0, 0, 1, 1, 2, 3])
  }

  @Test func `second tries are a share of the reads, some of them saved up`() {
    var plan = HedgePlan(quantile: 0.95, share: 0.05, leastSamples: 1)
    plan.succeeded(10, after: .milliseconds(1))
    for _ in 0..<19 { #expect(plan.began(10) == nil) }
    #expect(plan.began(10) != nil)
    #expect(plan.isLate() == true)
    #expect(plan.isLate() == false)
    for _ in 0..<10_000 { _ = plan.began(10) }
    #expect((0..<20).filter { _ in plan.isLate() }.count == HedgePlan.maxSaved)
    plan.wasNotLate()
    #expect(plan.isLate() == true)
  }
}

/// A read and its second try, event by event.
struct HedgeRaceTests {
  private typealias Race = HedgeRace<Int>

  private struct Seen: Equatable {
    var value: Int?
    var message: String?
    var cancel: Race.Try?
  }

  private func seen(_ action: Race.Action) -> Seen? {
    guard case .answer(let result, let cancel) = action else { return nil }
    switch result {
    case .success(let value): return Seen(value: value, cancel: cancel)
    case .failure(let error): return Seen(message: (error as? ReadError)?.message, cancel: cancel)
    }
  }

  private func failure(_ message: String) -> Result<Int, any Error> { .failure(ReadError(.inputOutput, message)) }

  @Test func `the first success answers, and the other try is cancelled`() {
    var race = Race()
    #expect(race.secondBegins() == true)
    #expect(race.secondBegins() == false)
    #expect(seen(race.ended(.second, .success(2))) == Seen(value: 2, cancel: .first))
    #expect(seen(race.ended(.first, .success(1))) == nil)
    var other = Race()
    #expect(other.secondBegins() == true)
    #expect(seen(other.ended(.first, .success(1))) == Seen(value: 1, cancel: .second))
    #expect(seen(other.ended(.second, failure("late"))) == nil)
  }

  @Test func `a try that ends before the second begins answers alone`() {
    var race = Race()
    #expect(seen(race.ended(.first, .success(1))) == Seen(value: 1))
    #expect(race.secondBegins() == false)
    var failed = Race()
    #expect(seen(failed.ended(.first, failure("only"))) == Seen(message: "only"))
    #expect(failed.secondBegins() == false)
  }

  @Test(arguments: [(Race.Try.first, Race.Try.second), (.second, .first)])
  private func `if one fails the other is waited for, and of two errors the one that came first counts`(
    one: Race.Try, other: Race.Try
  ) {
    var race = Race()
    _ = race.secondBegins()
    #expect(seen(race.ended(one, failure("earlier"))) == nil)
    #expect(seen(race.ended(other, .success(7))) == Seen(value: 7))
    var lost = Race()
    _ = lost.secondBegins()
    _ = lost.ended(one, failure("earlier"))
    #expect(seen(lost.ended(other, failure("later"))) == Seen(message: "earlier"))
  }

  @Test func `nothing begins for one who has gone`() {
    var race = Race()
    race.left()
    #expect(race.secondBegins() == false)
    #expect(seen(race.ended(.first, .success(1))) == nil)
  }
}
