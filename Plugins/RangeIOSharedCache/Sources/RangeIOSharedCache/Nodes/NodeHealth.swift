#if SharedCache

  /// Whether a node is worth asking, and for how long to wait. A value: times come in, decisions go out.
  struct NodeHealth: Hashable, Sendable {
    private enum Phase: Hashable {
      case up
      /// It is not asked before then.
      case down(until: Int64)
      /// One request finds out whether it is up again.
      case trial
    }
    private var phase = Phase.up
    private var failures = 0
    private var outages = 0
    private var times = ReplyTimes()

    /// So many failures in a row mean that a node is down.
    static let mostFailures = 3
    private static let shortestPause: Int64 = 100_000_000
    private static let longestPause: Int64 = 10_000_000_000
    private static let firstLimit: Int64 = 100_000_000
    private static let shortestLimit: Int64 = 1_000_000
    private static let longestLimit: Int64 = 500_000_000

    /// How long an answer may take: three times what 99 of 100 answers take.
    var timeLimit: Int64 {
      guard let usual = times.percentile99 else { return Self.firstLimit }
      return min(max(3 * usual, Self.shortestLimit), Self.longestLimit)
    }

    /// The time that 99 of 100 answers take.
    var usualTime: Int64? { times.percentile99 }

    var isUp: Bool { phase == .up }

    /// Whether a request may be sent now.
    mutating func admits(at now: Int64) -> Bool {
      switch phase {
      case .up: return true
      case .trial: return false
      case .down(let until):
        guard now >= until else { return false }
        phase = .trial
        return true
      }
    }

    /// An answer has come that was not waited for any more: the next ones may take as long.
    mutating func late(after nanoseconds: Int64) { times.record(nanoseconds) }

    /// An answer has come in time.
    ///
    /// - Parameter nanoseconds: the time that it took; `nil`: it says nothing of others.
    mutating func answered(after nanoseconds: Int64?) {
      if let nanoseconds { times.record(nanoseconds) }
      phase = .up
      failures = 0
      outages = 0
    }

    /// A request got no answer in time, or none at all.
    ///
    /// - Parameter random: from 0 to below 1.
    mutating func failed(at now: Int64, random: Double) {
      failures += 1
      switch phase {
      case .up where failures < Self.mostFailures: break
      case .up, .trial: rest(now, random)
      case .down: break
      }
    }

    /// It cannot be connected to.
    mutating func lost(at now: Int64, random: Double) {
      if case .down = phase { return }
      rest(now, random)
    }

    private mutating func rest(_ now: Int64, _ random: Double) {
      let pause = min(Self.shortestPause << Int64(min(outages, 10)), Self.longestPause)
      outages += 1
      // Between half and all of it, so that not all processes come back at once.
      phase = .down(until: now + pause / 2 + Int64(Double(pause / 2) * random))
    }
  }
#endif
