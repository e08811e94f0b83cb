import RangeIO
import Synchronization

/// `Hedging` as a user of the library would write it: a second try when the first is late, the first success answers.
final class OwnHedging: ReadyStage {
  private let patience: Duration
  private let secondTries = Atomic<Int>(0)

  init(patience: Duration) { self.patience = patience }

  var placement: StagePlacement { .hedging }

  func statistics() -> StageStatistics? {
    StageStatistics(stage: "OwnHedging", counts: [.init("second tries", secondTries.load(ordering: .relaxed))])
  }

  func ready(_ request: ReadRequest, next: ReadNext) -> ReadResponse? { next.ready(request) }

  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    guard request.purpose == .demand else { return try await next(request) }
    let (outcomes, told) = AsyncStream.makeStream(of: Result<ReadResponse, any Error>.self)
    let late = next.time.now.advanced(by: patience)
    let first = next.start {
      do { told.yield(.success(try await next(request))) } catch { told.yield(.failure(error)) }
    }
    let second = next.start { [self] in
      do {
        try await next.sleep(until: late)
        secondTries.add(1, ordering: .relaxed)
        told.yield(.success(try await next(request)))
      } catch {
        told.yield(.failure(error))
      }
    }
    defer {
      first.cancel()
      second.cancel()
    }
    var failure: (any Error)?
    var ended = 0
    // Ends when this task is cancelled; what is read ends with `closed` when the reader is.
    for await outcome in outcomes {
      switch outcome {
      case .success(let response): return response
      case .failure(let error):
        failure = failure ?? error
        ended += 1
        if ended == 2 { throw failure ?? error }
      }
    }
    throw CancellationError()
  }
}
