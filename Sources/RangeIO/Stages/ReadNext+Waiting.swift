/// Waits for stages. They end at once when the read is cancelled or the reader is closed.
extension ReadNext {
  /// Suspends until `instant`, or until the read is cancelled or the reader is closed. Use this in your own stages:
  /// closing does not end a wait by `Task.sleep` or ``time``, and the reader then waits for that stage.
  ///
  /// - Throws: `CancellationError`, `ReadError.Code.closed`.
  public nonisolated(nonsending) func sleep(until instant: ReadInstant) async throws {
    try await answer { [time] in try await time.sleep(until: instant) }
  }

  /// Suspends for `duration`. Otherwise like ``sleep(until:)``.
  ///
  /// - Throws: `CancellationError`, `ReadError.Code.closed`.
  public nonisolated(nonsending) func sleep(for duration: Duration) async throws {
    try await sleep(until: time.now.advanced(by: duration))
  }

  /// Runs `work` in its own task and returns its result. The task is cancelled when no read waits for it any more.
  /// `work` must not read through this `ReadNext`: use ``start(_:)`` for that.
  ///
  /// - Throws: any error that `work` throws; `CancellationError`, `ReadError.Code.closed`.
  func answer<Value: Sendable>(of work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let answer = Promise<Value>()
    let task = background.start {
      do { answer.resolve(.success(try await work())) } catch { answer.fail(error) }
    }
    do {
      return try await wait(for: answer)
    } catch {
      task.cancel()
      throw error
    }
  }
}

extension ReadRequest {
  /// The error of this read when its deadline has passed.
  func timedOut() -> ReadError {
    ReadError(
      .timedOut, "the time for this read is over: try again, or allow more of it", isTransient: true,
      context: .init(source: source.name, offset: range.lowerBound, count: range.count))
  }
}
