#if Telemetry
  internal import RangeIO
  internal import RangeIOSupport
  internal import Tracing

  /// ``Telemetry/reads``.
  final class ReadsStage: ReadStage {
    private let spans: SpanMaker
    private let tracesHits: Bool

    init(_ spans: SpanMaker, tracesHits: Bool) {
      self.spans = spans
      self.tracesHits = tracesHits
    }

    var placement: ReadPipeline.Placement { .aboveCaching }

    var ignoresHits: Bool { !tracesHits }

    /// Passes a hit on. This is the path of nearly all reads: a comparison and a call.
    func answer(_ request: ReadRequest, next: ReadNext) -> ReadAnswer<ReadResponse> {
      tracesHits ? answerWithSpan(request, next) : next.answer(request)
    }

    private func answerWithSpan(_ request: ReadRequest, _ next: ReadNext) -> ReadAnswer<ReadResponse> {
      let start = DefaultTracerClock.now
      // Only now it is known whether there is something to tell: `later` must have no effects.
      let answer = next.answer(request)
      guard case .here = answer else { return .later }
      spans.start(.read, request, at: start, in: .current ?? .topLevel).end()
      return answer
    }

    /// Reads, and makes a span once ``Telemetry/fetches`` below says that the source is needed.
    nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
      // Nobody waits for a prefetch, and a read that does has its own span.
      guard !request.isPrefetch else { return try await next(request) }
      let record = ReadRecord(spans, request)
      let context = tracesHits ? record.context() : nil
      do {
        let response = try await TelemetryScope.$current.withValue(.read(record)) {
          guard let context else { return try await next(request) }
          return try await ServiceContext.$current.withValue(context) { try await next(request) }
        }
        record.end(nil)
        return response
      } catch {
        record.end(error)
        throw error
      }
    }
  }

  /// One read by a caller, whose span starts only when it is needed.
  final class ReadRecord: Sendable {
    private struct State {
      var span: (any Tracing.Span)?
      var fetches = 0
      var isEnded = false
    }

    private let spans: SpanMaker
    private let request: ReadRequest
    private let start = DefaultTracerClock.now
    private let parent: ServiceContext
    private let state = Guarded(State())

    init(_ spans: SpanMaker, _ request: ReadRequest) {
      self.spans = spans
      self.request = request
      parent = .current ?? .topLevel
    }

    /// The context of the span, which starts now if it has not, as of the beginning of the read.
    func context() -> ServiceContext { state.withLock { span(&$0).context } }

    /// The context of a fetch for this read, or `nil` if the read has ended: no read waits for the fetch then.
    func fetchBegins() -> ServiceContext? {
      state.withLock { state in
        guard !state.isEnded else { return nil }
        state.fetches += 1
        return span(&state).context
      }
    }

    // Starts it under the lock, so that two fetches that begin together have one parent. A tracer does not call back.
    private func span(_ state: inout State) -> any Tracing.Span {
      if let span = state.span { return span }
      let span = spans.start(.read, request, at: start, in: parent)
      state.span = span
      return span
    }

    /// The read has ended: with an error, or with its bytes.
    func end(_ error: (any Error)?) {
      let (span, fetches) = state.withLock { state in
        state.isEnded = true
        return (state.span, state.fetches)
      }
      guard let span else { return }
      if span.isRecording {
        span.updateAttributes { $0.set(TelemetryName.fetchCount.text, value: .int64(Int64(fetches))) }
      }
      if let error { span.end(after: error) } else { span.end() }
    }
  }
#endif
