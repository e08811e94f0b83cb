#if S3
  internal import RangeIO
  internal import RangeIOSupport

  /// Credentials that all readers of a source share. One fetch serves all who wait; a waiter that is cancelled leaves, and
  /// the fetch goes on.
  final class CredentialsFlight: Sendable {
    private struct State {
      var decisions = CredentialsState()
      var waiters: [Int: CheckedContinuation<S3Credentials, any Error>] = [:]
      var nextWaiter = 0
      var fetch: Task<Void, Never>?
      /// The number of the last fetch: one before it was given up, and what it brings is not wanted.
      var fetchNumber = 0
      var isClosed = false
    }

    private let state = Guarded(State())
    private let fetch: @Sendable () async throws -> S3Credentials
    private let now: @Sendable () -> Int

    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - fetch: brings new credentials. Cancelled when the source closes.
    init(now: @escaping @Sendable () -> Int, fetch: @escaping @Sendable () async throws -> S3Credentials) {
      self.now = now
      self.fetch = fetch
    }

    deinit { state.withLock { $0.fetch }?.cancel() }

    /// The credentials to sign with now. Returns at once if they are good for a while.
    ///
    /// - Throws: what fetching threw; `closed`; `CancellationError` at once when the task is cancelled.
    nonisolated(nonsending) func credentials() async throws -> S3Credentials { try await answer(.sign) }

    /// Other credentials than `refused`, which the server did not accept. May return the same again, if there are no
    /// others.
    nonisolated(nonsending) func credentials(insteadOf refused: S3Credentials) async throws -> S3Credentials {
      try await answer(.replace(refused))
    }

    /// Ends the fetch under way and all waits.
    func close() {
      let (fetch, waiters) = state.withLock { state in
        state.isClosed = true
        defer { state.waiters = [:] }
        return (state.fetch, state.waiters)
      }
      fetch?.cancel()
      for waiter in waiters.values { waiter.resume(throwing: Self.closed) }
    }

    private static var closed: ReadError {
      ReadError(.closed, "the source is closed: make a new one to read on")
    }

    private nonisolated(nonsending) func answer(
      _ question: CredentialsState.Question
    ) async throws -> S3Credentials {
      let number = state.withLock { state in
        state.nextWaiter += 1
        return state.nextWaiter
      }
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { ask(question, number, $0) }
      } onCancel: {
        state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(throwing: CancellationError())
      }
    }

    /// Asks and, if the answer is to wait, keeps the waiter, in one step: the fetch cannot end in between unseen.
    private func ask(
      _ question: CredentialsState.Question, _ number: Int,
      _ continuation: CheckedContinuation<S3Credentials, any Error>
    ) {
      let now = now()
      let (result, fetches) = state.withLock { state -> (Result<S3Credentials, any Error>?, Bool) in
        if state.isClosed { return (.failure(Self.closed), false) }
        // Asked under the lock: a cancellation that does not show here yet finds the waiter.
        if Task.isCancelled { return (.failure(CancellationError()), false) }
        switch state.decisions.ask(question, at: now) {
        case .use(let credentials, let fetches): return (.success(credentials), fetches)
        case .wait(let fetches):
          state.waiters[number] = continuation
          return (nil, fetches)
        }
      }
      if let result { continuation.resume(with: result) }
      if fetches { start() }
    }

    private func start() {
      let (number, late) = state.withLock { state in
        state.fetchNumber += 1
        return (state.fetchNumber, state.fetch.take())
      }
      late?.cancel()
      let task = Task.detached { [weak self, fetch] in
        let result: Result<S3Credentials, any Error>
        do { result = .success(try await fetch()) } catch { result = .failure(error) }
        self?.end(number, result)
      }
      let isLeft = state.withLock { state in
        guard state.fetchNumber == number, !state.isClosed else { return true }
        state.fetch = task
        return false
      }
      if isLeft { task.cancel() }
    }

    private func end(_ number: Int, _ result: Result<S3Credentials, any Error>) {
      let now = now()
      let waiters = state.withLock { state -> [Int: CheckedContinuation<S3Credentials, any Error>] in
        guard state.fetchNumber == number else { return [:] }
        // `try?`: a failure is told to the waiters below.
        state.decisions.fetched(try? result.get(), at: now)
        defer { state.waiters = [:] }
        return state.waiters
      }
      for waiter in waiters.values { waiter.resume(with: result) }
    }
  }

#endif
