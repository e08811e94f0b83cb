/// What a read takes, as a latency and a time for each byte: a line through what reads took lately. Knows numbers only.
///
/// Least squares, in which each new sample takes a twentieth of the weight from all before it. What a source says of
/// itself holds until it is measured.
///
/// - **Shares.** What counts is by which share of what was expected a sample is off: long reads vary by more than a short
///   one takes, and would drown the latency.
/// - **One size.** From reads that are all of a size, or that differ by less than they vary, no slope can be told. It
///   stays what it was, and the latency follows.
/// - **Outliers.** The further a sample is off, the less it weighs; one that hung for a minute does next to nothing. The
///   third in a row that took four times what was expected, or a quarter, is not an outlier any more: measuring begins
///   over with it.
struct LatencyModel: Equatable, Sendable {
  /// Seconds that a read of no bytes takes.
  private(set) var latency: Double
  /// Seconds for each byte. Zero: bytes cost nothing.
  private(set) var secondsPerByte: Double

  // Sums with weights that decay, around the means.
  private var count = 0.0
  private var weight = 0.0
  private var meanBytes = 0.0
  private var meanSeconds = 0.0
  private var bytesSquared = 0.0
  private var secondsSquared = 0.0
  private var product = 0.0
  /// Samples in a row that took far longer than was expected; negative: far shorter.
  private var strangeInARow = 0

  private static let mostStrangeInARow = 3
  private static let strangeFactor = 4.0
  /// A share of what was expected by which samples may be off and weigh what they do.
  private static let usualShare = 0.5
  private static let decay = 0.95
  /// The least that is expected of a read, so that a line which has come down to nothing can rise again.
  private static let leastSeconds = 1e-5

  /// What a source says of itself.
  init(_ cost: SourceCost) {
    latency = max(0, cost.latency.seconds)
    secondsPerByte = cost.bytesPerSecond > 0 ? 1 / cost.bytesPerSecond : 0
  }

  /// The bytes that could be read in the time that a read of none takes: as far apart may two ranges lie that are better
  /// read as one. Infinite if bytes cost nothing.
  var gap: Double {
    guard latency > 0 else { return 0 }
    return latency / secondsPerByte
  }

  /// The seconds that a read of so many bytes will take.
  func expected(_ byteCount: Int) -> Double { latency + secondsPerByte * Double(byteCount) }

  /// Takes note of a read.
  mutating func add(_ byteCount: Int, took time: Duration) {
    let bytes = Double(byteCount)
    var seconds = max(0, time.seconds)
    var expected = max(expected(byteCount), Self.leastSeconds)
    noteStrange(seconds / expected)
    if count == 0 {
      expected = max(seconds, Self.leastSeconds)
    } else {
      seconds = min(seconds, Self.strangeFactor * expected)
    }
    let off = abs(seconds / expected - 1) / Self.usualShare
    // West's way, with decay: the sums around the means without a difference of large numbers.
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

  /// Counts samples that are far off; too many in a row, and all before them is forgotten.
  private mutating func noteStrange(_ factor: Double) {
    if factor > Self.strangeFactor {
      strangeInARow = max(0, strangeInARow) + 1
    } else if factor < 1 / Self.strangeFactor {
      strangeInARow = min(0, strangeInARow) - 1
    } else {
      strangeInARow = 0
    }
    guard abs(strangeInARow) == Self.mostStrangeInARow else { return }
    (count, weight, meanBytes, meanSeconds, bytesSquared, secondsSquared, product) = (0, 0, 0, 0, 0, 0, 0)
    strangeInARow = 0
  }

  private mutating func fit() {
    if let slope = clearSlope {
      secondsPerByte = slope
      latency = meanSeconds - slope * meanBytes
      guard latency < 0 else { return }
      // The best of the lines that begin at zero, or nearly.
      (latency, secondsPerByte) = (0, meanSeconds / meanBytes)
    } else if meanSeconds > secondsPerByte * meanBytes {
      latency = meanSeconds - secondsPerByte * meanBytes
    } else if gap.isFinite {
      // Not even the bytes would take that long: all is faster than was thought, in proportion.
      let gap = gap
      secondsPerByte = meanSeconds / (gap + meanBytes)
      latency = gap * secondsPerByte
    }
  }

  /// The slope, if it stands out of what the samples vary by: by three standard errors.
  private var clearSlope: Double? {
    guard count > 3, bytesSquared > 0, product > 0 else { return nil }
    let slope = product / bytesSquared
    let residue = max(0, secondsSquared - slope * product)
    return slope * product * (count - 2) > 9 * residue ? slope : nil
  }
}

extension Duration {
  fileprivate var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}
