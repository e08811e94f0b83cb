import RangeIO

/// `.timeLimit` as a user of the library would write it: a read that takes too long throws, and is left behind.
final class OwnTimeLimit: ReadStage {
  private let limit: Duration

  init(_ limit: Duration) { self.limit = limit }

  func answer(_ request: ReadRequest, next: ReadNext) -> ReadAnswer<ReadResponse> { next.answer(request) }

  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    let (outcomes, told) = AsyncStream.makeStream(of: Result<ReadResponse, any Error>.self)
    let end = next.time.now.advanced(by: limit)
    let work = next.start {
      do { told.yield(.success(try await next(request))) } catch { told.yield(.failure(error)) }
    }
    let timer = next.start {
      do {
        try await next.sleep(until: end)
        told.yield(.failure(ReadError(.timedOut, "the read took too long: try again", isTransient: true)))
      } catch {
        told.yield(.failure(error))
      }
    }
    defer {
      work.cancel()
      timer.cancel()
    }
    for await outcome in outcomes { return try outcome.get() }
    throw CancellationError()
  }
}
