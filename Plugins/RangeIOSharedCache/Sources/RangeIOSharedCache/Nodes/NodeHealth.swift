#if SharedCache

  /// Decides whether a node is worth asking, and for how long to wait. A value: times come in, decisions go out.
  struct NodeHealth: Hashable, Sendable {
    private enum Phase: Hashable {
      case up
      /// It owes an answer, and has given no sign since. Reads do not wait for it until there is one.
      case silent
      /// It is not asked before then.
      case down(until: Int64)
      /// A question of no consequence finds out whether it is up again.
      case probed
    }

    /// The decision about a request.
    enum Admission: Hashable {
      case ask
      /// It is answered as missing.
      case skip
      /// The same, and the node is to be probed beside it.
      case probe
    }

    private var phase = Phase.up
    private var failures = 0
    /// The node has refused the last look-up that it answered.
    private var isRefusing = false
    private var outages = 0
    private var times = ReplyTimes()

    /// So many failures in a row mean that a node is down.
    static let maxFailures = 3
    private static let minPause: Int64 = 100_000_000
    private static let maxPause: Int64 = 10_000_000_000
    /// No node that works is blamed for being scheduled so late.
    private static let usualHiccup: Int64 = 10_000_000
    private static let maxLimit: Int64 = 500_000_000
    /// An hour.
    static let maxWorth: Int64 = 3_600_000_000_000

    /// The time to wait for an answer, in nanoseconds: three times what 99 of 100 answers take. At most, and until that is known,
    /// five times `worth`, or the greater of `worth` and 500 ms if that is less.
    ///
    /// - Parameter worth: the time that an answer is worth. So long, or ten milliseconds, is always permitted.
    func limit(worth: Int64) -> Int64 {
      let worth = min(worth, Self.maxWorth)
      let most = min(5 * worth, max(worth, Self.maxLimit))
      guard let usual = times.percentile99 else { return most }
      return min(max(3 * usual, min(worth, Self.usualHiccup)), most)
    }

    /// The node has not been given up.
    var isUp: Bool { phase == .up || phase == .silent }

    /// Decides about a request. The first one after a pause begins a probe.
    ///
    /// - Parameter isOfReads: whether something waits for the answer.
    mutating func admits(_ isOfReads: Bool, at now: Int64) -> Admission {
      switch phase {
      case .up: return .ask
      case .silent: return isOfReads ? .skip : .ask
      case .probed: return .skip
      case .down(let until):
        guard now >= until else { return .skip }
        phase = .probed
        return .probe
      }
    }

    /// An answer has come that was not waited for any more: the next ones may take as long.
    ///
    /// - Parameter nanoseconds: the time that it took; `nil`: it says nothing of others.
    mutating func late(after nanoseconds: Int64?) {
      if let nanoseconds { times.record(nanoseconds) }
      if phase == .silent { phase = .up }
    }

    /// A connection is there that was waited for.
    mutating func connected() {
      if phase == .silent { phase = .up }
    }

    /// An answer has come in time.
    ///
    /// - Parameter nanoseconds: the time that it took; `nil`: of a value that was put. It says nothing of the time of others, nor of
    ///   look-ups that the node refuses.
    mutating func answered(after nanoseconds: Int64?) {
      if let nanoseconds {
        times.record(nanoseconds)
        isRefusing = false
      } else if isRefusing {
        return
      }
      phase = .up
      failures = 0
      outages = 0
    }

    /// A node that was down has answered a probe. If its answers to reads are late again it rests longer than before.
    mutating func probeAnswered() {
      phase = .up
      failures = 0
    }

    /// A request got no answer in time.
    ///
    /// - Parameters:
    ///   - isSilent: whether nothing at all has come since.
    ///   - random: from 0 to below 1.
    mutating func failed(isSilent: Bool, at now: Int64, random: Double) {
      // Of several that wait for the same answer the first one counts.
      guard phase == .up else { return }
      failures += 1
      if failures >= Self.maxFailures { return rest(now, random) }
      if isSilent { phase = .silent }
    }

    /// It refuses a look-up: it wants a password, still reads its data from a disk, or its cluster is down.
    mutating func refused(at now: Int64, random: Double) {
      isRefusing = true
      // It is not silent.
      late(after: nil)
      failed(isSilent: false, at: now, random: random)
    }

    /// It cannot be connected to, has closed its connections, or has been silent for too long.
    mutating func lost(at now: Int64, random: Double) {
      if case .down = phase { return }
      rest(now, random)
    }

    private mutating func rest(_ now: Int64, _ random: Double) {
      let pause = min(Self.minPause << Int64(min(outages, 10)), Self.maxPause)
      outages += 1
      // Between half and all of it, so that not all processes come back at once.
      phase = .down(until: now + pause / 2 + Int64(Double(pause / 2) * random))
    }
  }
#endif
