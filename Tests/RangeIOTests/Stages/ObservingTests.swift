import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct ObservingTests {
  @Test func `reads, bytes and times are counted`() async throws {
    let clock = SteppingClock(step: .microseconds(5))
    let observing = Observing()
    let reader = try await RangeReader(
      ContentSource(Array(0..<100)), [.observing(observing)], configuration: .init(time: ReadClock(clock)))
    #expect(observing.counted().reads == 0)
    for _ in 0..<3 { _ = try await reader.read(0..<10) }
    _ = try await reader.read([0..<1, 5..<7])
    let statistics = observing.counted()
    #expect(statistics.reads == 4)
    #expect(statistics.bytes == 33)
    #expect(statistics.failures == 0)
    #expect(statistics.cancellations == 0)
    #expect(statistics.latency.count == 4)
    #expect((5_000...6_250).contains(statistics.latency.quantile(0.5).nanoseconds))
    #expect(observing.latency(0.5) == statistics.latency.quantile(0.5))
    #expect(statistics.description.hasPrefix("4 reads, 33 bytes, 0 failures, 0 cancelled, median "))
  }

  @Test func `failures and cancellations are counted apart, and passed on`() async throws {
    let observing = Observing()
    let source = ContentSource(Array(0..<100)) { range, _ in
      if range.lowerBound == 0 { throw Refusal.no }
      throw CancellationError()
    }
    let reader = try await RangeReader(source, [.observing(observing)])
    await #expect(throws: Refusal.no) { try await reader.read(0..<1) }
    await #expect(throws: CancellationError.self) { try await reader.read(1..<2) }
    await #expect(throws: CancellationError.self) { try await reader.read(2..<3) }
    let statistics = observing.counted()
    #expect(statistics.reads == 0)
    #expect(statistics.bytes == 0)
    #expect(statistics.failures == 1)
    #expect(statistics.cancellations == 2)
  }

  @Test func `a reader's statistics tell of it as of all stages`() async throws {
    let observing = Observing()
    let reader = try await RangeReader(SyntheticSource(byteCount: 100), [.observing(observing)])
    _ = try await reader.read(0..<10)
    _ = try await reader.read(0..<20)
    let told = try #require(reader.statistics().stages.first)
    #expect(told.name == "Observing")
    #expect(told["reads"] == 2 && told["bytes"] == 30 && told["failures"] == 0 && told["cancelled"] == 0)
    let median = observing.counted().latency.quantile(0.5)
    #expect(told["median µs"] == Int(median / .microseconds(1)))
    await reader.close()
  }

  @Test func `what is at hand is counted as well, once`() async throws {
    let observing = Observing()
    let reader = try await RangeReader(
      SyntheticSource(byteCount: 100), [.observing(observing), .caching(MemoryStore(limit: .mebibytes(1)))])
    for _ in 0..<5 { _ = try await reader.read(0..<10) }
    #expect(observing.counted().reads == 5 && observing.counted().bytes == 50)
    await reader.close()
  }

  @Test func `one stage in several pipelines counts them together`() async throws {
    let observing = Observing()
    for _ in 0..<2 {
      let reader = try await RangeReader(ContentSource([1, 2, 3]), [.observing(observing), .observing(observing)])
      _ = try await reader.read(0..<3)
    }
    #expect(observing.counted().reads == 4)
    #expect(observing.counted().bytes == 12)
    #expect(Observing().counted().reads == 0)
  }
}

/// A clock that goes on by a step whenever it is looked at.
private final class SteppingClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private let step: Duration
  private let state = Locked(Instant(offset: .zero))
  let minimumResolution = Duration.nanoseconds(1)

  init(step: Duration) { self.step = step }

  var now: Instant {
    state.withLock { now in
      now = now.advanced(by: step)
      return now
    }
  }
  func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}
