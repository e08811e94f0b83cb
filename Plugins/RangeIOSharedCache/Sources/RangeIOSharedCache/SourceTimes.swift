#if SharedCache

  /// How long fetches from the source take: a mean and a deviation, as TCP has them. A value.
  ///
  /// Source: [RFC 6298](https://www.rfc-editor.org/rfc/rfc6298), section 2.
  struct SourceTimes: Hashable, Sendable {
    private var mean: Double?
    private var deviation = 0.0

    mutating func record(_ time: Duration) {
      let seconds = time / .seconds(1)
      guard let mean else {
        (self.mean, deviation) = (seconds, seconds / 2)
        return
      }
      deviation = 0.75 * deviation + 0.25 * abs(mean - seconds)
      self.mean = 0.875 * mean + 0.125 * seconds
    }

    /// What nearly no fetch exceeds.
    func longest(insteadOf stated: Duration) -> Duration {
      let time = mean.map { Duration.seconds($0 + 4 * deviation) } ?? stated * 2
      return min(max(time, .milliseconds(2)), .seconds(10))
    }

    /// What a fetch usually takes.
    func usual(insteadOf stated: Duration) -> Duration { mean.map { .seconds($0) } ?? stated }
  }
#endif
