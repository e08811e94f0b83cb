#if Telemetry
  internal import RangeIO
  internal import RangeIOSupport
  internal import Tracing

  /// ``Telemetry/tries``.
  final class TriesStage: ReadStage {
    var placement: ReadPipeline.Placement { .belowCaching }

    /// Passes on what the source has at once: there is no other try.
    func answer(_ request: ReadRequest, next: ReadNext) -> ReadAnswer<ReadResponse> { next.answer(request) }

    nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
      guard case .fetch(let fetch) = TelemetryScope.current else { return try await next(request) }
      let number = fetch.began(request)
      return try await withTaskCancellationHandler {
        do {
          let response = try await next(request)
          fetch.ended(number, .answered)
          return response
        } catch {
          fetch.ended(number, .failed(ErrorType.of(error)))
          throw error
        }
      } onCancel: {
        // A cancelled try may go on for a while. The one after it is a retry and runs beside nothing.
        fetch.ended(number, .failed(TryLog.cancelled))
      }
    }
  }

  /// One fetch: its span, and the tries that it takes.
  final class FetchRecord: Sendable {
    private struct State {
      var tries = TryLog()
      var isEnded = false
    }

    private let span: any Tracing.Span
    private let log: TelemetryLog?
    private let state = Guarded(State())

    init(_ span: any Tracing.Span, _ log: TelemetryLog?) {
      self.span = span
      self.log = log
    }

    /// A try begins.
    ///
    /// - Returns: its number.
    func began(_ request: ReadRequest) -> Int {
      let (number, start, isEnded) = state.withLock { state in
        let (number, start) = state.tries.began(request.allRanges)
        return (number, start, state.isEnded)
      }
      guard !isEnded else { return number }
      switch start {
      case .first, .unknown: break
      case .retry(let error):
        tell(.retry, request, number, after: error)
        log?.retried(request, number, after: error)
      case .hedge:
        tell(.hedge, request, number)
        log?.hedged(request, number)
      }
      return number
    }

    /// A try ended.
    func ended(_ number: Int, _ end: TryLog.End) {
      let isWin = state.withLock { $0.tries.ended(number, end) && !$0.isEnded }
      guard isWin, span.isRecording else { return }
      span.addEvent(
        SpanEvent(
          name: TelemetryName.hedgeWon.text, attributes: [TelemetryName.tryNumber.text: .int64(Int64(number))]))
    }

    /// The fetch ends. Tries that run on, such as one that lost a race, are told no more.
    func end() {
      let tries = state.withLock { state in
        state.isEnded = true
        return state.tries
      }
      guard tries.tries > 0, span.isRecording else { return }
      span.updateAttributes { attributes in
        attributes.set(TelemetryName.tryCount.text, value: .int64(Int64(tries.tries)))
        attributes.set(TelemetryName.retryCount.text, value: .int64(Int64(tries.retries)))
        attributes.set(TelemetryName.hedgeCount.text, value: .int64(Int64(tries.hedges)))
      }
    }

    private func tell(_ event: TelemetryName, _ request: ReadRequest, _ number: Int, after error: String? = nil) {
      guard span.isRecording else { return }
      var attributes: SpanAttributes = [
        TelemetryName.tryNumber.text: .int64(Int64(number)),
        TelemetryName.ranges.text: .stringArray(request.allRanges.prefix(SpanAttributes.maxRanges).map { "\($0)" }),
      ]
      if let error { attributes.set(TelemetryName.errorType.text, value: .string(error)) }
      span.addEvent(SpanEvent(name: event.text, attributes: attributes))
    }
  }
#endif
