extension ReadPipeline {
  /// Ends every read after a given time, even if a stage or the source below hangs.
  ///
  /// ```swift
  /// let reader = try await RangeReader(
  ///   source,
  ///   [
  ///     .timeLimit(.seconds(5)),  // the whole read
  ///     .caching(store),
  ///     .retrying(),
  ///     .timeLimit(.seconds(1)),  // each try
  ///   ])
  /// ```
  ///
  /// When the time is over, the read throws `ReadError.Code.timedOut`, which is transient, and the work below is
  /// cancelled. Bytes that have arrived by then stay in the cache, and a fetch that other reads wait for continues: the
  /// next try begins where this one ended. The stages below see the limit as ``ReadRequest/deadline``, and may give up
  /// earlier. An earlier deadline that is already set is kept.
  ///
  /// **Place.** Anywhere. Above `.caching` it limits the caller's total wait; a hit costs nothing. Between `.caching`
  /// and `.retrying` it limits a fetch, for all its waiters. Below `.retrying` it limits each try, so that a try that
  /// hangs is retried. Below `.limiting` it does not include the time in the queue. Each window of a stream is one read.
  /// Opening the source is not ended, but a `.retrying` below does not try it again once the limit is over.
  ///
  /// **Cost.** A read that is not cached costs two tasks and a timer.
  ///
  /// - Precondition: `limit` is more than zero.
  public static func timeLimit(_ limit: Duration) -> ReadPipeline {
    precondition(limit > .zero, "a read needs some time")
    return .stage(TimeLimitStage(limit))
  }
}

/// The stage of `.timeLimit`: ends every read after a given time.
final class TimeLimitStage: ReadStage, RoleStage {
  private let limit: Duration
  private let counts = Stripes()

  private enum Count: Int {
    case waits, timeouts
  }

  init(_ limit: Duration) { self.limit = limit }

  var role: StageRole { .limitingTime(limit) }
  /// A hit takes no time.
  var ignoresHits: Bool { true }

  /// Passes a cache hit on.
  func answer(_ request: ReadRequest, next: ReadNext) -> ReadAnswer<ReadResponse> { next.answer(request) }

  /// Passes the read on, and ends it when the time is over.
  nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    counts.add(1, to: Count.waits.rawValue)
    let now = next.time.now
    let end = min(now.advanced(by: limit), request.deadline ?? ReadClock.Instant(nanoseconds: .max))
    var request = request
    request.deadline = end
    guard now < end else { throw timedOut(request) }
    let answer = Promise<ReadResponse>()
    let work = next.start { [request] in
      do { answer.resolve(.success(try await next(request))) } catch { answer.fail(error) }
    }
    var timer: Task<Void, Never>?
    if !answer.isAnswered {
      timer = next.background.start { [time = next.time, request] in
        // The sleep fails only when the timer is cancelled, and then it is no longer needed.
        guard (try? await time.sleep(until: end)) != nil else { return }
        answer.fail(request.timedOut())
      }
    }
    defer { timer?.cancel() }
    do {
      let response = try await next.wait(for: answer)
      // If something blocked this thread for too long, the timer was not started.
      guard timer != nil || next.time.now < end else { throw request.timedOut() }
      return response
    } catch {
      work.cancel()
      guard let error = error as? ReadError, error.code == .timedOut, next.time.now >= end else { throw error }
      throw timedOut(request)
    }
  }

  private func timedOut(_ request: ReadRequest) -> ReadError {
    counts.add(1, to: Count.timeouts.rawValue)
    return request.timedOut()
  }

  /// Reads that were not cached, and reads that timed out.
  func statistics() -> Counters? {
    Counters("TimeLimit", counts, "reads that waited", "timed out")
  }
}
