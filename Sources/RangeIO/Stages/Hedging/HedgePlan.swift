/// Decides from the reads of similar size when a read is late, and how many second tries are allowed. A value.
struct HedgePlan {
  /// The most second tries that can be saved up.
  static let maxSaved = 10

  let quantile: Double
  let leastSamples: Int
  private let share: Int
  private var thousandths = 0
  /// By size: up to 64 KiB, 1 MiB, 16 MiB, and more.
  private var latencies = [DecayedLatencies](repeating: DecayedLatencies(), count: 4)

  /// - Parameter share: how many second tries are allowed per read.
  init(quantile: Double, share: Double, leastSamples: Int) {
    self.quantile = quantile
    self.leastSamples = leastSamples
    self.share = Int((share * 1000).rounded())
  }

  static func sizeClass(_ byteCount: Int) -> Int {
    byteCount <= 64 << 10 ? 0 : byteCount <= 1 << 20 ? 1 : byteCount <= 16 << 20 ? 2 : 3
  }

  /// Records that a read begins. Returns the time after which it is late; `nil` if there must be no second try, because
  /// there are too few samples or the share is used up.
  mutating func began(_ byteCount: Int) -> Duration? {
    thousandths = min(Self.maxSaved * 1000, thousandths + share)
    let known = latencies[Self.sizeClass(byteCount)]
    guard thousandths >= 1000, known.count >= leastSamples else { return nil }
    return known.quantile(quantile)
  }

  /// Records that a read is late. Returns whether a second try may begin.
  mutating func isLate() -> Bool {
    guard thousandths >= 1000 else { return false }
    thousandths -= 1000
    return true
  }

  /// Gives back the permission for a second try: the late read ended before its second try began.
  mutating func wasNotLate() { thousandths += 1000 }

  /// Records how long a read took from its beginning, no matter which try succeeded.
  mutating func succeeded(_ byteCount: Int, after duration: Duration) {
    latencies[Self.sizeClass(byteCount)].add(duration)
  }

  var saved: Double { Double(thousandths) / 1000 }
}
