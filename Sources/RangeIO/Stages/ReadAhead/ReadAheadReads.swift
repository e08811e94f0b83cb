import Synchronization

/// The read-ahead of one source: its runs, and the pieces that are in flight or not used yet.
final class ReadAheadReads: ReadAheadHolder {
  /// A range to prefetch for a run.
  struct Part {
    let run: Int
    let range: ByteRange
    /// The run reads it from its end to its start.
    var isBackwards = false
  }

  /// A range that was requested.
  private struct Piece {
    let number: Int
    /// The number of its run; 0 for a hint.
    let run: Int
    let range: ByteRange
    let isBackwards: Bool
    /// The bytes counted against the budget: its own, but no fewer than a least charge.
    let charge: Int
    /// The number of its bytes that have not been read yet.
    var unused: Int
    var task: Task<Void, Never>?
  }

  private struct State {
    var runs = ReadAheadRuns()
    /// The run of the last read that belonged to one. Used to count runs.
    var lastRun = 0
    /// In the order of their requests.
    var pieces: [Piece] = []
    var lastNumber = 0
    /// Set to stop prefetching: nothing would release such bytes any more.
    var isOver = false
  }

  /// The least number of bytes that a piece counts for. This also limits the number of pieces, which matters because
  /// each read looks at all of them.
  private static let minCharge = 64 << 10

  private let state = Locked(State())
  /// The most to read ahead of a run; zero: nothing was noticed yet.
  let longest = Atomic<Int>(0)
  /// The source knows what a connection brings.
  let isMeasured = Atomic<Bool>(false)
  private let budget: ReadAheadBudget
  private let counters: ReadAheadCounters

  init(_ budget: ReadAheadBudget, _ counters: ReadAheadCounters) {
    self.budget = budget
    self.counters = counters
  }

  /// Records a read. Returns the parts to prefetch, and the tasks of prefetches that are no longer needed.
  func notice(_ request: ReadRequest, isHit: Bool) -> (ask: [Part], ended: [Task<Void, Never>]) {
    let source = request.source
    // The block size is valid: it was checked when the source was described.
    var bounds = ReadAheadRuns.Bounds(
      byteCount: source.byteCount, grid: BlockGrid(blockSize: source.preferredBlockSize.bytes)!,
      longest: longest.load(ordering: .relaxed))
    if isMeasured.load(ordering: .relaxed) {
      // As much as all connections could send in the time of one wait: to ask for less wastes that time.
      (bounds.least, bounds.pieces) = (bounds.longest / 4, ReadAheadExtent.connections)
    }
    var (freed, ended): (Int, [Task<Void, Never>]) = (0, [])
    let ask = state.withLock { state -> [Part] in
      if !state.pieces.isEmpty {
        freed += use(request.range, &state)
        for range in request.moreRanges { freed += use(range, &state) }
      }
      // A read of several ranges says nothing about what comes next.
      guard request.moreRanges.isEmpty else { return [] }
      let noticed = state.runs.notice(request.range, bounds, isHit: isHit, until: request.sequenceEnd)
      if !noticed.ended.isEmpty {
        let (bytes, tasks) = drop(&state) { noticed.ended.contains($0.run) }
        freed += bytes
        ended = tasks
      }
      guard let run = noticed.run else { return [] }
      if run > state.lastRun {
        state.lastRun = run
        counters.add(1, .runs)
      }
      let isBackwards = state.runs.runs.first?.rule == .backwards
      return noticed.ask.map { Part(run: run, range: $0, isBackwards: isBackwards) }
    }
    budget.give(freed, by: self)
    return (ask, ended)
  }

  /// Prefetches a part, unless it is already cached or in flight. Returns `false` if the budget does not allow it.
  func start(_ part: Part, _ request: ReadRequest, _ next: ReadNext) -> Bool {
    let missing = next.missing(part.range, of: request.source, forReadsOf: request.range.count) ?? [part.range]
    let count = missing.reduce(0) { $0 + $1.count }
    // The missing ranges may be wider than the part, because they are whole blocks.
    let within = missing.reduce(0) { $0 + (ByteRanges.intersection($1, part.range)?.count ?? 0) }
    counters.add(part.range.count - within, .cached)
    guard let ranges = OneOrMore(missing) else { return true }
    guard let number = begin(missing, count: count, for: part) else { return false }
    var prefetch = ReadRequest(ranges, of: request.source)
    prefetch.purpose = .prefetch
    // On another thread, so that the read that caused this is sent first.
    let task = next.startFlight(elsewhere: true) { [self, prefetch] in
      do { _ = try await next(prefetch) } catch { failed(number) }
      ended(number)
    }
    let isWanted = state.withLock { state in
      guard let index = state.pieces.firstIndex(where: { $0.number == number }) else { return false }
      state.pieces[index].task = task
      return true
    }
    // The piece was given up in between, or has already arrived.
    if !isWanted { task.cancel() }
    return true
  }

  /// Records what a hint asks for. Returns a number to pass when it ends; `nil` if the budget does not allow it.
  func begin(_ ranges: [ByteRange]) -> Int? {
    let hull = ranges.map(\.lowerBound).min()!..<ranges.map(\.upperBound).max()!
    return begin(ranges, count: ranges.reduce(0) { $0 + $1.count }, for: Part(run: 0, range: hull))
  }

  private func begin(_ ranges: [ByteRange], count: Int, for part: Part) -> Int? {
    let charge = max(count, min(Self.minCharge, budget.limit.bytes / 64))
    guard budget.take(charge, for: self) else {
      counters.add(count, .refused)
      state.withLock { $0.runs.retract(part.run, to: part.range) }
      return nil
    }
    let number = state.withLock { state -> Int? in
      guard !state.isOver else { return nil }
      state.lastNumber += 1
      state.pieces.append(
        Piece(
          number: state.lastNumber, run: part.run, range: part.range, isBackwards: part.isBackwards, charge: charge,
          unused: count))
      return state.lastNumber
    }
    if number == nil { budget.give(charge, by: self) } else { counters.add(count, .asked) }
    return number
  }

  func failed(_ number: Int) {
    let freed = state.withLock { state -> Int in
      guard let index = state.pieces.firstIndex(where: { $0.number == number }) else { return 0 }
      let piece = state.pieces.remove(at: index)
      state.runs.retract(piece.run, to: piece.range)
      counters.add(piece.unused, .failed)
      return piece.charge
    }
    budget.give(freed, by: self)
  }

  private func ended(_ number: Int) {
    state.withLock { state in
      guard let index = state.pieces.firstIndex(where: { $0.number == number }) else { return }
      state.pieces[index].task = nil
    }
  }

  /// Releases everything and stops prefetching.
  func end() {
    state.withLock { $0.isOver = true }
    giveUp()
  }

  func giveUp() {
    let (freed, tasks) = state.withLock { state in
      _ = state.runs.endAll()
      return drop(&state) { _ in true }
    }
    budget.give(freed, by: self)
    for task in tasks { task.cancel() }
  }

  /// The caller will not read `range`.
  func discard(_ range: ByteRange) {
    let (freed, tasks) = state.withLock { state in
      drop(&state) { range.lowerBound <= $0.range.lowerBound && $0.range.upperBound <= range.upperBound }
    }
    budget.give(freed, by: self)
    for task in tasks { task.cancel() }
  }

  /// Records that `range` is read. Returns the number of bytes to give back to the budget.
  private func use(_ range: ByteRange, _ state: inout State) -> Int {
    var freed = 0
    var isAny = false
    for index in state.pieces.indices {
      guard let part = ByteRanges.intersection(state.pieces[index].range, range) else { continue }
      let used = min(part.count, state.pieces[index].unused)
      state.pieces[index].unused -= used
      counters.add(used, .used)
      isAny = true
    }
    guard isAny else { return 0 }
    state.pieces.removeAll { piece in
      // The run has read to the end of the piece. Parts that it skipped are usually not read later.
      let end = piece.isBackwards ? piece.range.lowerBound : piece.range.upperBound - 1
      let isPassed = range.contains(end) || piece.unused == 0
      guard piece.range.overlaps(range), isPassed else { return false }
      counters.add(piece.unused, .wasted)
      freed += piece.charge
      return true
    }
    return freed
  }

  private func drop(_ state: inout State, _ isDropped: (Piece) -> Bool) -> (freed: Int, tasks: [Task<Void, Never>]) {
    var freed = 0
    var tasks: [Task<Void, Never>] = []
    state.pieces.removeAll { piece in
      guard isDropped(piece) else { return false }
      counters.add(piece.unused, .wasted)
      freed += piece.charge
      if let task = piece.task { tasks.append(task) }
      return true
    }
    return (freed, tasks)
  }
}
