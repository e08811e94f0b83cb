internal import RangeIO

/// The distance of an origin: the latency, the bandwidth of one connection, and what follows from them.
///
/// The latency is a moving mean, and the least of the last answers beside it. The bandwidth is the median of the last bodies,
/// weighted by their bytes: a mean would follow the one body that came at once, out of a buffer on the way, or that stood still
/// for a while.
struct OriginMeasure: Hashable, Sendable {
  /// The weight of a new measurement of the latency.
  private static let weight = 0.2
  /// The most bodies that the bandwidth follows from.
  private static let maxBodies = SIMD8<Double>.scalarCount
  private var seconds: Double?
  /// The answers of which ``leastSeconds`` is the least.
  private var latencyCount = 0
  private var leastSeconds = Double.infinity
  /// The least of as many answers before these.
  private var leastBefore = Double.infinity
  /// The most answers of which there is one least latency.
  private static let maxLatencies = 32
  /// The bytes and the rates of the last ones: each in the place of the oldest. No array, which copies would share.
  private var sizes = SIMD8<Double>()
  private var rates = SIMD8<Double>()
  /// All that were noted.
  private var bodyCount = 0

  /// Nothing is measured: 50 ms and 25 MB/s are assumed.
  init() {}

  /// Notes the time from a request to its head.
  mutating func record(latency: Duration) {
    guard latency > .zero else { return }
    let new = latency / .seconds(1)
    seconds = seconds.map { $0 + Self.weight * (new - $0) } ?? new
    if latencyCount == Self.maxLatencies { (leastBefore, leastSeconds, latencyCount) = (leastSeconds, .infinity, 0) }
    latencyCount += 1
    leastSeconds = min(leastSeconds, new)
  }

  /// Notes the time from the head to the last byte of a body. Bodies of less than 32 KiB say nothing of a bandwidth: most
  /// of them comes with the head.
  mutating func record(bytes: Int, in duration: Duration) {
    guard bytes >= 32_768, duration > .zero else { return }
    let place = bodyCount % Self.maxBodies
    (sizes[place], rates[place]) = (Double(bytes), Double(bytes) / (duration / .seconds(1)))
    bodyCount += 1
  }

  /// The time to the first byte.
  var latency: Duration { .seconds(min(max(seconds ?? 0.05, 1e-6), 3600)) }

  /// The least time to the first byte of the last 32 to 64 answers. What the others took longer, they waited for each other, on
  /// the link or at the server.
  var leastLatency: Duration { min(latency, .seconds(max(min(leastSeconds, leastBefore, 3600), 1e-6))) }

  /// The rate of one connection after the first byte.
  var bytesPerSecond: Double {
    let inOrder = (0..<min(bodyCount, Self.maxBodies)).sorted { rates[$0] < rates[$1] }
    var half = sizes.sum() / 2
    let median = inOrder.first { body in
      half -= sizes[body]
      return half <= 0
    }
    return median.map { min(max(rates[$0], 1), 1e12) } ?? 25e6
  }

  /// The latency was measured: an answer has come.
  var hasLatency: Bool { seconds != nil }

  /// The rate was measured.
  var hasRate: Bool { bodyCount > 0 }

  /// The rate was measured by fewer bodies than it may follow from.
  var isYoung: Bool { bodyCount < Self.maxBodies }

  /// For the description of a source.
  var cost: SourceDescription.Cost { SourceDescription.Cost(latency: latency, bytesPerSecond: bytesPerSecond) }

  /// The bytes that could have come in the time of a round trip.
  private var inFlight: Double { min(latency / .seconds(1) * bytesPerSecond, 1e15) }

  /// The most that caches fetch at once: about what comes in the time of a round trip, as a power of two from 64 KiB to
  /// 1 MiB.
  var fetchSize: Int {
    var size = 65_536
    while size < 1_048_576, Double(size) < inFlight { size *= 2 }
    return size
  }

  /// The most bytes of an unwanted body that are worth reading to keep a connection: what comes in the time of a round
  /// trip, from 16 KiB to 1 MiB.
  var drainLimit: Int { min(max(Int(inFlight), 16_384), 1_048_576) }
}
