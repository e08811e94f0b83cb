#if Telemetry
  internal import RangeIO

  /// One number out of `statistics()`, on its way to a metric.
  struct Sample: Sendable {
    /// The number and its kind.
    enum Value: Hashable, Sendable {
      /// A count since the beginning, of which a counter gets what was added.
      case total(Int)
      /// The same, in microseconds; the metric counts seconds.
      case totalMicroseconds(Int)
      /// The current value.
      case level(Int)
      /// The same, in microseconds; the metric shows seconds.
      case levelMicroseconds(Int)
    }

    let name: TelemetryName
    /// The attributes, in this order.
    let dimensions: [(String, String)]
    let value: Value

    init(_ name: TelemetryName, _ value: Value, _ dimensions: [(String, String)]) {
      self.name = name
      self.value = value
      self.dimensions = dimensions
    }
  }

  /// The identity of a metric: its name and attributes.
  struct SampleKey: Hashable, Sendable {
    private let parts: [String]

    init(_ sample: Sample) {
      parts = [sample.name.text] + sample.dimensions.flatMap { [$0.0, $0.1] }
    }
  }

  /// Turns totals into what was added since the last time.
  struct Totals: Sendable {
    private var seen: [SampleKey: Int] = [:]

    /// Returns the growth of the total beyond the largest one seen; zero for a smaller one, as when a newer one was seen
    /// before.
    mutating func added(_ total: Int, to key: SampleKey) -> Int {
      let before = seen[key] ?? 0
      guard total > before else { return 0 }
      seen[key] = total
      return total - before
    }
  }
#endif
