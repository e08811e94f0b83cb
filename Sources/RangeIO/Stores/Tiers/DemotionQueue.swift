import Synchronization

/// Moves chunks that one tier evicts to the tier below, beside the reads: one at a time, in the order they were evicted.
///
/// Chunks can be found here until they can be found below. What does not fit into the queue is dropped and counted, so
/// eviction never waits.
final class DemotionQueue: EvictionSink {
  private struct State {
    var queue: DemotionQueueState
    var isRunning = false
    /// Nothing is taken until then.
    var pausedUntil: ReadInstant?
    var counts = MovingStatistics()
    /// Let go of by the next one who proceeds, since that is outside of locks.
    var replaced: [Chunk] = []
    /// Who waits until the entries up to a number have left.
    var waiters: [(last: UInt64, answer: Promise<Void>)] = []

    /// Those whose entries have all left, if `next` is the first that is still here.
    mutating func takeWaiters(before next: UInt64?) -> [Promise<Void>] {
      guard !waiters.isEmpty else { return [] }
      let done = waiters.filter { waiter in next.map { waiter.last < $0 } ?? true }.map(\.answer)
      waiters.removeAll { waiter in done.contains { $0 === waiter.answer } }
      return done
    }
  }
  private let state: Locked<State>
  /// So that a look-up which misses takes no lock when nothing is on its way.
  private let findable = Atomic<Int>(0)
  private let returns = Atomic<Int>(0)
  private let lower: any ChunkStore
  private let upper: WeakStore
  let background: BackgroundWork
  private let isExpired: @Sendable (Chunk) -> Bool

  /// - Parameters:
  ///   - limit: the bytes that may be on their way.
  ///   - isExpired: whether a chunk must not be found any more. Stays here until it arrives below, which drops it.
  init(
    from upper: any ChunkStore, to lower: any ChunkStore, limit: Int, _ background: BackgroundWork,
    isExpired: @escaping @Sendable (Chunk) -> Bool = { _ in false }
  ) {
    self.isExpired = isExpired
    state = Locked(State(queue: DemotionQueueState(limit: limit)))
    self.upper = WeakStore(upper)
    self.lower = lower
    self.background = background
  }

  /// The tier above has this as its outlet, so it is not kept alive from here.
  private final class WeakStore: Sendable {
    weak let store: (any ChunkStore)?

    init(_ store: any ChunkStore) { self.store = store }
  }

  // MARK: coming

  func take(_ chunks: ArraySlice<Chunk>) {
    // Dropped chunks are let go of by the caller, who holds them until its lock is free; replaced ones are kept for that
    // here, until `proceed`.
    state.withLock { state in
      for chunk in chunks {
        guard !isPaused(state), chunk.ticket.isValid else {
          state.counts.dropped += 1
          continue
        }
        let outcome = state.queue.append(chunk)
        if outcome.isTaken { chunk.charge(by: 1) } else { state.counts.dropped += 1 }
        if let old = outcome.replaced {
          state.counts.dropped += 1
          old.charge(by: -1)
          state.replaced.append(old)
        }
      }
      note(state)
    }
  }

  private func note(_ state: State) { findable.store(state.queue.count, ordering: .sequentiallyConsistent) }

  func proceed() {
    let (starts, replaced) = state.withLock { state -> (Bool, [Chunk]) in
      let starts = !state.isRunning && state.queue.waitingCount > 0
      if starts { state.isRunning = true }
      defer { state.replaced = [] }
      return (starts, state.replaced)
    }
    withExtendedLifetime(replaced) {}
    if starts { background.startElsewhere(.utility) { await self.run() } }
  }

  // MARK: moving

  /// Chunks between two turns for others.
  private static let mostAtOnce = 16

  private func run() async {
    var count = 0
    while let entry = next() {
      move(entry)
      count += 1
      if count % Self.mostAtOnce == 0 { await Task.yield() }
    }
  }

  /// The next chunk, or `nil`: the run has ended then.
  private func next() -> DemotionQueueState.Entry? {
    let (entry, done) = state.withLock { state in
      let entry = state.queue.next()
      if entry == nil { state.isRunning = false }
      return (entry, state.takeWaiters(before: entry?.number))
    }
    for answer in done { answer.resolve(.success(())) }
    return entry
  }

  /// The answer that comes when all that is on its way now has left: it arrived below, was refused, or went back up.
  /// `nil`: nothing is.
  func departure() -> Promise<Void>? {
    state.withLock { state in
      guard state.isRunning || state.queue.waitingCount > 0 else { return nil }
      let answer = Promise<Void>()
      state.waiters.append((state.queue.lastNumber, answer))
      return answer
    }
  }

  /// What was taken out may have been the last, before a run began that would tell.
  private func tellIfIdle() {
    let done = state.withLock { state in
      state.isRunning || state.queue.waitingCount > 0 ? [] : state.takeWaiters(before: nil)
    }
    for answer in done { answer.resolve(.success(())) }
  }

  private func move(_ entry: DemotionQueueState.Entry) {
    let chunk = entry.chunk
    let isPublished = chunk.ticket.isValid && lower.insertDemoted(chunk).isPublished
    state.withLock { state in
      state.queue.finish(entry)
      if isPublished { state.counts.moved += 1 } else { state.counts.refused += 1 }
      note(state)
    }
    chunk.charge(by: -1)
    // It may have come back above meanwhile: whoever is later, here or there, sees the other.
    guard isPublished, let upper = upper.store else { return }
    let token = chunk.token
    for piece in chunk.pieces where upper.holdsSome(of: piece.range, token: token.number, grid: token.grid) {
      // Of a piece that is above in part the rest goes, too: no byte is to rest twice.
      if !upper.holds(piece.range, token: token.number, grid: token.grid) { state.withLock { $0.counts.dropped += 1 } }
      lower.erasePromoted(piece.range, of: token)
    }
  }

  // MARK: finding

  /// Whether ``find(_:token:grid:)`` could find something.
  func mayHave(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool {
    guard findable.load(ordering: .sequentiallyConsistent) > 0 else { return false }
    let blocks = grid.blocks(covering: range)
    guard blocks.count == 1 else { return true }
    return state.withLock { $0.queue.has(token: token, block: blocks.lowerBound) }
  }

  /// The chunks on their way that hold bytes of `range`, if they may still be found.
  func find(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [DemotionQueueState.Entry] {
    guard findable.load(ordering: .sequentiallyConsistent) > 0 else { return [] }
    return state.withLock { state in
      let found = state.queue.find(range, token: token, grid: grid).filter(mayBeFound)
      state.counts.hits += found.count
      return found
    }
  }

  private func mayBeFound(_ entry: DemotionQueueState.Entry) -> Bool {
    entry.chunk.ticket.isValid && !isExpired(entry.chunk)
  }

  /// What of `range` is on its way and may still be found. Does not count as a read.
  func coverage(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ByteRange] {
    guard findable.load(ordering: .sequentiallyConsistent) > 0 else { return [] }
    return state.withLock { state in
      state.queue.find(range, token: token, grid: grid).filter(mayBeFound)
        .flatMap { $0.chunk.pieces.map(\.range) }
    }
  }

  /// How many chunks went back up: if it is another after a look-up than before, what was missed above may be there.
  var returnCount: Int { returns.load(ordering: .sequentiallyConsistent) }

  /// The chunk is above again.
  func cancel(_ entry: DemotionQueueState.Entry) {
    returns.wrappingAdd(1, ordering: .sequentiallyConsistent)
    let removal = state.withLock { state in
      let removal = state.queue.remove(entry)
      if removal != .gone { state.counts.cancelled += 1 }
      note(state)
      return removal
    }
    if removal == .waited { settle([entry.chunk]) }
  }

  /// Takes out the chunks of a token that hold bytes of `range`.
  func erase(_ range: ByteRange, of token: ChunkToken) {
    guard findable.load(ordering: .sequentiallyConsistent) > 0 else { return }
    settle(
      state.withLock { state in
        let found = state.queue.find(range, token: token.number, grid: token.grid)
        let waited = found.compactMap { state.queue.remove($0) == .waited ? $0.chunk : nil }
        note(state)
        return waited
      })
  }

  /// Takes out all chunks.
  ///
  /// - Parameter dropping: whether that is for want of room or memory, and counted.
  func removeAll(dropping: Bool = false) {
    settle(
      state.withLock { state in
        let removed = state.queue.removeAll()
        if dropping { state.counts.dropped += removed.count }
        note(state)
        return removed
      })
  }

  /// Gives back what was charged for chunks that are not moved any more. One that is being moved gives it back itself.
  private func settle(_ chunks: [Chunk]) {
    for chunk in chunks { chunk.charge(by: -1) }
    tellIfIdle()
  }

  // MARK: limits

  private func isPaused(_ state: State) -> Bool { state.pausedUntil.map { lower.now < $0 } ?? false }

  /// Takes nothing for so long, and drops what waits.
  func pause(for duration: Duration) {
    // By the clock that is asked whether it is over.
    let end = lower.now.advanced(by: duration)
    state.withLock { $0.pausedUntil = end }
    removeAll(dropping: true)
  }

  func resume() { state.withLock { $0.pausedUntil = nil } }

  /// Changes the bytes that may be on their way, dropping all if they are too much.
  ///
  /// - Returns: the limit before.
  func setLimit(_ limit: Int) -> Int {
    let (before, isTooMuch) = state.withLock { state in
      defer { state.queue.limit = limit }
      return (state.queue.limit, state.queue.bytes > limit)
    }
    if isTooMuch { removeAll(dropping: true) }
    return before
  }

  /// What is on its way and was.
  func statistics() -> MovingStatistics {
    state.withLock { state in
      var counts = state.counts
      counts.limit = state.queue.limit
      counts.bytes = state.queue.bytes
      counts.chunks = state.queue.count
      return counts
    }
  }

  /// A copy of what is on its way, to be compared with a recount.
  var queue: DemotionQueueState { state.withLock { $0.queue } }

  /// Whether nothing is on its way.
  var isIdle: Bool { state.withLock { !$0.isRunning && $0.queue.waitingCount == 0 } }
}

extension Chunk {
  /// Notes with its token that a chunk is on its way, or not any more.
  fileprivate func charge(by sign: Int) {
    token.chargedBytesBelow.wrappingAdd(sign * byteCount, ordering: .relaxed)
  }
}

/// What is on its way from one tier to the one below.
public struct MovingStatistics: Hashable, Sendable, Codable {
  /// The bytes that may be on their way.
  public var limit = 0
  /// The bytes that are.
  public var bytes = 0
  /// Chunks that are.
  public var chunks = 0
  /// Chunks that came too many or under pressure, and were dropped.
  public var dropped = 0
  /// Chunks that the tier below took.
  public var moved = 0
  /// Chunks that it did not take.
  public var refused = 0
  /// Look-ups that found a chunk on its way.
  public var hits = 0
  /// Chunks that went back up before they arrived.
  public var cancelled = 0

  /// Nothing.
  public init() {}
}
