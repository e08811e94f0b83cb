extension SpillStore {
  /// Waits until everything stored before this call is on the disk, and durable if
  /// ``DiskConfiguration/syncsEvery`` is set.
  ///
  /// Chunks that could not be written are dropped, as always. Removals are not.
  ///
  /// - Throws: `CancellationError`; the error of the disk if something could not be made durable, or a removal could
  ///   not be written.
  package func flush() async throws { try await flush(by: nil) }

  /// - Parameter end: when to stop waiting for a disk that hangs.
  func flush(by end: ReadInstant?) async throws {
    guard readOnlyReason != .configured else { return }
    let answer = Promise<Void>()
    state.withLock { $0.flushes.append(.init(answer: answer, lastRemoval: $0.staging.lastRemoval)) }
    writer.startForWaiters()
    try await wait(for: answer, until: end)
  }

  /// Waits for an answer, at most until `end`.
  func wait(for answer: Promise<Void>, until end: ReadInstant?) async throws {
    let timer = end.map { end in
      configuration.background.startElsewhere { [time = configuration.time, directory = configuration.directory] in
        guard (try? await time.sleep(until: end)) != nil else { return }
        answer.fail(
          ReadError(
            .timedOut,
            "the disk of the spill directory did not answer in time: what was not written yet is lost, which only costs time",
            context: .init(source: directory)))
      }
    }
    defer { timer?.cancel() }
    try await answer.value()
  }

  /// Closes the directory: writes what waits, seals the last file, and releases the lock. From then on nothing is found
  /// or taken.
  ///
  /// - Throws: as ``flush()``. The store is closed even if this throws.
  package func close() async throws { try await close(by: nil) }

  /// - Parameter end: when to stop waiting for a disk that hangs. The lock is released when the disk answers.
  func close(by end: ReadInstant?) async throws {
    var failure: (any Error)?
    do { try await flush(by: end) } catch { failure = error }
    let answer = Promise<Void>()
    let isFirst = state.withLock { state -> Bool in
      guard !state.isClosed else { return false }
      state.isClosed = true
      state.closing = answer
      return true
    }
    guard isFirst else { return }
    writer.startForWaiters()
    do { try await wait(for: answer, until: end) } catch { failure = failure ?? error }
    if let failure { throw failure }
  }
}

extension SpillState {
  /// Removes everything from memory.
  ///
  /// - Returns: what the caller must release outside of the lock.
  mutating func forgetAll() -> (places: [Place?], staging: SpillStaging) {
    counts.dropped += staging.count
    let all = (places, staging)
    table = SpillTable()
    sources = SpillSources()
    places = []
    staging = SpillStaging(limit: staging.limit)
    storedBytes = 0
    ghost = Ghost()
    return all
  }
}
