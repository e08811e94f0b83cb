#if Telemetry
  import InMemoryTracing
  import RangeIO
  import RangeIOTesting
  import Testing
  import Tracing

  @testable import RangeIOTelemetry

  /// An error that may pass.
  let passing = ReadError(.inputOutput, "the line was cut: try again", isTransient: true)

  extension InMemoryTracer {
    /// The finished spans called `name`, in the order in which they ended.
    func spans(_ name: TelemetryName) -> [FinishedInMemorySpan] {
      finishedSpans.filter { $0.operationName == name.text }
    }
  }

  extension FinishedInMemorySpan {
    subscript(_ name: TelemetryName) -> SpanAttribute? { attributes.get(name.text) }

    /// The names of the events, in order.
    var eventNames: [String] { events.map(\.name) }
  }

  /// A reader of a synthetic source, through a cache in memory of blocks of 4 KiB.
  func cachedReader(_ telemetry: Telemetry, byteCount: Int = 1 << 20) async throws -> RangeReader {
    let store = MemoryStore(limit: .mebibytes(4))
    return try await RangeReader(
      SyntheticSource(byteCount: byteCount),
      [telemetry.reads, .caching(store, blockSize: .kibibytes(4)), telemetry.fetches, telemetry.tries])
  }
#endif
