import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// When sweeps happen, by a clock that the test moves.
struct ExpiryTimerTests {
  private let clock = ManualClock()
  private let executor = JobCount()
  private let sweeps = Tally()

  private func restart(_ timer: ExpiryTimer, age: Duration?, idle: Duration? = nil, answer: Bool = true) {
    timer.restart(age: age, idle: idle, ReadClock(clock), BackgroundWork(executor: executor)) { [sweeps] in
      sweeps.change(by: 1)
      return answer
    }
    executor.run()
  }

  private func advance(by duration: Duration) {
    clock.advance(by: duration)
    executor.run()
  }

  @Test func `it sweeps four times in the shortest limit, but not all the time nor hardly ever`() {
    let timer = ExpiryTimer()
    for (age, idle, interval) in [
      (.seconds(40), nil, .seconds(10)), (.seconds(40), .seconds(20), .seconds(5)), (.zero, nil, .milliseconds(10)),
      (nil, .seconds(1000), .seconds(60)),
    ] as [(Duration?, Duration?, Duration)] {
      restart(timer, age: age, idle: idle)
      let before = sweeps.now
      advance(by: interval - .milliseconds(1))
      #expect(sweeps.now == before)
      for count in 1...3 {
        advance(by: count == 1 ? .milliseconds(1) : interval)
        #expect(sweeps.now == before + count)
      }
    }
  }

  @Test func `without limits no task sleeps, and changing them often leaves one sleeper`() {
    let timer = ExpiryTimer()
    for _ in 0..<100 { restart(timer, age: .seconds(100)) }
    #expect(clock.sleeperCount == 1)
    restart(timer, age: nil)
    #expect(clock.sleeperCount == 0)
    advance(by: .seconds(1000))
    #expect(sweeps.now == 0)
  }

  @Test func `it ends when the store is gone, or itself is`() {
    var timer: ExpiryTimer? = ExpiryTimer()
    restart(timer!, age: .seconds(40), answer: false)
    advance(by: .seconds(10))
    #expect(sweeps.now == 1)
    #expect(clock.sleeperCount == 0)
    restart(timer!, age: .seconds(40))
    #expect(clock.sleeperCount == 1)
    timer = nil
    executor.run()
    #expect(clock.sleeperCount == 0)
  }
}
