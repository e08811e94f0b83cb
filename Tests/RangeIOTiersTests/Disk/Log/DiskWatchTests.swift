import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// One timer for all calls that are under way.
final class DiskWatchTests: Sendable {
  private let clock = ManualClock()
  private let executor = JobCount()
  private let events = Locked<[String]>([])

  private func makeWatch() -> DiskWatch {
    DiskWatch(
      ReadClock(clock), BackgroundWork(executor: executor), late: .milliseconds(100), stall: .milliseconds(1000))
  }

  private func begin(_ watch: DiskWatch, _ name: String) -> DiskWatch.Call {
    watch.begin(onLate: { [self] in events.withLock { $0.append("\(name) late") } }) { [self] in
      events.withLock { $0.append("\(name) stalls") }
    }
  }

  private func pass(_ milliseconds: Int) {
    for _ in 0..<milliseconds / 10 {
      executor.run()
      clock.advance(by: .milliseconds(10))
    }
    executor.run()
  }

  private var seen: [String] { events.withLock { $0 } }

  @Test func `a call is late after a tenth of a second, and stalls after a second, once each`() {
    let watch = makeWatch()
    let call = begin(watch, "a")
    pass(90)
    #expect(seen.isEmpty)
    pass(60)
    #expect(seen == ["a late"])
    pass(840)
    #expect(seen == ["a late"])
    pass(60)
    #expect(seen == ["a late", "a stalls"])
    pass(5000)
    #expect(seen == ["a late", "a stalls"])
    watch.end(call)
    #expect(watch.count == 0)
  }

  @Test func `a call that ends in time is not heard of, and the timer ends with the last one`() {
    let watch = makeWatch()
    let call = begin(watch, "a")
    pass(50)
    watch.end(call)
    pass(200)
    #expect(seen.isEmpty && clock.sleeperCount == 0)
    // And begins again.
    let other = begin(watch, "b")
    pass(150)
    #expect(seen == ["b late"])
    watch.end(other)
  }

  @Test func `one that gets on is not late`() {
    let watch = makeWatch()
    let call = begin(watch, "a")
    for _ in 0..<30 {
      pass(90)
      watch.renew(call)
    }
    #expect(seen.isEmpty)
    pass(150)
    #expect(seen == ["a late"])
    watch.end(call)
    watch.renew(call)
    #expect(watch.count == 0)
  }

  @Test func `many calls have one timer`() {
    let watch = makeWatch()
    let calls = (0..<100).map { begin(watch, "\($0)") }
    executor.run()
    #expect(clock.sleeperCount == 1)
    pass(150)
    #expect(seen.count == 100)
    for call in calls { watch.end(call) }
  }
}
