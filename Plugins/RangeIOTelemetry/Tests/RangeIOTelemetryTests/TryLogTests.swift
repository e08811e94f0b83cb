#if Telemetry
  import RangeIO
  import Testing

  @testable import RangeIOTelemetry

  struct TryLogTests {
    private var log = TryLog()
    private let ranges: [ByteRange] = [0..<10]

    @Test mutating func `one try is neither retry nor hedge`() {
      let (number, start) = log.began(ranges)
      #expect(number == 1 && start == .first)
      #expect(log.ended(number, .answered) == false)
      #expect(log.tries == 1 && log.retries == 0 && log.hedges == 0)
    }

    @Test mutating func `a try after a failed one is a retry, and knows what failed`() {
      let first = log.began(ranges)
      _ = log.ended(first.number, .failed("timedOut"))
      #expect(log.began(ranges).start == .retry(after: "timedOut"))
      #expect(log.retries == 1 && log.hedges == 0)
    }

    @Test mutating func `a try beside another is a hedge, and wins if it answers first`() {
      let first = log.began(ranges)
      let second = log.began(ranges)
      #expect(second.start == .hedge)
      #expect(log.ended(second.number, .answered) == true)
      #expect(log.ended(first.number, .answered) == false)
      #expect(log.hedges == 1 && log.retries == 0)
    }

    @Test mutating func `a hedge that answers second has not won`() {
      let first = log.began(ranges)
      let second = log.began(ranges)
      #expect(log.ended(first.number, .answered) == false)
      #expect(log.ended(second.number, .answered) == false)
    }

    @Test mutating func `a hedge whose other try failed wins`() {
      let first = log.began(ranges)
      let second = log.began(ranges)
      #expect(log.ended(first.number, .failed("timedOut")) == false)
      #expect(log.ended(second.number, .answered) == true)
    }

    @Test mutating func `after a try that was cancelled comes a retry, even while that one still runs`() {
      let first = log.began(ranges)
      _ = log.ended(first.number, .failed(TryLog.cancelled))
      let second = log.began(ranges)
      #expect(second.start == .retry(after: TryLog.cancelled))
      // The cancelled one returns at last.
      #expect(log.ended(first.number, .answered) == false)
      #expect(log.ended(second.number, .answered) == false)
      #expect(log.tries == 2 && log.hedges == 0)
    }

    @Test mutating func `both of a race fail, and the next try is a retry`() {
      let (first, second) = (log.began(ranges), log.began(ranges))
      _ = log.ended(second.number, .failed("b"))
      _ = log.ended(first.number, .failed("a"))
      #expect(log.began(ranges).start == .retry(after: "a"))
    }

    @Test mutating func `the parts of one fetch have tries of their own`() {
      _ = log.began([0..<10])
      #expect(log.began([10..<20]).start == .first)
      #expect(log.began([0..<10, 10..<20]).start == .first)
      #expect(log.tries == 3 && log.hedges == 0)
    }

    @Test mutating func `what was answered and is read again is no retry`() {
      let first = log.began(ranges)
      _ = log.ended(first.number, .answered)
      #expect(log.began(ranges).start == .first)
      #expect(log.retries == 0)
    }

    @Test mutating func `the loser of a race does not make the next read a retry`() {
      let (first, second) = (log.began(ranges), log.began(ranges))
      _ = log.ended(second.number, .answered)
      _ = log.ended(first.number, .failed(TryLog.cancelled))
      #expect(log.began(ranges).start == .first)
    }

    @Test mutating func `beyond the limit tries are counted and not told apart`() {
      for _ in 0..<TryLog.limit {
        let (number, _) = log.began(ranges)
        _ = log.ended(number, .failed("x"))
      }
      #expect(log.retries == TryLog.limit - 1)
      for _ in 0..<3 { #expect(log.began(ranges).start == .unknown) }
      #expect(log.tries == TryLog.limit + 3 && log.retries == TryLog.limit - 1)
      #expect(log.ended(TryLog.limit + 1, .answered) == false)
    }
  }
#endif
