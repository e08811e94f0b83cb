/// When a read is late, by the reads of its size; and how many second tries there may be. A value.
struct HedgePlan {
  /// What one share is saved up to, in tries.
  static let mostSaved = 10

  let quantile: Double
  let leastSamples: Int
  private let share: Int
  private var thousandths = 0
  /// By size: up to 64 KiB, 1 MiB, 16 MiB, and more.
  private var latencies = [DecayedLatencies](repeating: DecayedLatencies(), count: 4)

  /// - Parameter share: the second tries for each read.
  init(quantile: Double, share: Double, leastSamples: Int) {
    self.quantile = quantile
    self.leastSamples = leastSamples
    self.share = Int((share * 1000).rounded())
  }

  static func sizeClass(_ byteCount: Int) -> Int {
    byteCount <= 64 << 10 ? 0 : byteCount <= 1 << 20 ? 1 : byteCount <= 16 << 20 ? 2 : 3
  }

  /// A read begins.
  ///
  /// - Returns: after which time it is late; `nil` if there is to be no second try, since too little is known or the
  ///   share is used up.
  mutating func began(_ byteCount: Int) -> Duration? {
    thousandths = min(Self.mostSaved * 1000, thousandths + share)
    let known = latencies[Self.sizeClass(byteCount)]
    guard thousandths >= 1000, known.count >= leastSamples else { return nil }
    return known.quantile(quantile)
  }

  /// A read is late.
  ///
  /// - Returns: whether it gets a second try.
  mutating func isLate() -> Bool {
    guard thousandths >= 1000 else { return false }
    thousandths -= 1000
    return true
  }

  /// A read that was late ended before its second try began.
  mutating func wasNotLate() { thousandths += 1000 }

  /// A read has succeeded, by whichever try, so long after it began.
  mutating func succeeded(_ byteCount: Int, after duration: Duration) {
    latencies[Self.sizeClass(byteCount)].add(duration)
  }

  /// Second tries that may be made now.
  var saved: Double { Double(thousandths) / 1000 }
}
