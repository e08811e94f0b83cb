/// A piece that a store loads and, if that takes too long, the same bytes from the source. The first that has the bytes
/// completes the flight.
final class DeferredRace: Sendable {
  private enum Other {
    case none
    case running(Task<Void, Never>?)
    case failed(any Error)
  }
  private struct State {
    var isOver = false
    var load: Task<Void, Never>?
    var loadFailed: (any Error)?
    var other = Other.none
    var isCancelled = false
  }
  private let state = Locked(State())
  private let complete: @Sendable (Result<Bytes, any Error>) -> Void

  /// - Parameter complete: called once.
  init(_ complete: @escaping @Sendable (Result<Bytes, any Error>) -> Void) { self.complete = complete }

  func loads(_ task: Task<Void, Never>) {
    let isOver = state.withLock { state in
      state.load = state.isOver ? nil : task
      return state.isOver
    }
    if isOver { task.cancel() }
  }

  /// Reads the source as well, unless it is too late for that.
  func startOther(_ start: () -> Task<Void, Never>) {
    let starts = state.withLock { state -> Bool in
      guard !state.isOver, !state.isCancelled, state.loadFailed == nil, case .none = state.other else { return false }
      state.other = .running(nil)
      return true
    }
    guard starts else { return }
    let task = start()
    let isWanted = state.withLock { state -> Bool in
      guard case .running = state.other, !state.isOver, !state.isCancelled else { return false }
      state.other = .running(task)
      return true
    }
    if !isWanted { task.cancel() }
  }

  /// The store has answered.
  func loaded(_ result: Result<Bytes, any Error>) {
    let (completes, loser) = state.withLock { state -> (Result<Bytes, any Error>?, Task<Void, Never>?) in
      guard !state.isOver else { return (nil, nil) }
      state.load = nil
      if case .failure(let error) = result {
        state.loadFailed = error
        if case .running = state.other { return (nil, nil) }
      }
      state.isOver = true
      guard case .running(let task) = state.other else { return (result, nil) }
      return (result, task)
    }
    loser?.cancel()
    if let completes { complete(completes) }
  }

  /// The source has answered.
  func otherEnded(_ result: Result<Bytes, any Error>) {
    let (completes, loser) = state.withLock { state -> (Result<Bytes, any Error>?, Task<Void, Never>?) in
      guard !state.isOver else { return (nil, nil) }
      if case .failure(let error) = result {
        state.other = .failed(error)
        // The store may still load it.
        guard state.loadFailed != nil else { return (nil, nil) }
      }
      state.isOver = true
      return (result, state.load)
    }
    loser?.cancel()
    if let completes { complete(completes) }
  }

  /// No read waits any more. Work in progress ends early, and completes.
  func cancel() {
    let task = state.withLock { state -> Task<Void, Never>? in
      state.isCancelled = true
      guard case .running(let task) = state.other else { return nil }
      return task
    }
    task?.cancel()
  }
}
