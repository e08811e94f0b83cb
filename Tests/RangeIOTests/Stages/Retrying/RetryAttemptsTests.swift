import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Draws the longest wait there is.
struct LargestNumbers: RandomNumberGenerator, Sendable {
  // A value without contents has no address, and the thread sanitizer of Swift 6.3 traps when one is handed over.
  private var drawn = 0

  mutating func next() -> UInt64 {
    drawn += 1
    return .max
  }
}

struct RetryAttemptsTests {
  @Test func `no wait is negative, whatever it was set to`() {
    var backoff = Backoff.exponentialBackoff(attempts: 5)
    backoff.base = .seconds(-1)
    #expect(waits(backoff).allSatisfy { $0 == .zero })
    backoff.base = .seconds(1)
    backoff.cap = .seconds(-1)
    #expect(waits(backoff).allSatisfy { $0 == .zero })
  }

  private func waits(_ backoff: Backoff, retryAfter: Duration? = nil, timeLeft: Duration? = nil) -> [Duration] {
    var attempts = RetryAttempts(backoff)
    var random = LargestNumbers()
    var waits: [Duration] = []
    while case .wait(let wait) = attempts.failed(
      retryAfter: retryAfter, timeLeft: timeLeft, isAllowed: true, &random)
    {
      waits.append(wait)
    }
    return waits
  }

  @Test func `the longest wait doubles up to the cap`() {
    #expect(
      waits(.exponentialBackoff(attempts: 7, base: .milliseconds(100), cap: .seconds(1)))
        == [100, 200, 400, 800, 1000, 1000].map { .milliseconds($0) })
    #expect(waits(.exponentialBackoff(attempts: 1)) == [])
    #expect(waits(.exponentialBackoff(attempts: 3, base: .zero)) == [.zero, .zero])
  }

  @Test func `no wait overflows, however many there are`() {
    let backoff = Backoff.exponentialBackoff(attempts: .max, base: .seconds(1 << 30), cap: .seconds(1 << 33))
    #expect(backoff.longestWait(before: 3) == .seconds(1 << 33))
    #expect(backoff.longestWait(before: 4) == .seconds(1 << 33))
    #expect(backoff.longestWait(before: 1000) == .seconds(1 << 33))
    #expect(Backoff.exponentialBackoff(base: .nanoseconds(1)).longestWait(before: 62) == .seconds(10))
  }

  @Test func `waits are drawn evenly from zero to the longest`() {
    let backoff = Backoff.exponentialBackoff(attempts: 5, base: .milliseconds(8), cap: .milliseconds(50))
    for retry in 0..<5 {
      var random = TestRandom(UInt64(retry))
      let longest = backoff.longestWait(before: retry)
      var tenths = [Int](repeating: 0, count: 10)
      var isWithin = true
      for _ in 0..<10_000 {
        let wait = backoff.wait(before: retry, &random)
        isWithin = isWithin && wait >= .zero && wait <= longest
        tenths[min(9, Int(wait / longest * 10))] += 1
      }
      #expect(isWithin)
      // A thousand each, give or take five standard deviations.
      #expect(tenths.allSatisfy { (850...1150).contains($0) }, "\(tenths)")
    }
  }

  @Test func `what a source asks for comes before the wait`() {
    let backoff = Backoff.exponentialBackoff(attempts: 3, base: .milliseconds(100))
    #expect(waits(backoff, retryAfter: .seconds(2)) == [.milliseconds(2100), .milliseconds(2200)])
    #expect(waits(backoff, retryAfter: .seconds(-2)) == [.milliseconds(100), .milliseconds(200)])
    #expect(waits(backoff, retryAfter: .seconds(61)) == [])
    var patient = backoff
    patient.maxRetryAfter = .seconds(61)
    #expect(waits(patient, retryAfter: .seconds(61)).count == 2)
  }

  @Test func `by default the waits are half a minute together, in the mean`() {
    let all = waits(.exponentialBackoff())
    #expect(all.count == 12 && all.reduce(.zero, +) / 2 == .milliseconds(31_350))
  }

  @Test func `no try begins long after the first failure, not counting what was asked for`() {
    func tries(_ backoff: Backoff, each: Duration, retryAfter: Duration? = nil) -> (Int, Duration) {
      var (attempts, random) = (RetryAttempts(backoff), LargestNumbers())
      var (tries, elapsed) = (1, Duration.zero)
      while case .wait(let wait) = attempts.failed(
        retryAfter: retryAfter, elapsed: elapsed, timeLeft: nil, isAllowed: true, &random)
      {
        tries += 1
        elapsed += wait + each
      }
      return (tries, elapsed)
    }
    #expect(Backoff.exponentialBackoff().longestTime == .milliseconds(62_700))
    // A server that is silent for half a minute each time.
    let silent = tries(.exponentialBackoff(), each: .seconds(30))
    #expect(silent.0 == 4 && silent.1 < .seconds(93))
    #expect(tries(.exponentialBackoff(), each: .zero).0 == 13)
    #expect(tries(.exponentialBackoff(attempts: 4), each: .seconds(15)).0 == 4)
    #expect(tries(.exponentialBackoff(), each: .zero, retryAfter: .seconds(60)).0 == 13)
    // Many tries have the time of all their waits.
    let many = Backoff.exponentialBackoff(attempts: 1001)
    #expect(many.longestTime == .milliseconds(12_700) + .seconds(10 * 993))
    let endless = Backoff.exponentialBackoff(attempts: .max, base: .seconds(1 << 30), cap: .seconds(1 << 33))
    #expect(endless.longestTime > .seconds(1 << 33))
  }

  @Test func `what was never reached, or is not here, is tried a few times only`() {
    var unreached = ReadError.passing
    unreached.isUnreached = true
    let lacking = ReadError.errno(.noMemory, "read the file", .init(source: "f"))
    #expect([unreached, lacking, .passing].map(\.maxTries) == [6, 4, .max])
    var random = LargestNumbers()
    var attempts = RetryAttempts(.exponentialBackoff())
    var all: [Duration] = []
    while case .wait(let wait) = attempts.failed(
      retryAfter: nil, timeLeft: nil, isAllowed: true, most: 6, &random)
    {
      all.append(wait)
    }
    #expect(all.count == 5 && all.reduce(.zero, +) == .milliseconds(3100))
    attempts = RetryAttempts(.exponentialBackoff(attempts: 2))
    #expect(attempts.failed(retryAfter: nil, timeLeft: nil, isAllowed: true, most: 6, &random) != .giveUp)
    #expect(attempts.failed(retryAfter: nil, timeLeft: nil, isAllowed: true, most: 6, &random) == .giveUp)
  }

  @Test func `no wait reaches the deadline`() {
    let backoff = Backoff.exponentialBackoff(attempts: 9, base: .milliseconds(100))
    #expect(waits(backoff, timeLeft: .milliseconds(400)) == [.milliseconds(100), .milliseconds(200)])
    #expect(waits(backoff, timeLeft: .zero) == [])
    #expect(waits(backoff, timeLeft: .milliseconds(-5)) == [])
  }

  @Test func `what the budget forbids is told apart from what was enough`() {
    var random = LargestNumbers()
    var attempts = RetryAttempts(.exponentialBackoff(attempts: 2))
    #expect(attempts.failed(retryAfter: nil, timeLeft: nil, isAllowed: false, &random) == .refused)
    #expect(attempts.failed(retryAfter: nil, timeLeft: nil, isAllowed: false, &random) == .giveUp)
    #expect(attempts.failures == 2)
  }
}

struct RetryBudgetTests {
  @Test func `an allowance is what may be retried before anything succeeds`() {
    var tokens = RetryTokens(allowance: 3, share: 0.5)
    #expect((0..<6).map { _ in tokens.failed() } == [true, true, true, false, false, false])
    #expect(tokens.thousandths == 0)
    #expect(tokens.failed() == false)
    #expect(tokens.thousandths == 0)
  }

  @Test func `after trouble a source has to answer well for a while`() {
    var tokens = RetryTokens(allowance: 2, share: 0.5)
    for _ in 0..<10 { _ = tokens.failed() }
    for _ in 0..<6 {
      #expect(!tokens.allowsRetries)
      tokens.succeeded()
    }
    #expect(tokens.failed() == true)
    #expect(!tokens.allowsRetries)
    for _ in 0..<100 { tokens.succeeded() }
    #expect(tokens.thousandths == tokens.most)
  }

  @Test(arguments: testSeeds)
  func `retries are never more than the allowance and the share`(seed: UInt64) {
    var random = TestRandom(seed)
    let (allowance, share) = (1 + random.below(20), Double(random.below(101)) / 100)
    var tokens = RetryTokens(allowance: allowance, share: share)
    var (retries, successes) = (0, 0)
    let badness = random.below(101)
    for _ in 0..<5000 {
      if random.below(100) < badness {
        retries += tokens.failed() ? 1 : 0
      } else {
        tokens.succeeded()
        successes += 1
      }
      // Not expected one by one, which takes long.
      guard (0...tokens.most).contains(tokens.thousandths),
        Double(retries) <= Double(allowance) + share * Double(successes) + 1e-6
      else {
        Issue.record("seed \(seed): \(retries) retries after \(successes) successes, \(tokens)")
        return
      }
    }
  }
}
