import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// The state machine, event by event.
struct SpillBreakerTests {
  private func at(_ seconds: Int64) -> ReadClock.Instant { ReadClock.Instant(nanoseconds: seconds * 1_000_000_000) }

  private func opened(at seconds: Int64 = 0) -> SpillBreaker {
    var breaker = SpillBreaker()
    for _ in 0..<3 { breaker.failed(.go, now: at(seconds)) }
    return breaker
  }

  @Test func `three errors within a minute open it, and two do not`() {
    var breaker = SpillBreaker()
    #expect(breaker.ask(now: at(0)) == .go)
    #expect(breaker.failed(.go, now: at(0)) == false)
    #expect(breaker.failed(.go, now: at(30)) == false)
    // The first is more than a minute ago.
    #expect(breaker.failed(.go, now: at(61)) == false)
    #expect(breaker.failed(.go, now: at(62)) == true)
    #expect(breaker.state == .open && breaker.openings == 1)
  }

  @Test func `one call that stalls opens it`() {
    var breaker = SpillBreaker()
    #expect(breaker.stalled(.go, now: at(0)) == true)
    #expect(breaker.state == .open)
    #expect(breaker.stalled(.go, now: at(0)) == false)
    #expect(breaker.openings == 1)
  }

  @Test func `while it is open nothing goes through, then one call at a time`() {
    var breaker = opened()
    #expect(breaker.ask(now: at(4)) == .refused)
    #expect(!breaker.lets(now: at(4)) && breaker.lets(now: at(5)))
    #expect(breaker.ask(now: at(5)) == .tries(1))
    #expect(breaker.state == .trying)
    #expect(breaker.ask(now: at(6)) == .refused)
    breaker.succeeded(.tries(1))
    #expect(breaker.ask(now: at(6)) == .tries(2))
    breaker.withdraw(.tries(2))
    #expect(breaker.ask(now: at(6)) == .tries(3))
  }

  @Test func `the pause doubles from five seconds to five minutes, and begins anew once it was closed`() {
    var breaker = opened()
    var now: Int64 = 0
    for pause in [5, 10, 20, 40, 80, 160, 300, 300] as [Int64] {
      #expect(breaker.ask(now: at(now + pause - 1)) == .refused)
      now += pause
      let permit = breaker.ask(now: at(now))
      #expect(permit != .refused && permit != .go)
      #expect(breaker.failed(permit, now: at(now)) == true)
    }
    now += 300
    for _ in 0..<10 { breaker.succeeded(breaker.ask(now: at(now))) }
    #expect(breaker.state == .closed && breaker.closings == 1)
    breaker.stalled(.go, now: at(now))
    #expect(breaker.opensAgainAt == at(now + 5))
  }

  @Test func `ten successes one after the other close it, and nine do not`() {
    var breaker = opened()
    for number in 1...10 {
      #expect(breaker.state != .closed)
      #expect(breaker.ask(now: at(5)) == .tries(number))
      breaker.succeeded(.tries(number))
    }
    #expect(breaker.state == .closed && breaker.closings == 1)
    #expect(breaker.ask(now: at(5)) == .go)
    // Errors of before do not count.
    #expect(breaker.failed(.go, now: at(5)) == false)
  }

  @Test func `what ends late of a try that is over says nothing about the one that is under way`() {
    var breaker = opened()
    let first = breaker.ask(now: at(5))
    #expect(breaker.stalled(first, now: at(6)) == true)
    let second = breaker.ask(now: at(16))
    #expect(second == .tries(2))
    breaker.succeeded(first)
    breaker.withdraw(first)
    #expect(breaker.ask(now: at(16)) == .refused)
    #expect(breaker.failed(first, now: at(16)) == false)
    #expect(breaker.stalled(first, now: at(16)) == false)
    #expect(breaker.state == .trying)
    breaker.succeeded(second)
    #expect(breaker.ask(now: at(16)) == .tries(3))
  }

  @Test func `calls of before it was opened neither open nor close it`() {
    var breaker = opened()
    #expect(breaker.failed(.go, now: at(1)) == false)
    breaker.succeeded(.go)
    let permit = breaker.ask(now: at(5))
    #expect(breaker.failed(.go, now: at(5)) == false)
    breaker.succeeded(.go)
    #expect(breaker.state == .trying)
    #expect(breaker.failed(permit, now: at(5)) == true)
    #expect(breaker.openings == 2)
  }
}
