import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct LatencyHistogramTests {
  /// The buckets' ends by their definition: four equal steps to each power of two from 4 on.
  private static let ends: [Int64] = {
    var ends: [Int64] = [0, 1, 2, 3]
    var power: Int64 = 4
    while ends.count < LatencyHistogram.bucketCount {
      for step in 1...4 { ends.append(power + Int64(step) * (power / 4) - 1) }
      power *= 2
    }
    return ends
  }()

  @Test func `every duration up to 100 microseconds falls into the first bucket that ends at it or later`() {
    var bucket = 0
    for nanoseconds in Int64(0)...100_000 {
      while Self.ends[bucket] < nanoseconds { bucket += 1 }
      guard LatencyHistogram.bucket(nanoseconds) == bucket else {
        Issue.record("\(nanoseconds) ns: \(LatencyHistogram.bucket(nanoseconds)) instead of \(bucket)")
        return
      }
    }
  }

  @Test func `each bucket's ends are its own, and the next number the next bucket's`() {
    #expect(Self.ends.count == LatencyHistogram.bucketCount)
    for bucket in 0..<LatencyHistogram.bucketCount {
      let end = Self.ends[bucket]
      #expect(LatencyHistogram.end(of: bucket) == end)
      #expect(LatencyHistogram.bucket(end) == bucket)
      #expect(LatencyHistogram.bucket(end + 1) == Swift.min(bucket + 1, LatencyHistogram.bucketCount - 1))
      if bucket > 0 {
        let start = Self.ends[bucket - 1] + 1
        #expect(LatencyHistogram.bucket(start) == bucket)
        #expect((end - start + 1) * 4 <= start || end == start, "at most a quarter too high")
      }
    }
  }

  @Test func `durations beyond all buckets fall into the last, negative ones into the first`() {
    #expect(LatencyHistogram.bucket(.max) == LatencyHistogram.bucketCount - 1)
    #expect(LatencyHistogram.bucket(-1) == 0)
    #expect(LatencyHistogram.bucket(.min) == 0)
  }

  @Test func `an empty histogram has no count or quantiles`() {
    let empty = LatencyRecorder().snapshot()
    #expect(empty.count == 0)
    #expect(empty.quantile(0.5) == .zero)
  }

  @Test(arguments: testSeeds.prefix(10))
  func `quantiles agree with a sorted list, at most a quarter too high`(seed: UInt64) {
    var random = TestRandom(seed)
    let recorder = LatencyRecorder()
    let durations = (0..<1 + random.below(500)).map { _ in Int64(random.below(1 << (1 + random.below(40)))) }.sorted()
    for duration in durations { recorder.add(.nanoseconds(duration)) }
    let histogram = recorder.snapshot()
    #expect(histogram.count == durations.count)
    // Eighths, so that products with the count are exact.
    for eighth in 0...8 {
      let rank = Swift.max(1, (durations.count * eighth + 7) / 8)
      let exact = durations[rank - 1]
      let answer = histogram.quantile(Double(eighth) / 8).nanoseconds
      #expect(answer == Self.ends.first { $0 >= exact }, "seed \(seed), \(eighth)/8 of \(durations.count)")
      #expect(Double(answer) <= Double(exact) * 1.25)
    }
    #expect(histogram.quantile(-3) == histogram.quantile(0))
    #expect(histogram.quantile(7) == histogram.quantile(1))
  }

  @Test func `many threads lose no count`() async {
    let recorder = LatencyRecorder()
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask { for _ in 0..<1000 { recorder.add(.nanoseconds(Int64(task % 2))) } }
      }
    }
    let histogram = recorder.snapshot()
    #expect(histogram.count == 8000)
    // Half of them are zero, and no more.
    #expect(histogram.quantile(0.5) == .zero && histogram.quantile(0.501) == .nanoseconds(1))
  }
}
