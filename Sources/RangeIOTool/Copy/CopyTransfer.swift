#if Tool
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
  /// Decides how often, and for how long, a request is tried again.
  private let retries: CopyRetries
  private let start = ContinuousClock.now

  init(
    _ source: OpenedSource, _ reader: RangeReader, to file: PartFile, _ plan: CopyPlan, _ pace: CopyPace?,
    _ progress: CopyProgress, _ retries: CopyRetries
  ) {
    self.source = source
    self.reader = reader
    self.file = file
    layout = plan.layout
    self.plan = Locked(plan)
    self.pace = Locked(pace)
    self.progress = progress
    self.retries = retries
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

  /// Finishes what is missing and a hole of the source: nothing of that is read. Call it before ``run()``.
  func passHoles() async throws {
    guard let holes = FileHoles(source.source) else { return }
    var rest = 0..<layout.byteCount
    while !rest.isEmpty {
      let found = try await holes.next(in: rest, of: reader.source)
      for run in found.holes.flatMap({ hole in plan.withLock { $0.take(within: hole) } }) {
        try file.clear(layout.range(of: run))
        plan.withLock { $0.finish(zeros: run) }
        progress.advance(layout.range(of: run).count)
      }
      rest = found.end..<rest.upperBound
    }
  }

  private func noteRest() throws {
    if let write = plan.withLock({ $0.note() }) { try file.note(write) }
  }

  private func work() async throws {
    while let pieces = plan.withLock({ $0.next() }) {
      try await copy(pieces)
      let range = layout.range(of: pieces)
      // Short ones come so fast that the system collects them better by itself.
      if range.count >= CopyLayout.maxPieceSize { file.beginWriting(range) }
    }
  }

  private func copy(_ pieces: Range<Int>) async throws {
    let arrival = Arrival(PieceSums(pieces, layout))
    var retries = retries
    let begin = ContinuousClock.now
    while case let (number, range) = arrival.nextTry(), !range.isEmpty {
      try Task.checkCancellation()
      try await waitForRate(range.count)
      do {
        try await read(range, arrival, number)
        guard arrival.missing.isEmpty else { throw ReadError.endedEarly(arrival.missing, of: reader.source) }
      } catch {
        if let failure = arrival.failure { throw failure }
        if arrival.missing != range { retries.arrived() }
        guard let wait = retries.failed(error, now: ContinuousClock.now - begin, random: .random(in: 0...1)) else {
          throw error
        }
        try await Task.sleep(for: wait)
      }
    }
  }

  private func read(_ range: ByteRange, _ arrival: Arrival, _ number: Int) async throws {
    if let read = source.arriving {
      // The reader does not see them.
      defer { ReaderLog.arrived(range.count - arrival.missing.count) }
      try await read(range, reader.source) { [self] in try take($0, arrival, number) }
    } else {
      try take(try await reader.read(range), arrival, number)
    }
  }

  /// Writes a portion of a request, and finishes the pieces that are complete with it.
  private func take(_ portion: Bytes, _ arrival: Arrival, _ number: Int) throws {
    guard let missing = arrival.missing(in: number) else { return }
    guard portion.count <= missing.count else { throw ReadError.endedLate(of: reader.source) }
    do throws(ToolFailure) {
      try file.write(portion, at: missing.lowerBound)
      for record in arrival.take(portion, number) {
        if let write = plan.withLock({ $0.finish(record.piece, sum: record.sum) }) { try file.note(write) }
      }
    } catch {
      // A source may wrap what its reader throws.
      arrival.failure = error
      throw error
    }
    progress.advance(portion.count)
  }

  private func waitForRate(_ byteCount: Int) async throws {
    let now = ContinuousClock.now - start
    let wait = pace.withLock { $0?.wait(for: byteCount, now: now) }
    if let wait, wait > .zero { try await Task.sleep(for: wait) }
  }

  /// The bytes that have arrived of one request, over all its tries.
  ///
  /// A portion may still come while the try that it is of returns with an error. It counts until the next try begins.
  private final class Arrival: Sendable {
    private struct State {
      var sums: PieceSums
      var number = 0
      var failure: ToolFailure?
    }
    private let state: Locked<State>

    init(_ sums: PieceSums) { state = Locked(State(sums: sums)) }

    /// Begins the next try, and returns its number and what it has to read.
    func nextTry() -> (number: Int, missing: ByteRange) {
      state.withLock { state in
        state.number += 1
        return (state.number, state.sums.missing)
      }
    }

    var missing: ByteRange { state.withLock { $0.sums.missing } }

    /// The range that has not arrived; `nil` if another try has begun.
    func missing(in number: Int) -> ByteRange? { state.withLock { $0.number == number ? $0.sums.missing : nil } }

    /// Why nothing more can be written.
    var failure: ToolFailure? {
      get { state.withLock { $0.failure } }
      set { state.withLock { $0.failure = newValue } }
    }

    /// - Returns: the pieces that are complete.
    func take(_ portion: Bytes, _ number: Int) -> [CopyJournal.Record] {
      state.withLock { $0.number == number ? $0.sums.take(portion) : [] }
    }
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
#endif
