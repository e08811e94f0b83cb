package import RangeIO

/// Work that is done once for all who ask for it under the same key at the same time: credentials that are fetched, a directory that
/// is listed.
///
/// A result or an error reaches all who wait. One who is cancelled is answered at once, and takes nothing from the others. When
/// the last one has left, the task of the work is cancelled at once, and the next who asks begins anew. Work never runs on the thread
/// of one who asks.
///
/// Work that keeps what it finds does so before it returns. It also looks first at what is kept: the work before may have ended
/// between the caller's look and its question here.
public final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// Work that is done in a task of its own.
  public typealias Work = @Sendable () async throws -> Value

  private let state: Locked<SharedWorkState<Key, Promise<Value>, Task<Void, Never>>>
  private let uptime: @Sendable () -> Duration

  /// No work yet.
  ///
  /// - Parameters:
  ///   - outlivesWaiters: `true` if work goes on when all who wait have left, since the next who ask have use for it.
  ///   - patience: work that has not ended after this long is given up by the next who asks, and done anew for all who wait;
  ///     `nil`: never.
  public convenience init(outlivesWaiters: Bool = false, patience: Duration? = nil) {
    self.init(outlivesWaiters: outlivesWaiters, patience: patience, uptime: { Uptime.now })
  }

  /// - Parameter uptime: the time since some moment, by a clock that is never set.
  package init(outlivesWaiters: Bool, patience: Duration?, uptime: @escaping @Sendable () -> Duration) {
    state = Locked(SharedWorkState(outlivesWaiters: outlivesWaiters, patience: patience))
    self.uptime = uptime
  }

  deinit { end(with: CancellationError()) }

  /// Returns the result of `work`, or of the work that is under way for `key`.
  ///
  /// - Throws: what the work throws; `CancellationError`; the error of ``close(with:)``.
  public func value(for key: Key, _ work: @escaping Work) async throws -> Value {
    try await value(for: key, work) { try await $0.value() }
  }

  /// The same, with a wait of the caller's, which may end early.
  package func value(
    for key: Key, _ work: @escaping Work,
    waiting wait: nonisolated(nonsending) (Promise<Value>) async throws -> Value
  ) async throws -> Value {
    try Task.checkCancellation()
    let answer = Promise<Value>()
    let waiter = join(key, answer, work)
    defer { state.withLock { $0.left(key, waiter) }?.cancel() }
    return try await wait(answer)
  }

  /// Begins `work`, unless such work is under way; nothing waits for it. For work that outlives its waiters.
  public func start(_ key: Key, _ work: @escaping Work) { _ = join(key, nil, work) }

  /// Fails all who wait, and all who ask later. Cancels what is under way.
  public func close(with error: any Error) { end(with: error) }

  /// The error of ``close(with:)``, once that was called.
  public var closedWith: (any Error)? { state.withLock { $0.closedWith } }

  /// The works under way, and those who wait for them.
  package var counts: (works: Int, waiters: Int) { state.withLock { $0.counts } }

  private func join(_ key: Key, _ answer: Promise<Value>?, _ work: @escaping Work) -> Int {
    let now = uptime()
    let joined = state.withLock { $0.closedWith == nil ? $0.join(key, answer, at: now) : nil }
    guard let joined else {
      if let closedWith { answer?.fail(closedWith) }
      return 0
    }
    joined.replaced?.cancel()
    guard let number = joined.begins else { return joined.waiter }
    let task = BackgroundWork().startElsewhere { [weak self] in
      let result: Result<Value, any Error>
      do { result = .success(try await work()) } catch { result = .failure(error) }
      self?.end(key, number, result)
    }
    if !state.withLock({ $0.began(key, number, task) }) { task.cancel() }
    return joined.waiter
  }

  private func end(_ key: Key, _ number: Int?, _ result: Result<Value, any Error>) {
    for waiter in state.withLock({ $0.ended(key, number) }) { waiter.resolve(result) }
  }

  private func end(with error: any Error) {
    let (waiters, works) = state.withLock { $0.close(with: error) }
    for work in works { work.cancel() }
    for waiter in waiters { waiter.fail(error) }
  }
}

/// Work that a caller does itself, as a part of more.
extension SharedWork {
  /// A wait for what another caller does.
  public struct Wait: Sendable {
    fileprivate let answer: Promise<Value>

    /// Returns the result that the other one has found. Call it once.
    ///
    /// - Throws: the error that the other one has ended with; `CancellationError`, also after ``leave()``.
    public func value() async throws -> Value { try await answer.value() }

    /// Ends the wait now.
    public func leave() { answer.fail(CancellationError()) }
  }

  /// Waits for what another caller does. `nil` if none does: the caller then does it, and calls ``end(_:_:)`` whatever happens.
  public func join(_ key: Key) -> Wait? {
    let answer = Promise<Value>()
    return state.withLock { $0.join(key, answer) }.begins == nil ? Wait(answer: answer) : nil
  }

  /// Tells all who wait what a caller has found. More calls do nothing.
  public func end(_ key: Key, _ result: Result<Value, any Error>) { end(key, nil, result) }
}

/// The time that passes whatever the clock on the wall is set to, also while the machine sleeps.
private enum Uptime {
  private static let origin = ContinuousClock.now

  /// Since this was asked first.
  static var now: Duration { origin.duration(to: .now) }
}
