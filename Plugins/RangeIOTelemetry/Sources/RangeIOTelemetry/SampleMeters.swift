#if Telemetry
  internal import Metrics

  /// The metrics that samples go to, each made when its first sample comes.
  ///
  /// There are as many as the readers, stores and stages have numbers with different names and attributes.
  struct SampleMeters: Sendable {
    private enum Handle: Sendable {
      case counter(Counter)
      case seconds(FloatingPointCounter)
      case meter(Meter)
    }

    /// `nil`: the factory of the process.
    private let factory: (any MetricsFactory)?
    private var handles: [SampleKey: Handle] = [:]

    init(factory: (any MetricsFactory)?) { self.factory = factory }

    /// - Parameter totals: what was exported before.
    mutating func record(_ sample: Sample, _ totals: inout Totals) {
      let key = SampleKey(sample)
      let handle = handles[key] ?? make(sample)
      handles[key] = handle
      switch (handle, sample.value) {
      case (.counter(let counter), .total(let total)):
        let added = totals.added(total, to: key)
        if added > 0 { counter.increment(by: Int64(added)) }
      case (.seconds(let counter), .totalMicroseconds(let total)):
        let added = totals.added(total, to: key)
        if added > 0 { counter.increment(by: Double(added) / 1e6) }
      case (.meter(let meter), .level(let level)): meter.set(Int64(level))
      case (.meter(let meter), .levelMicroseconds(let level)): meter.set(Double(level) / 1e6)
      default: preconditionFailure("\(sample.name.text) is two kinds of metric")
      }
    }

    private func make(_ sample: Sample) -> Handle {
      let factory = factory ?? MetricsSystem.factory
      let (label, dimensions) = (sample.name.text, sample.dimensions)
      return switch sample.value {
      case .total: .counter(Counter(label: label, dimensions: dimensions, factory: factory))
      case .totalMicroseconds: .seconds(FloatingPointCounter(label: label, dimensions: dimensions, factory: factory))
      case .level, .levelMicroseconds: .meter(Meter(label: label, dimensions: dimensions, factory: factory))
      }
    }
  }
#endif
