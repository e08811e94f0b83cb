/// What ``TimeLimiting`` does.
final class TimeLimitingStage: ReadyStage {
  private let limit: Duration
  private let counts = Stripes()

  private enum Count: Int {
    case waits, timeouts
  }

  init(_ limit: Duration) {
    precondition(limit > .zero, "a read needs some time")
    self.limit = limit
  }

  /// Passes a cache hit on: it takes no time.
  func ready(_ request: ReadRequest, next: ReadNext) -> ReadResponse? { next.ready(request) }

  /// Passes the read on, and ends it when the time is over.
  nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    counts.add(1, to: Count.waits.rawValue)
    let now = next.time.now
    let end = min(now.advanced(by: limit), request.deadline ?? ReadInstant(nanoseconds: .max))
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

  /// Reads that were not cached, and those that timed out.
  func statistics() -> ReadCounts? {
    ReadCounts(
      "TimeLimiting",
      counts: [
        .init("reads that waited", counts.sum(Count.waits.rawValue)),
        .init("timed out", counts.sum(Count.timeouts.rawValue)),
      ])
  }
}
