#if SharedCache
  internal import RangeIO

  /// The time that a source takes to the first byte: a mean and a deviation, as TCP has them. A value.
  ///
  /// Source: [RFC 6298](https://www.rfc-editor.org/rfc/rfc6298), section 2; but the first deviation is an eighth, since what waits
  /// for a source gains little by waiting longer.
  struct SourceTimes: Hashable, Sendable {
    private let stated: Double
    private var mean: Double?
    private var deviation = 0.0

    /// - Parameter stated: what the source says of itself, until one is measured.
    init(stated: Duration) { self.stated = stated / .seconds(1) }

    /// A fetch of `byteCount` bytes took so long. The time that they are transferred in is no part of it, as far as the
    /// source's rate tells.
    mutating func record(_ time: Duration, of byteCount: Int, _ cost: SourceDescription.Cost) {
      let all = time / .seconds(1)
      let transfer = Double(byteCount) / max(Double(cost.bytesPerSecond.bytes), 1)
      let seconds = max(all - transfer, all / 4)
      guard let mean else {
        (self.mean, deviation) = (seconds, seconds / 8)
        return
      }
      deviation = 0.75 * deviation + 0.25 * abs(mean - seconds)
      self.mean = 0.875 * mean + 0.125 * seconds
    }

    /// The time that nearly no fetch exceeds, from 2 ms to 10 s.
    var longest: Duration {
      let time = mean.map { $0 + 4 * deviation } ?? stated * 2
      return min(max(.seconds(time), .milliseconds(2)), .seconds(10))
    }

    /// The usual time of a fetch.
    var usual: Duration { .seconds(mean ?? stated) }
  }
#endif
