#if Telemetry
  internal import RangeIO
  internal import Tracing

  /// ``Telemetry/fetches``.
  final class FetchesStage: ReadStage {
    private let spans: SpanMaker
    private let meters: FetchMeters
    private let log: TelemetryLog?

    init(_ spans: SpanMaker, _ meters: FetchMeters, _ log: TelemetryLog?) {
      self.spans = spans
      self.meters = meters
      self.log = log
    }

    var placement: ReadPipeline.Placement { .belowCaching }

    /// Passes on what the source has at once. No cache is below, so this is a fetch too: a file in the page cache.
    func answer(_ request: ReadRequest, next: ReadNext) -> ReadAnswer<ReadResponse> {
      let (start, began) = (DefaultTracerClock.now, next.time.now)
      // Only now it is known whether there is something to tell: `later` must have no effects.
      let answer = next.answer(request)
      guard case .here(let response) = answer else { return .later }
      meters.ended(after: began.duration(to: next.time.now), response.byteCount)
      spans.start(.fetch, request, at: start, in: Self.parent(of: request)).end()
      return answer
    }

    nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
      let began = next.time.now
      let span = spans.start(.fetch, request, at: DefaultTracerClock.now, in: Self.parent(of: request))
      let fetch = FetchRecord(span, log)
      do {
        let response = try await TelemetryScope.$current.withValue(.fetch(fetch)) {
          try await ServiceContext.$current.withValue(span.context) { try await next(request) }
        }
        meters.ended(after: began.duration(to: next.time.now), response.byteCount)
        fetch.end()
        span.end()
        return response
      } catch {
        meters.failed(after: began.duration(to: next.time.now), ErrorType.of(error))
        fetch.end()
        if !(error is CancellationError) { log?.failed(request, error) }
        span.end(after: error)
        throw error
      }
    }

    /// The parent of a fetch's span: the read that waits for the fetch, or the context of the caller.
    private static func parent(of request: ReadRequest) -> ServiceContext {
      if case .read(let read) = TelemetryScope.current, !request.isPrefetch, let context = read.fetchBegins() {
        return context
      }
      return .current ?? .topLevel
    }
  }
#endif
