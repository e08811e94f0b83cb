import RangeIO
import Synchronization

/// `.hedging` as a user of the library would write it: a second try when the first is late, the first success answers.
final class OwnHedging: ReadStage {
  private let patience: Duration
  private let secondTries = Atomic<Int>(0)

  init(patience: Duration) { self.patience = patience }

  var placement: ReadPipeline.Placement { .hedging }

  func statistics() -> Counters? {
    Counters("OwnHedging", counts: ["second tries": secondTries.load(ordering: .relaxed)])
  }

  func answer(_ request: ReadRequest, next: ReadNext) -> ReadAnswer<ReadResponse> { next.answer(request) }

  private enum Event {
    case late
    case ended(Result<ReadResponse, any Error>)
  }

  func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    guard !request.isPrefetch else { return try await next(request) }
    let (events, told) = AsyncStream.makeStream(of: Event.self)
    let oneTry: @Sendable () async -> Void = {
      do { told.yield(.ended(.success(try await next(request)))) } catch { told.yield(.ended(.failure(error))) }
    }
    let late = next.time.now.advanced(by: patience)
    var tasks = [next.start(oneTry)]
    tasks.append(
      next.start {
        // Fails when the read has ended: then no second try is wanted.
        do { try await next.sleep(until: late) } catch { return }
        told.yield(.late)
      })
    defer { for task in tasks { task.cancel() } }
    var underWay = 1
    var failure: (any Error)?
    // Ends when this task is cancelled. What is read ends with `closed` when the reader is closed.
    for await event in events {
      switch event {
      case .late:
        secondTries.add(1, ordering: .relaxed)
        underWay += 1
        tasks.append(next.start(oneTry))
      case .ended(.success(let response)): return response
      case .ended(.failure(let error)):
        failure = failure ?? error
        underWay -= 1
        if underWay == 0 { throw failure ?? error }
      }
    }
    throw CancellationError()
  }
}
