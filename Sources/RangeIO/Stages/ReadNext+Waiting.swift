/// Waits of stages that end at once when the read is cancelled or the reader closed, whatever is waited for.
extension ReadNext {
  /// Suspends until `instant`, or until the read is cancelled or the reader closed. What a stage of your own waits for by
  /// `Task.sleep` or by ``time`` is not ended by closing: the reader then waits for that stage.
  ///
  /// - Throws: `CancellationError`, `ReadError.Code.closed`.
  public nonisolated(nonsending) func sleep(until instant: ReadInstant) async throws {
    try await answer { [time] in try await time.sleep(until: instant) }
  }

  /// Suspends for so long, as ``sleep(until:)``.
  ///
  /// - Throws: `CancellationError`, `ReadError.Code.closed`.
  public nonisolated(nonsending) func sleep(for duration: Duration) async throws {
    try await sleep(until: time.now.advanced(by: duration))
  }

  /// What `work` comes to, done by a task of its own, which is cancelled when no read waits for it any more. It must not
  /// read through this: see ``start(_:)``.
  ///
  /// - Throws: what `work` throws; `CancellationError`, `ReadError.Code.closed`.
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
  /// The error of this read when its deadline passes.
  func timedOut() -> ReadError {
    ReadError(
      .timedOut, "the time for this read is over: try again, or allow more of it", isTransient: true,
      context: .init(source: source.name, offset: range.lowerBound, count: range.count))
  }
}
