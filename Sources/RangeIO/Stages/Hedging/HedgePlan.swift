/// Decides from the reads of similar size when a read is late, and how many second tries are allowed. A value.
struct HedgePlan {
  /// The most second tries that can be saved up.
  static let mostSaved = 10

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
    thousandths = min(Self.mostSaved * 1000, thousandths + share)
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

/// The durations of recent reads, as a histogram that halves all counts when there are many, so that older reads count less and
/// less.
struct DecayedLatencies {
  /// All counts are halved when there are more than this.
  static let most = 1000

  private var buckets = ContiguousArray<Int32>(repeating: 0, count: LatencyHistogram.bucketCount)
  /// The number of durations counted, after halving.
  private(set) var count = 0

  mutating func add(_ duration: Duration) {
    if count >= Self.most {
      for bucket in buckets.indices { buckets[bucket] /= 2 }
      count = buckets.reduce(0) { $0 + Int($1) }
    }
    buckets[LatencyHistogram.bucket(duration.nanoseconds)] += 1
    count += 1
  }

  /// The duration that `share` of all durations did not exceed, at most a quarter too high.
  func quantile(_ share: Double) -> Duration {
    let wanted = max(1, Int((Double(count) * share).rounded(.up)))
    var seen = 0
    for bucket in buckets.indices {
      seen += Int(buckets[bucket])
      if seen >= wanted { return .nanoseconds(LatencyHistogram.end(of: bucket)) }
    }
    return .zero
  }
}

/// A read and its second try, as a value. Decides which try answers and which one is cancelled.
struct HedgeRace<Response> {
  enum Try: Hashable {
    case first, second
  }

  enum Action {
    case nothing
    /// The answer, and the try to cancel because it is no longer needed.
    case answer(Result<Response, any Error>, cancel: Try?)
  }

  private var underWay: Set<Try> = [.first]
  private var firstError: (any Error)?
  private var isOver = false

  /// Called when the first try is late. Returns whether to begin the second try.
  mutating func secondBegins() -> Bool {
    guard !isOver, underWay == [.first] else { return false }
    underWay.insert(.second)
    return true
  }

  /// Records the end of a try. The first success is the answer; if both tries fail, the first error is.
  mutating func ended(_ which: Try, _ result: Result<Response, any Error>) -> Action {
    underWay.remove(which)
    guard !isOver else { return .nothing }
    if case .failure(let error) = result {
      guard underWay.isEmpty else {
        firstError = error
        return .nothing
      }
      isOver = true
      return .answer(.failure(firstError ?? error), cancel: nil)
    }
    isOver = true
    return .answer(result, cancel: underWay.first)
  }

  /// The read stopped waiting.
  mutating func left() { isOver = true }
}
