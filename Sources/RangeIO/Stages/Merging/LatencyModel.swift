/// Estimates how long a read takes: a latency plus a time per byte, a line fitted to recent reads. It deals with
/// numbers only.
///
/// The fit is least squares. Each new sample takes a twentieth of the weight from all earlier ones. What the source
/// states about itself is used until there are measurements.
///
/// - **Relative errors.** What counts is a sample's error relative to the expected time: the times of long reads vary
///   by more than a short read takes, and would hide the latency.
/// - **One size.** If all reads have the same size, or their sizes differ too little, no slope can be found. The slope
///   then stays as it was, and the latency follows the samples.
/// - **Outliers.** The further off a sample is, the less it weighs; a read that hung for a minute has almost no effect.
///   The third sample in a row that took four times the expected time, or a quarter of it, is no longer an outlier: the
///   model starts over with it.
struct LatencyModel: Equatable, Sendable {
  /// Seconds for a read of zero bytes.
  private(set) var latency: Double
  /// Seconds per byte. Zero: bytes cost nothing.
  private(set) var secondsPerByte: Double

  // Sums with decaying weights, around the means.
  private var count = 0.0
  private var weight = 0.0
  private var meanBytes = 0.0
  private var meanSeconds = 0.0
  private var bytesSquared = 0.0
  private var secondsSquared = 0.0
  private var product = 0.0
  /// The number of samples in a row that took far longer than expected; negative: far shorter.
  private var strangeInARow = 0

  private static let maxStrangeInARow = 3
  private static let strangeFactor = 4.0
  /// The error of a sample, relative to the expected time, up to which it has its full weight.
  private static let usualShare = 0.5
  private static let decay = 0.95
  /// The least time expected of a read, so that an estimate near zero can rise again.
  private static let minSeconds = 1e-5

  /// Starts with what a source states about itself.
  init(_ cost: SourceDescription.Cost) {
    latency = max(0, cost.latency.seconds)
    secondsPerByte = cost.rate > 0 ? 1 / cost.rate : 0
  }

  /// The number of bytes that can be read in the time of a read of zero bytes. Two ranges that are at most this far
  /// apart are better read as one. Infinite if bytes cost nothing.
  var gap: Double {
    guard latency > 0 else { return 0 }
    return latency / secondsPerByte
  }

  func expected(_ byteCount: Int) -> Double { latency + secondsPerByte * Double(byteCount) }

  /// True if a read that shared the rate with others may take so long by what is known. Then it says nothing new: reads that wait
  /// for each other look like latency.
  ///
  /// - Parameters:
  ///   - others: how many.
  ///   - doneByteCount: the bytes of all reads, this one among them, that ended while it was under way.
  func explains(_ byteCount: Int, took time: Duration, beside others: Int, of doneByteCount: Int) -> Bool {
    guard others > 0 else { return false }
    // In turn, or all at once and as long as this one.
    let bytes = max(Double(doneByteCount), Double(byteCount) * Double(others + 1))
    return time.seconds >= expected(byteCount) && time.seconds <= 1.2 * (2 * latency + secondsPerByte * bytes)
  }

  mutating func add(_ byteCount: Int, took time: Duration) {
    let bytes = Double(byteCount)
    var seconds = max(0, time.seconds)
    var expected = max(expected(byteCount), Self.minSeconds)
    noteStrange(seconds / expected)
    if count == 0 {
      expected = max(seconds, Self.minSeconds)
    } else {
      seconds = min(seconds, Self.strangeFactor * expected)
    }
    let off = abs(seconds / expected - 1) / Self.usualShare
    // West's method, with decay: sums around the means, which avoids differences of large numbers.
    let own = 1 / (expected * expected) / max(1, off * off)
    count = count * Self.decay + 1
    weight = weight * Self.decay + own
    let (fromBytes, fromSeconds) = (bytes - meanBytes, seconds - meanSeconds)
    meanBytes += fromBytes * own / weight
    meanSeconds += fromSeconds * own / weight
    bytesSquared = bytesSquared * Self.decay + own * fromBytes * (bytes - meanBytes)
    secondsSquared = secondsSquared * Self.decay + own * fromSeconds * (seconds - meanSeconds)
    product = product * Self.decay + own * fromBytes * (seconds - meanSeconds)
    fit()
  }

  /// Counts samples in a row that are far off. If there are too many, forgets all earlier samples.
  private mutating func noteStrange(_ factor: Double) {
    if factor > Self.strangeFactor {
      strangeInARow = max(0, strangeInARow) + 1
    } else if factor < 1 / Self.strangeFactor {
      strangeInARow = min(0, strangeInARow) - 1
    } else {
      strangeInARow = 0
    }
    guard abs(strangeInARow) == Self.maxStrangeInARow else { return }
    (count, weight, meanBytes, meanSeconds, bytesSquared, secondsSquared, product) = (0, 0, 0, 0, 0, 0, 0)
    strangeInARow = 0
  }

  private mutating func fit() {
    if let slope = clearSlope {
      secondsPerByte = slope
      latency = meanSeconds - slope * meanBytes
      guard latency < 0 else { return }
      // The best of the lines through zero, or nearly zero.
      (latency, secondsPerByte) = (0, meanSeconds / meanBytes)
    } else if meanSeconds > secondsPerByte * meanBytes {
      latency = meanSeconds - secondsPerByte * meanBytes
    } else if gap.isFinite {
      // Even without latency the bytes would take longer than that: scales both values down in proportion.
      let gap = gap
      secondsPerByte = meanSeconds / (gap + meanBytes)
      latency = gap * secondsPerByte
    }
  }

  /// The slope, if it is clearly larger than the noise: by three standard errors.
  private var clearSlope: Double? {
    guard count > 3, bytesSquared > 0, product > 0 else { return nil }
    let slope = product / bytesSquared
    let residue = max(0, secondsSquared - slope * product)
    return slope * product * (count - 2) > 9 * residue ? slope : nil
  }
}

extension Duration {
  /// Three centuries at most.
  fileprivate var seconds: Double { Double(nanoseconds) * 1e-9 }
}
