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
  struct Piece {
    let number: Int
    /// The number of its run; 0 for a hint.
    let run: Int
    let range: ByteRange
    let isBackwards: Bool
    /// The reader through which it is requested. Several may share a stage, and read one source.
    let reader: ObjectIdentifier?
    /// The bytes counted against the budget: its own, but no fewer than a least charge.
    let charge: Int
    /// Keeps it in the cache until it is passed; `nil` for a hint, or if the cache does not hold.
    let hold: ReadAheadHold?
    /// The number of its bytes that have not been read yet.
    var unused: Int
    var task: Task<Void, Never>?
    var isHere = false
  }

  struct State {
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

  let state = Locked(State())
  /// The most to read ahead of a run; zero: nothing was noticed yet.
  let longest = Atomic<Int>(0)
  /// The source knows what a connection brings.
  let isMeasured = Atomic<Bool>(false)
  /// The bytes that all runs may have ahead, beside the other sources.
  private let room = Atomic<Int>(.max)
  let budget: ReadAheadBudget
  let counters: ReadAheadCounters

  init(_ budget: ReadAheadBudget, _ counters: ReadAheadCounters) {
    self.budget = budget
    self.counters = counters
  }

  struct Noticed {
    /// To prefetch.
    var ask: [Part] = []
    /// Of prefetches that are no longer needed.
    var ended: [Task<Void, Never>] = []
    /// Of pieces that the read, or a run that ended, has passed. End them when it has its bytes.
    var passed: [ReadAheadHold] = []
  }

  /// The bytes that were given back, and the holds of the pieces.
  struct Freed {
    var bytes = 0
    var holds: [ReadAheadHold] = []

    mutating func add(_ piece: Piece) {
      bytes += piece.charge
      if let hold = piece.hold { holds.append(hold) }
    }
  }

  /// Looks how much room there is for what is read ahead.
  func followRoom(of next: ReadNext) {
    room.store(min(budget.share(of: self), next.aheadBudget?.share(of: self) ?? .max), ordering: .relaxed)
  }

  /// Records a read.
  func notice(_ request: ReadRequest, isHit: Bool) -> Noticed {
    let source = request.source
    // The block size is valid: it was checked when the source was described.
    var bounds = ReadAheadRuns.Bounds(
      byteCount: source.byteCount, grid: BlockGrid(blockSize: source.preferredBlockSize.bytes)!,
      longest: longest.load(ordering: .relaxed), room: room.load(ordering: .relaxed))
    if isMeasured.load(ordering: .relaxed) {
      // As much as all connections could send in the time of one wait: to ask for less wastes that time.
      (bounds.least, bounds.pieces) = (bounds.longest / 4, ReadAheadExtent.connections)
    }
    var (freed, result) = (Freed(), Noticed())
    result.ask = state.withLock { state -> [Part] in
      // Its stream has left: nothing would end what this began.
      guard !Task.isCancelled else { return [] }
      let pace = isHit ? .ahead : pace(of: request.range, state)
      if !state.pieces.isEmpty {
        use(request.range, &state, &freed)
        for range in request.moreRanges { use(range, &state, &freed) }
      }
      // A read of several ranges says nothing about what comes next.
      guard request.moreRanges.isEmpty else { return [] }
      let noticed = state.runs.notice(request.range, bounds, isHit: isHit, pace, until: request.sequenceEnd)
      if !noticed.ended.isEmpty { result.ended = drop(&state, &freed) { noticed.ended.contains($0.run) } }
      guard let run = noticed.run else { return [] }
      if let current = state.runs.runs.first, !state.pieces.isEmpty {
        let isStream = request.sequenceEnd != nil
        result.ended += drop(&state, &freed) {
          $0.run == run && ReadAheadRuns.hasLeft($0.range, current, isStream: isStream)
        }
      }
      if run > state.lastRun {
        state.lastRun = run
        counters.add(1, .runs)
      }
      let isBackwards = state.runs.runs.first?.rule == .backwards
      return noticed.ask.map { Part(run: run, range: $0, isBackwards: isBackwards) }
    }
    budget.give(freed.bytes, by: self)
    for hold in freed.holds { hold.pass() }
    result.passed = freed.holds
    return result
  }

  /// How the read of `range` keeps up with what was asked for ahead.
  private func pace(of range: ByteRange, _ state: State) -> ReadAheadRuns.Pace {
    var (isAhead, isHere) = (false, true)
    for piece in state.pieces where piece.range.overlaps(range) {
      isAhead = true
      isHere = isHere && piece.isHere
    }
    guard isAhead, isHere else { return .waits }
    return state.pieces.allSatisfy(\.isHere) ? .falls : .ahead
  }

  /// Prefetches a part, unless it is already cached or in flight. Returns `false` if the budget does not allow it.
  func start(_ part: Part, _ request: ReadRequest, _ next: ReadNext) -> Bool {
    let missing = next.missing(part.range, of: request.source, forReadsOf: request.range.count) ?? [part.range]
    let count = missing.reduce(0) { $0 + $1.count }
    // The missing ranges may be wider than the part, because they are whole blocks.
    let within = missing.reduce(0) { $0 + (ByteRanges.intersection($1, part.range)?.count ?? 0) }
    counters.add(part.range.count - within, .cached)
    guard let ranges = OneOrMore(missing) else { return true }
    let reader = ObjectIdentifier(next.bottom)
    guard let (number, hold) = begin(missing, count: count, for: part, by: reader, next.aheadBudget) else {
      return false
    }
    var prefetch = ReadRequest(ranges, of: request.source)
    prefetch.purpose = .prefetch
    prefetch.hold = hold
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
  func begin(_ ranges: [ByteRange], by reader: ObjectIdentifier? = nil) -> Int? {
    let hull = ranges.map(\.lowerBound).min()!..<ranges.map(\.upperBound).max()!
    let count = ranges.reduce(0) { $0 + $1.count }
    return begin(ranges, count: count, for: Part(run: 0, range: hull), by: reader, nil)?.number
  }

  /// - Parameter room: the cache's for what is read ahead, if it holds that.
  private func begin(
    _ ranges: [ByteRange], count: Int, for part: Part, by reader: ObjectIdentifier?, _ room: ReadAheadBudget?
  ) -> (number: Int, hold: ReadAheadHold?)? {
    let charge = max(count, min(Self.minCharge, budget.limit.bytes / 64))
    let isTaken = budget.take(charge, for: self)
    let hold = isTaken ? room?.hold(count, for: self) : nil
    guard isTaken, room == nil || hold != nil else {
      if isTaken { budget.give(charge, by: self) }
      counters.add(count, .refused)
      state.withLock { $0.runs.retract(part.run, to: part.range) }
      return nil
    }
    let number = state.withLock { state -> Int? in
      // Its run may have ended meanwhile: nothing would end the piece. A hint has none.
      guard !state.isOver, part.run == 0 || state.runs.isUnderWay(part.run) else { return nil }
      state.lastNumber += 1
      state.pieces.append(
        Piece(
          number: state.lastNumber, run: part.run, range: part.range, isBackwards: part.isBackwards, reader: reader,
          charge: charge, hold: hold, unused: count))
      return state.lastNumber
    }
    guard let number else {
      budget.give(charge, by: self)
      hold?.end()
      return nil
    }
    counters.add(count, .asked)
    return (number, hold)
  }

  func failed(_ number: Int) {
    var freed = Freed()
    state.withLock { state in
      guard let index = state.pieces.firstIndex(where: { $0.number == number }) else { return }
      let piece = state.pieces.remove(at: index)
      state.runs.retract(piece.run, to: piece.range)
      counters.add(piece.unused, .failed)
      freed.add(piece)
    }
    release(freed)
  }

  func release(_ freed: Freed) {
    budget.give(freed.bytes, by: self)
    for hold in freed.holds { hold.end() }
  }

  func ended(_ number: Int) {
    state.withLock { state in
      guard let index = state.pieces.firstIndex(where: { $0.number == number }) else { return }
      state.pieces[index].task = nil
      state.pieces[index].isHere = true
    }
  }
}
