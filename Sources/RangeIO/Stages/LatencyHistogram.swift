import Synchronization

/// A histogram of durations. Longer durations have wider buckets: four per power of two, so that a quantile is at most
/// a quarter too high. It covers up to some 73 years with 240 counters.
struct LatencyHistogram: Hashable, Sendable {
  private var buckets: [Int]

  init(buckets: [Int]) { self.buckets = buckets }

  package var count: Int { buckets.reduce(0, +) }

  /// The duration that the given share of all durations did not exceed, rounded up to the end of a bucket. Zero if
  /// there are no durations.
  ///
  /// - Parameter share: from 0 to 1: 0.5 for the median, 0.99 for the 99th percentile. A smaller value or NaN counts as
  ///   0, a larger one as 1.
  func quantile(_ share: Double) -> Duration { Self.quantile(share, of: buckets, count: count) }

  /// The same of other buckets, which have `count` durations.
  fileprivate static func quantile(
    _ share: Double, of buckets: some Sequence<some BinaryInteger>, count: Int
  ) -> Duration {
    // NaN is not greater than zero. The product may be rounded up to more than an `Int` holds.
    let share = share > 0 ? Swift.min(share, 1) : 0
    let wanted = Swift.max(1, Int(exactly: (Double(count) * share).rounded(.up)) ?? count)
    var seen = 0
    for (bucket, count) in buckets.enumerated() {
      seen += Int(count)
      if seen >= wanted { return .nanoseconds(end(of: bucket)) }
    }
    return .zero
  }

  static let bucketCount = 240

  /// The bucket of a duration, chosen by its highest bit and the two bits below it.
  static func bucket(_ nanoseconds: Int64) -> Int {
    let value = UInt64(Swift.max(nanoseconds, 0))
    if value < 4 { return Int(value) }
    let exponent = 63 - value.leadingZeroBitCount
    return Swift.min((exponent - 1) * 4 + Int((value >> (exponent - 2)) & 3), bucketCount - 1)
  }

  /// The longest duration that `bucket` can contain, in nanoseconds.
  static func end(of bucket: Int) -> Int64 {
    if bucket < 4 { return Int64(bucket) }
    let exponent = bucket / 4 + 1
    return ((Int64(bucket % 4) + 5) << (exponent - 2)) - 1
  }
}

/// A histogram that many threads add to. Each addition is one relaxed atomic operation.
final class LatencyRecorder: @unchecked Sendable {
  // Unchecked: the counters are atomics in manually allocated memory, because arrays of atomics do not exist.
  private let buckets: UnsafeMutablePointer<Atomic<Int>>

  init() {
    buckets = .allocate(capacity: LatencyHistogram.bucketCount)
    for bucket in 0..<LatencyHistogram.bucketCount { (buckets + bucket).initialize(to: Atomic(0)) }
  }

  deinit {
    buckets.deinitialize(count: LatencyHistogram.bucketCount)
    buckets.deallocate()
  }

  func add(_ duration: Duration) {
    buckets[LatencyHistogram.bucket(duration.nanoseconds)].wrappingAdd(1, ordering: .relaxed)
  }

  func snapshot() -> LatencyHistogram {
    LatencyHistogram(buckets: (0..<LatencyHistogram.bucketCount).map { buckets[$0].load(ordering: .relaxed) })
  }
}

/// The durations of recent reads, as a histogram that halves all counts when there are many, so that older reads count less and
/// less.
struct DecayedLatencies {
  /// All counts are halved when there are more than this.
  static let maxCount = 1000

  private var buckets = ContiguousArray<Int32>(repeating: 0, count: LatencyHistogram.bucketCount)
  /// The number of durations counted, after halving.
  private(set) var count = 0

  mutating func add(_ duration: Duration) {
    if count >= Self.maxCount {
      for bucket in buckets.indices { buckets[bucket] /= 2 }
      count = buckets.reduce(0) { $0 + Int($1) }
    }
    buckets[LatencyHistogram.bucket(duration.nanoseconds)] += 1
    count += 1
  }

  /// The duration that `share` of all durations did not exceed, at most a quarter too high.
  func quantile(_ share: Double) -> Duration { LatencyHistogram.quantile(share, of: buckets, count: count) }
}
