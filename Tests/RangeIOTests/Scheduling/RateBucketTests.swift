import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

struct RateBucketTests {
  private func at(_ nanoseconds: Int64) -> ReadClock.Instant { ReadClock.Instant(nanoseconds: nanoseconds) }

  @Test func `what is saved up goes at once, the rest at the rate`() {
    var bucket = RateBucket(bytesPerSecond: 1000, burst: 100)
    // Full at first: a hundred bytes now, and then one each millisecond.
    for _ in 0..<10 {
      #expect(bucket.earliest(10) <= at(0))
      bucket.take(10, at: at(0))
    }
    #expect(bucket.earliest(10) == at(10_000_000))
    bucket.take(10, at: at(10_000_000))
    #expect(bucket.earliest(1) == at(11_000_000))
    // After a long pause no more than the burst.
    #expect(bucket.earliest(100) == at(110_000_000))
    bucket.take(100, at: at(5_000_000_000))
    #expect(bucket.earliest(1) == at(5_001_000_000))
  }

  @Test func `more than the burst goes when the bucket is full, and is paid back`() {
    var bucket = RateBucket(bytesPerSecond: 1000, burst: 100)
    bucket.take(50, at: at(0))
    #expect(bucket.earliest(1000) == at(50_000_000))
    bucket.take(1000, at: at(50_000_000))
    #expect(bucket.earliest(100) == at(1_050_000_000))
    #expect(bucket.earliest(1) == at(951_000_000))
  }

  @Test func `what is given back was never taken`() {
    var bucket = RateBucket(bytesPerSecond: 3, burst: 7)
    bucket.take(5, at: at(1_000_000_000))
    let before = bucket
    bucket.take(6, at: at(1_500_000_000))
    bucket.giveBack(6)
    #expect(bucket == before)
  }

  @Test func `no number is too large`() {
    var slow = RateBucket(bytesPerSecond: 1, burst: 1)
    slow.take(.max, at: at(0))
    #expect(slow.earliest(1) == at(.max))
    var fast = RateBucket(bytesPerSecond: .max, burst: .max)
    #expect(fast.earliest(.max) == at(.min))
    fast.take(.max, at: at(0))
    #expect(fast.earliest(.max) == at(1_000_000_000))
    #expect(fast.earliest(0) == at(0))
  }

  @Test(arguments: [1, 2, 499_999_999, 500_000_000, 536_870_912, 999_999_999, 1_000_000_000, .max])
  func `a time that no number holds is for ever`(rate: Int) {
    for bytes in [1, 9_300_000_000, 1 << 62, .max] {
      var bucket = RateBucket(bytesPerSecond: rate, burst: bytes)
      _ = bucket.earliest(0)
      bucket.take(bytes, at: at(0))
      let seconds = Double(bytes) / Double(rate)
      #expect(bucket.earliest(bytes).nanoseconds >= (seconds < 9e9 ? Int64(seconds * 1e9 * 0.999_999) : .max / 2))
    }
  }

  @Test(arguments: testSeeds)
  func `in no time more goes than the rate, the burst and one read`(seed: UInt64) {
    var random = TestRandom(seed)
    let (rate, burst) = (1 + random.below(1_000_000), random.below(1000))
    var bucket = RateBucket(bytesPerSecond: rate, burst: burst)
    var now: Int64 = 0
    var gone: [(at: Int64, bytes: Int)] = []
    for _ in 0..<200 {
      let bytes = random.below(2000)
      now = max(now + Int64(random.below(3) * random.below(2_000_000)), bucket.earliest(bytes).nanoseconds)
      bucket.take(bytes, at: at(now))
      gone.append((now, bytes))
    }
    for (first, start) in gone.enumerated() {
      var sum = 0
      for end in gone[first...] {
        // The last one may be larger than what is left for it.
        let allowed = Double(burst) + Double(end.at - start.at) * Double(rate) / 1e9
        guard Double(sum + min(end.bytes, burst)) <= allowed + 1 else {
          Issue.record("seed \(seed): \(sum) bytes and \(end.bytes) where \(allowed) are allowed")
          return
        }
        sum += end.bytes
      }
    }
  }
}
