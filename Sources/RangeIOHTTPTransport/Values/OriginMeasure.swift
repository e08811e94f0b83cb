public import RangeIO

/// How far away an origin is: moving means of latency and bandwidth, and what follows from them.
public struct OriginMeasure: Hashable, Sendable {
  /// The weight of a new measurement.
  private static let weight = 0.2
  private var seconds: Double?
  private var rate: Double?

  /// Nothing is measured: 50 ms and 25 MB/s are assumed.
  public init() {}

  /// Notes the time from a request to its head.
  public mutating func record(latency: Duration) {
    guard latency > .zero else { return }
    seconds = Self.mean(seconds, latency / .seconds(1))
  }

  /// Notes the time from the first byte of a body to its last. Bodies of less than 64 KiB say nothing of a bandwidth.
  public mutating func record(bytes: Int, in duration: Duration) {
    guard bytes >= 65_536, duration > .zero else { return }
    rate = Self.mean(rate, Double(bytes) / (duration / .seconds(1)))
  }

  private static func mean(_ old: Double?, _ new: Double) -> Double {
    guard let old else { return new }
    return old + weight * (new - old)
  }

  /// The time to the first byte.
  public var latency: Duration { .seconds(min(max(seconds ?? 0.05, 1e-6), 3600)) }

  /// The rate of one connection after the first byte.
  public var bytesPerSecond: Double { min(max(rate ?? 25e6, 1), 1e12) }

  /// For the description of a source.
  public var cost: SourceDescription.Cost { SourceDescription.Cost(latency: latency, bytesPerSecond: bytesPerSecond) }

  /// The bytes that could have come in the time of a round trip.
  private var inFlight: Double { min(latency / .seconds(1) * bytesPerSecond, 1e15) }

  /// The block size for caches: about what comes in the time of a round trip, as a power of two from 256 KiB to 1 MiB.
  public var blockSize: Int {
    var size = 262_144
    while size < 1_048_576, Double(size) < inFlight { size *= 2 }
    return size
  }

  /// The most bytes of an unwanted body that are worth reading to keep a connection: what comes in the time of a round
  /// trip, from 16 KiB to 1 MiB.
  public var drainLimit: Int { min(max(Int(inFlight), 16_384), 1_048_576) }
}
