internal import RangeIO

/// Credentials that all readers of a source share. New ones are fetched some minutes before the old ones end, and when a
/// server has refused the old ones. One fetch serves all who wait; a waiter that is cancelled leaves, and the fetch goes on.
///
/// A fetch that has not ended after 90 seconds is given up, and begun anew for all who wait. Its age does not depend on a clock
/// that is set, nor on the server's, by which credentials end.
public final class CredentialsFlight<Credentials: Hashable & Sendable>: Sendable {
  private let decisions: Guarded<CredentialsState<Credentials>>
  private let flight: SharedWork<Int, Credentials>
  let used = Guarded(Used())
  private let fetch: @Sendable (CredentialsState<Credentials>.Question) async throws -> Credentials
  private let now: @Sendable () -> Int

  /// - Parameters:
  ///   - expiry: when credentials end, in seconds since 1970; `nil` if they do not end by themselves.
  ///   - early: how many seconds before the old ones end new ones are fetched; `nil` for five minutes.
  ///   - now: seconds since 1970.
  ///   - fetch: brings new credentials. Cancelled when the source closes.
  public convenience init(
    expiry: @escaping @Sendable (Credentials) -> Int?, early: Int? = nil, now: @escaping @Sendable () -> Int,
    fetch: @escaping @Sendable () async throws -> Credentials
  ) {
    self.init(expiry: expiry, early: early, now: now) { _ in try await fetch() }
  }

  /// Credentials of one source, which come from a flight that other sources share. Closing this one leaves that one as it is.
  ///
  /// - Parameters:
  ///   - expiry: as above.
  ///   - now: seconds since 1970, by the clock that the source's server goes by.
  public convenience init(
    sharing shared: CredentialsFlight, expiry: @escaping @Sendable (Credentials) -> Int?,
    now: @escaping @Sendable () -> Int
  ) {
    self.init(expiry: expiry, early: nil, now: now) { try await shared.answer($0) }
  }

  /// - Parameter flight: what makes one fetch of all that are asked for at a time.
  init(
    expiry: @escaping @Sendable (Credentials) -> Int?, early: Int? = nil, now: @escaping @Sendable () -> Int,
    by flight: SharedWork<Int, Credentials> = SharedWork(outlivesWaiters: true, patience: CredentialsTimes.patience),
    asking fetch: @escaping @Sendable (CredentialsState<Credentials>.Question) async throws -> Credentials
  ) {
    decisions = Guarded(CredentialsState(expiry: expiry, early: early ?? CredentialsTimes.early))
    self.now = now
    self.flight = flight
    self.fetch = fetch
  }

  /// The credentials to sign with now. Returns at once if they are good for a while.
  ///
  /// - Throws: what fetching threw; `closed`; `CancellationError` at once when the task is cancelled.
  public nonisolated(nonsending) func credentials() async throws -> Credentials {
    let credentials = try await answer(.sign)
    used.withLock { $0.last = credentials }
    return credentials
  }

  /// Other credentials than `refused`, which the server did not accept. May return the same again, if there are no
  /// others.
  public nonisolated(nonsending) func credentials(insteadOf refused: Credentials) async throws -> Credentials {
    try await answer(.replace(refused))
  }

  /// Ends the fetch under way and all waits.
  public func close() {
    flight.close(with: ReadError(.closed, "the source is closed: make a new one to read on"))
  }

  private nonisolated(nonsending) func answer(
    _ question: CredentialsState<Credentials>.Question
  ) async throws -> Credentials {
    if let closed = flight.closedWith { throw closed }
    try Task.checkCancellation()
    let now = now()
    switch decisions.withLock({ $0.ask(question, at: now) }) {
    case .use(let credentials, let fetches):
      if fetches { flight.start(0, fetching(for: nil)) }
      return credentials
    case .wait:
      return try await flight.value(for: 0, fetching(for: question))
    }
  }

  /// Brings new credentials, unless a fetch that has ended since was enough.
  ///
  /// - Parameter question: what waits for them; `nil`: nothing.
  private func fetching(for question: CredentialsState<Credentials>.Question?) -> SharedWork<Int, Credentials>.Work {
    { [decisions, fetch, now] in
      let began = now()
      if case .use(let known, let fetches) = decisions.withLock({ $0.ask(question ?? .sign, at: began) }),
        question != nil || !fetches
      {
        return known
      }
      let need = decisions.withLock { $0.need(for: question) }
      let result: Result<Credentials, any Error>
      do { result = .success(try await fetch(need)) } catch { result = .failure(error) }
      let end = now()
      // What was given up is not wanted any more: it may be older. Asked under the lock, since the fetch that took its place
      // may end at the same time. `try?`: a failure is told to those who wait.
      decisions.withLock { if !Task.isCancelled { $0.fetched(try? result.get(), at: end) } }
      return try result.get()
    }
  }
}
