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
