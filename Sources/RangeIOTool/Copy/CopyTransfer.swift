import RangeIO

/// Reads what a plan lacks, with several requests at the same time, and writes it to a file.
final class CopyTransfer: Sendable {
  private let source: OpenedSource
  private let reader: RangeReader
  private let file: PartFile
  private let layout: CopyLayout
  private let plan: Locked<CopyPlan>
  private let pace: Locked<CopyPace?>
  private let progress: CopyProgress
  private let start = ContinuousClock.now

  init(
    _ source: OpenedSource, _ reader: RangeReader, to file: PartFile, _ plan: CopyPlan, _ pace: CopyPace?,
    _ progress: CopyProgress
  ) {
    self.source = source
    self.reader = reader
    self.file = file
    layout = plan.layout
    self.plan = Locked(plan)
    self.pace = Locked(pace)
    self.progress = progress
  }

  /// Copies all that is missing. Also after a failure, the journal has all that has arrived.
  func run() async throws {
    defer { progress.clear() }
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<plan.withLock({ $0.requests.parallel }) { group.addTask { try await self.work() } }
        // The first failure ends the others.
        for try await _ in group {}
      }
    } catch {
      // The failure to report is the one before; without this note, a little more is read again.
      do { try noteRest() } catch {}
      throw error
    }
    try noteRest()
  }

  private func noteRest() throws {
    if let write = plan.withLock({ $0.note() }) { try file.note(write) }
  }

  private func work() async throws {
    while let pieces = plan.withLock({ $0.next() }) {
      try await copy(pieces)
      let range = layout.range(of: pieces)
      // Short ones come so fast that the system collects them better by itself.
      if range.count >= CopyLayout.largestPiece { file.beginWriting(range) }
    }
  }

  private func copy(_ pieces: Range<Int>) async throws {
    let arrival = Arrival(PieceSums(pieces, layout))
    var retries = CopyRetries()
    while case let range = arrival.missing, !range.isEmpty {
      try Task.checkCancellation()
      try await waitForTurn(range.count)
      do {
        try await read(range, arrival, try: arrival.nextTry())
        guard arrival.missing.isEmpty else { throw ReadError.endedEarly(arrival.missing, of: reader.source) }
      } catch {
        if let failure = arrival.failure { throw failure }
        if arrival.missing != range { retries.arrived() }
        guard let wait = retries.failed(error, random: .random(in: 0...1)) else { throw error }
        try await Task.sleep(for: wait)
      }
    }
  }

  private func read(_ range: ByteRange, _ arrival: Arrival, try number: Int) async throws {
    if let read = source.arriving {
      try await read(range, reader.source) { [self] in try take($0, arrival, number) }
    } else {
      try take(try await reader.read(range), arrival, number)
    }
  }

  /// Writes a portion of a request, and finishes the pieces that are complete with it.
  private func take(_ portion: Bytes, _ arrival: Arrival, _ number: Int) throws {
    // A portion may still come while the read that it is of returns with an error.
    guard arrival.isLast(number) else { return }
    guard portion.count <= arrival.missing.count else { throw ReadError.endedLate(of: reader.source) }
    do throws(ToolFailure) {
      try file.write(portion, at: arrival.missing.lowerBound)
      for record in arrival.take(portion) {
        if let write = plan.withLock({ $0.finish(record.piece, sum: record.sum) }) { try file.note(write) }
      }
    } catch {
      // A source may wrap what its reader throws.
      arrival.failure = error
      throw error
    }
    progress.advance(portion.count)
  }

  private func waitForTurn(_ byteCount: Int) async throws {
    let now = ContinuousClock.now - start
    let wait = pace.withLock { $0?.wait(for: byteCount, now: now) }
    if let wait, wait > .zero { try await Task.sleep(for: wait) }
  }

  /// What has arrived of one request. Used by one thread at a time: by the request, or by who waits for it.
  private final class Arrival: Sendable {
    private let state: Locked<(sums: PieceSums, tries: Int, failure: ToolFailure?)>

    init(_ sums: PieceSums) { state = Locked((sums, 0, nil)) }

    /// Begins another try.
    func nextTry() -> Int {
      state.withLock { state in
        state.tries += 1
        return state.tries
      }
    }

    func isLast(_ number: Int) -> Bool { state.withLock { $0.tries == number } }

    var missing: ByteRange { state.withLock { $0.sums.missing } }

    /// Why nothing more can be written.
    var failure: ToolFailure? {
      get { state.withLock { $0.failure } }
      set { state.withLock { $0.failure = newValue } }
    }

    func take(_ portion: Bytes) -> [CopyJournal.Record] { state.withLock { $0.sums.take(portion) } }
  }
}

extension ReadError {
  fileprivate static func endedEarly(_ missing: ByteRange, of source: SourceDescription) -> ReadError {
    ReadError(
      .invalidResponse, "\(missing.count) bytes at \(missing.lowerBound) did not come, without an error",
      isTransient: true, source: source.name)
  }

  fileprivate static func endedLate(of source: SourceDescription) -> ReadError {
    ReadError(.invalidResponse, "more bytes came than were asked for", source: source.name)
  }
}
