import RangeIO
import Testing

@testable import RangeIORemote

/// The facts learnt of an origin: habits, rates, distances.
struct OriginValueTests {
  @Test func `the least latency is that of an answer that waited for no others, of late`() {
    var measure = OriginMeasure()
    #expect(measure.leastLatency == measure.latency && measure.isYoung)
    measure.record(latency: .milliseconds(20))
    for _ in 0..<40 { measure.record(latency: .milliseconds(90)) }
    #expect(measure.leastLatency == .milliseconds(20) && measure.latency > .milliseconds(80))
    // The way there has become longer.
    for _ in 0..<64 { measure.record(latency: .milliseconds(90)) }
    #expect(measure.leastLatency > .milliseconds(89))
    for _ in 0..<8 { measure.record(bytes: 65_536, in: .milliseconds(1)) }
    #expect(!measure.isYoung)
  }

  @Test func `habits are learnt`() {
    var habits = Habits()
    #expect(!habits.skipsHead && !habits.ignoresRanges && !habits.refusesIfMatch && !habits.servesStale)
    habits.learn(.refusesHead)
    habits.learn(.ignoresRanges)
    habits.learn(.refusesIfMatch)
    habits.learn(.servesStale)
    habits.learn(.clockOffset(seconds: 3600))
    #expect(habits.skipsHead && habits.ignoresRanges && habits.refusesIfMatch && habits.servesStale)
    #expect(habits.clockOffset == 3600)
    habits.learn(.honoursRanges)
    habits.learn(.clockOffset(seconds: -10))
    #expect(!habits.ignoresRanges && habits.clockOffset == nil)
    var other = Habits()
    other.learn(.headLies)
    #expect(other.skipsHead)
  }

  @Test func `the server's clock decides when a redirect expires`() throws {
    var run = try ReadRun(route: expiring())
    #expect(run.request?.url.host == "cdn.example")
    // The server is an hour ahead: for it the signature has ended.
    run.answer(
      206,
      [
        "Date": HTTPDate(secondsSince1970: testNow + 3600).text, "ETag": "\"a\"", "Content-Range": "bytes 0-499/10000",
      ])
    #expect(run.machine.lessons == [.clockOffset(seconds: 3600)])
    run.ended(.complete, 500)
    #expect(run.request?.url.host == "example.org")
  }

  @Test func `the date of an answer out of a cache says nothing of a clock`() throws {
    var run = try ReadRun(route: expiring())
    run.answer(
      206,
      [
        "Date": oldDate, "Age": "1000000000", "ETag": "\"a\"", "Content-Range": "bytes 0-499/10000",
      ])
    #expect(run.machine.lessons.isEmpty)
  }

  private func expiring() throws -> Route {
    Route(origin: try ObjectURL("https://example.org/data.bin")).redirected(
      to: try ObjectURL("https://cdn.example/x"), isPermanent: false, lifetime: 1800, at: testNow)
  }

  private func expect(_ floor: inout RateFloor, at time: Duration, isSlow expected: Bool) {
    let isSlow = floor.isTooSlow(at: time)
    #expect(isSlow == expected, "at \(time)")
  }

  @Test func `a rate is judged over whole windows`() {
    var floor = RateFloor(bytesPerSecond: 1000, window: .seconds(10), at: .seconds(100))
    floor.received(10_000, at: .seconds(101))
    expect(&floor, at: .seconds(109), isSlow: false)
    expect(&floor, at: .seconds(110), isSlow: false)
    floor.received(9_999, at: .seconds(119))
    expect(&floor, at: .seconds(119), isSlow: false)
    expect(&floor, at: .seconds(120), isSlow: true)
  }

  @Test func `a floor of nothing lets everything pass`() {
    var floor = RateFloor(bytesPerSecond: 0, window: .zero, at: .zero)
    expect(&floor, at: .seconds(1_000_000), isSlow: false)
    floor = RateFloor(bytesPerSecond: -5, window: .seconds(-1), at: .zero)
    expect(&floor, at: .seconds(1), isSlow: false)
    floor.received(.max, at: .zero)
    floor.received(.max, at: .zero)
  }

  @Test func `fetch size and drain follow latency times bandwidth`() {
    var measure = OriginMeasure()
    #expect(measure.fetchSize == 1 << 20 && measure.drainLimit == 1 << 20)
    for _ in 0..<60 {
      measure.record(latency: .milliseconds(2))
      measure.record(bytes: 1_000_000, in: .milliseconds(100))
    }
    #expect(measure.fetchSize == 65_536 && (19_000...21_000).contains(measure.drainLimit))
    #expect(measure.cost.latency == measure.latency)
    for _ in 0..<60 {
      measure.record(latency: .milliseconds(20))
      measure.record(bytes: 25_000_000, in: .seconds(1))
    }
    #expect(measure.fetchSize == 524_288)
  }

  @Test func `a body that comes at once, or stands still for a while, does not hide how long others take`() {
    var measure = OriginMeasure()
    #expect(!measure.hasRate)
    for _ in 0..<10 { measure.record(bytes: 200_000, in: .milliseconds(100)) }
    measure.record(bytes: 40_000, in: .microseconds(1))
    #expect(measure.hasRate && abs(measure.bytesPerSecond - 2e6) < 1)
    measure.record(bytes: 300_000, in: .seconds(10))
    #expect(abs(measure.bytesPerSecond - 2e6) < 1)
    // Long bodies say more than short ones, of which most comes with the head.
    for _ in 0..<4 { measure.record(bytes: 40_000, in: .microseconds(1)) }
    #expect(abs(measure.bytesPerSecond - 2e6) < 1)
    // Where all of them come at once, it is quick indeed.
    for _ in 0..<100 { measure.record(bytes: 40_000, in: .microseconds(1)) }
    #expect(measure.bytesPerSecond > 1e9)
  }

  @Test func `impossible measurements change nothing`() {
    var measure = OriginMeasure()
    let fresh = measure
    measure.record(latency: .zero)
    measure.record(latency: .seconds(-1))
    measure.record(bytes: 32_767, in: .seconds(1))
    measure.record(bytes: 1_000_000, in: .zero)
    #expect(measure == fresh)
    measure.record(latency: .seconds(1_000_000_000))
    measure.record(bytes: .max, in: .nanoseconds(1))
    #expect(measure.fetchSize == 1 << 20 && measure.drainLimit == 1 << 20)
  }
}
