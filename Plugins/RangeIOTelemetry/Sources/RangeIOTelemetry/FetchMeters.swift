#if Telemetry
  internal import Metrics
  internal import RangeIO
  internal import RangeIOSupport

  /// The metrics of fetches: `rangeio.fetch.duration` and `rangeio.fetch.size`.
  final class FetchMeters: Sendable {
    private struct Handles {
      var durations: [String: Metrics.Timer] = [:]
      var size: Recorder?
    }

    /// The most kinds of error with a series of their own. There are 16 of this library; the rest are types of errors of
    /// your own sources and stages.
    private static let maxErrorTypes = 64
    /// The key of the duration without an error.
    private static let success = ""

    /// `nil`: the factory of the process at the first fetch.
    private let factory: (any MetricsFactory)?
    private let dimensions: [(String, String)]
    private let handles = Guarded(Handles())

    init(factory: (any MetricsFactory)?, readerName: String?) {
      self.factory = factory
      dimensions = readerName.map { [(TelemetryName.readerName.text, $0)] } ?? []
    }

    func ended(after duration: Duration, _ byteCount: Int) {
      let (timer, size) = handles.withLock { handles in
        let size =
          handles.size
          ?? Recorder(
            label: TelemetryName.fetchSize.text, dimensions: dimensions, factory: factory ?? MetricsSystem.factory)
        handles.size = size
        return (self.duration(Self.success, &handles), size)
      }
      timer.recordNanoseconds(duration.wholeNanoseconds)
      size.record(byteCount)
    }

    func failed(after duration: Duration, _ errorType: String) {
      handles.withLock { self.duration(errorType, &$0) }.recordNanoseconds(duration.wholeNanoseconds)
    }

    private func duration(_ errorType: String, _ handles: inout Handles) -> Metrics.Timer {
      if let timer = handles.durations[errorType] { return timer }
      guard handles.durations.count < Self.maxErrorTypes || errorType == ErrorType.other else {
        return duration(ErrorType.other, &handles)
      }
      let error = errorType == Self.success ? [] : [(TelemetryName.errorType.text, errorType)]
      let timer = Metrics.Timer(
        label: TelemetryName.fetchDuration.text, dimensions: dimensions + error, preferredDisplayUnit: .seconds,
        factory: factory ?? MetricsSystem.factory)
      handles.durations[errorType] = timer
      return timer
    }
  }
#endif
