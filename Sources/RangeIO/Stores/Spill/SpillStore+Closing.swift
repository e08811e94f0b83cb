extension SpillStore {
  /// Waits until all is on the disk that came before, and durable, unless ``Configuration/durability`` is none.
  ///
  /// Chunks that could not be written are dropped, as always. Removals are not.
  ///
  /// - Throws: `CancellationError`; why the disk failed, if it could not be made durable, or a removal not be written.
  public func flush() async throws {
    guard !configuration.isReadOnly, !state.withLock({ $0.isClosed }) else { return }
    let answer = OneAnswer<Void>()
    state.withLock { $0.flushes.append(answer) }
    writer.startForWaiters()
    try await answer.value()
    let failure = state.withLock { state -> ReadError? in
      guard state.staging.clears || !state.staging.removals.isEmpty else { return nil }
      return state.lastFailure
    }
    if let failure { throw failure }
  }

  /// Ends the use of the directory: what waits is written, the last file is sealed, and the lock given back. Nothing is
  /// found or taken any more.
  ///
  /// - Throws: as ``flush()``, with the store closed all the same.
  public func close() async throws {
    var failure: (any Error)?
    do { try await flush() } catch { failure = error }
    let answer = OneAnswer<Void>()
    let isFirst = state.withLock { state -> Bool in
      guard !state.isClosed else { return false }
      state.isClosed = true
      state.closing = answer
      return true
    }
    guard isFirst else { return }
    writer.startForWaiters()
    try await answer.value()
    let forgotten = state.withLock { $0.forgetAll() }
    withExtendedLifetime(forgotten) {}
    if let failure { throw failure }
  }
}

extension SpillState {
  /// Nothing is here any more.
  ///
  /// - Returns: what is to be let go of when the lock is not held.
  mutating func forgetAll() -> (places: [Place?], staged: [SpillStaging.Entry]) {
    let forgotten = (places, unstage { _, _ in true })
    counts.dropped += forgotten.1.count
    _ = staging.takeRemovals()
    table = SpillTable()
    sources = SpillSources()
    places = []
    storedBytes = 0
    ghost = Ghost()
    return forgotten
  }
}
