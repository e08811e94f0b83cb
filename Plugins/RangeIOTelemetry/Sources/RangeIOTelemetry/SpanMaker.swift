#if Telemetry
  internal import RangeIO
  internal import Tracing

  /// Starts the spans of one ``Telemetry``.
  struct SpanMaker: Sendable {
    /// `nil`: the tracer of the process, as it is when a span starts.
    let tracer: (any Tracer)?
    let readerName: String?

    /// Starts a span for `request`.
    ///
    /// - Parameters:
    ///   - start: when it began; earlier than now if only now it is known that there is a span.
    ///   - parent: the context it is part of.
    func start(
      _ name: TelemetryName, _ request: ReadRequest, at start: DefaultTracerClock.Timestamp, in parent: ServiceContext
    ) -> any Tracing.Span {
      let span = (tracer ?? InstrumentationSystem.tracer)
        .startSpan(name.text, context: parent, ofKind: .internal, at: start)
      if span.isRecording { span.updateAttributes { $0.add(request, readerName: readerName) } }
      return span
    }
  }

  /// The innermost read or fetch that the current task works for. Tasks that a stage starts inherit it, so that the stages
  /// of ``Telemetry`` find each other across the stages between them.
  enum TelemetryScope: Sendable {
    case read(ReadRecord)
    case fetch(FetchRecord)

    @TaskLocal static var current: TelemetryScope?
  }
#endif
