/// Lets no read take longer than a given time, whatever hangs below.
///
/// ```swift
/// let reader = try await RangeReader(source) {
///   TimeLimiting(.seconds(5))    // the whole read
///   Caching(store)
///   Retrying()
///   TimeLimiting(.seconds(1))    // each try
/// }
/// ```
///
/// When the time is over, the read throws `ReadError.Code.timedOut`, which is transient, and what goes on below is
/// cancelled. What has arrived by then stays in the cache, and a fetch that other reads wait for goes on: the next try
/// begins where this one ended. The stages below see the end in ``ReadRequest/deadline``, and give up earlier where
/// they know better; an earlier deadline that is there already is kept.
///
/// **Place.** Anywhere. Above ``Caching``: the limit of what a caller waits, in all; a hit costs nothing. Between
/// ``Caching`` and ``Retrying``: the limit of a fetch, for all who wait for it. Below ``Retrying``: the limit of each
/// try, so that one that hangs is tried again. Below ``Limiting``: without the time in its queue. Each window of a
/// stream is a read.
///
/// A read that is not cached costs two tasks and a timer.
public final class TimeLimiting: ReadyStage {
  private let limit: Duration
  private let counts = Stripes()

  private enum Count: Int {
    case waits, timeouts
  }

  /// A limit of `limit`, which is more than zero.
  public init(_ limit: Duration) {
    precondition(limit > .zero, "a read needs some time")
    self.limit = limit
  }

  /// What is cached takes no time.
  public func ready(_ request: ReadRequest, next: ReadNext) -> ReadResponse? { next.ready(request) }

  /// What the stages below answer in time.
  public nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
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
        // A cancelled timer is one that is not needed any more.
        guard (try? await time.sleep(until: end)) != nil else { return }
        answer.fail(request.timedOut())
      }
    }
    defer { timer?.cancel() }
    do {
      let response = try await next.wait(for: answer)
      // What held this very thread for too long kept the timer from being begun.
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

  /// Reads that were not cached, and those whose time was over.
  public func statistics() -> StageStatistics? {
    StageStatistics(
      stage: "TimeLimiting",
      counts: [
        .init("reads that waited", counts.sum(Count.waits.rawValue)),
        .init("timed out", counts.sum(Count.timeouts.rawValue)),
      ])
  }
}
