import RangeIO
import Synchronization

/// Moves chunks that one tier evicts to the tier below, in the background: one at a time, in the order they were
/// evicted.
///
/// Chunks can be found here until they can be found below. A chunk that does not fit into the queue is dropped and
/// counted, so eviction never waits.
final class DemotionQueue: EvictionSink {
  private struct State {
    var queue: DemotionQueueState
    var isRunning = false
    /// Nothing is taken before this time.
    var pausedUntil: ReadClock.Instant?
    var counts = QueueCounts()
    /// Released by the next call of `proceed`, since that runs outside of locks.
    var replaced: [Chunk] = []
    /// Waiters until the entries up to a number have left.
    var waiters: [(last: UInt64, answer: Promise<Void>)] = []

    /// Removes and returns the waiters whose entries have all left, if `next` is the first entry that is still here.
    mutating func takeWaiters(before next: UInt64?) -> [Promise<Void>] {
      guard !waiters.isEmpty else { return [] }
      let done = waiters.filter { waiter in next.map { waiter.last < $0 } ?? true }.map(\.answer)
      waiters.removeAll { waiter in done.contains { $0 === waiter.answer } }
      return done
    }
  }
  private let state: Locked<State>
  /// Lets a look-up that misses skip the lock if nothing is moving.
  private let findable = Atomic<Int>(0)
  private let returns = Atomic<Int>(0)
  private let lower: any FullChunkStore
  /// Weak, since the tier above has this as its outlet.
  private weak let upper: (any FullChunkStore)?
  let background: BackgroundWork
  /// The clock for pauses.
  private let time: ReadClock
  private let isExpired: @Sendable (Chunk) -> Bool

  /// - Parameters:
  ///   - limit: the bytes that may be moving.
  ///   - isExpired: whether a chunk must no longer be found. It stays here until it arrives below, where it is dropped.
  init(
    from upper: any FullChunkStore, to lower: any FullChunkStore, limit: Int, _ background: BackgroundWork,
    isExpired: @escaping @Sendable (Chunk) -> Bool = { _ in false }
  ) {
    self.isExpired = isExpired
    state = Locked(State(queue: DemotionQueueState(limit: limit)))
    self.upper = upper
    self.lower = lower
    (takesEncodedBy, time) = (lower.traits.takesEncodedBy, lower.traits.time)
    self.background = background
  }

  // MARK: coming

  let takesEncodedBy: ChunkEncoding?

  func take(_ chunks: ArraySlice<Chunk>) {
    // The caller releases dropped chunks after its lock is free. Replaced chunks are kept here until `proceed` releases
    // them.
    state.withLock { state in
      for chunk in chunks {
        guard !isPaused(state), chunk.isValid else {
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

  /// The number of chunks to move before yielding to other tasks.
  private static let maxAtOnce = 16

  private func run() async {
    var count = 0
    while let entry = next() {
      move(entry)
      count += 1
      if count % Self.maxAtOnce == 0 { await Task.yield() }
    }
  }

  /// The next chunk; `nil` ends the run.
  private func next() -> DemotionQueueState.Entry? {
    let (entry, done) = state.withLock { state in
      let entry = state.queue.next()
      if entry == nil { state.isRunning = false }
      return (entry, state.takeWaiters(before: entry?.number))
    }
    for answer in done { answer.resolve(.success(())) }
    return entry
  }

  /// A promise that is resolved when everything moving now has left: it arrived below, was refused, or was promoted
  /// again. `nil` if nothing is moving.
  func departure() -> Promise<Void>? {
    state.withLock { state in
      guard state.isRunning || state.queue.waitingCount > 0 else { return nil }
      let answer = Promise<Void>()
      state.waiters.append((state.queue.lastNumber, answer))
      return answer
    }
  }

  private func move(_ entry: DemotionQueueState.Entry) {
    let chunk = entry.chunk
    let isPublished = chunk.isValid && lower.insertDemoted(chunk)
    state.withLock { state in
      state.queue.finish(entry)
      if isPublished { state.counts.demoted += 1 } else { state.counts.refused += 1 }
      note(state)
    }
    chunk.charge(by: -1)
    // It may have come back above in between. Whichever comes later, here or there, sees the other. Of a chunk that is not
    // kept, some pieces may be.
    guard let upper else { return }
    let token = chunk.token
    for range in chunk.ranges
    where upper.holdsSome(of: range, token: token.number, grid: token.grid)
      && (isPublished || lower.holdsSome(of: range, token: token.number, grid: token.grid))
    {
      // If a piece is partly above, the rest is removed too: no byte may rest in both tiers.
      if !upper.holds(range, token: token.number, grid: token.grid) { state.withLock { $0.counts.dropped += 1 } }
      lower.erase(.promoted(range, of: token))
    }
  }

  // MARK: finding

  /// Returns `false` if ``find(_:token:grid:)`` could find nothing.
  func mayHave(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> Bool {
    guard findable.load(ordering: .sequentiallyConsistent) > 0 else { return false }
    let blocks = grid.blocks(covering: range)
    guard blocks.count == 1 else { return true }
    return state.withLock { $0.queue.has(token: token, block: blocks.lowerBound) }
  }

  /// The moving chunks that hold bytes of `range`, if they may still be found.
  func find(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [DemotionQueueState.Entry] {
    guard findable.load(ordering: .sequentiallyConsistent) > 0 else { return [] }
    return state.withLock { state in
      let found = state.queue.find(range, token: token, grid: grid).filter(mayBeFound)
      state.counts.hits += found.count
      return found
    }
  }

  private func mayBeFound(_ entry: DemotionQueueState.Entry) -> Bool {
    entry.chunk.isValid && !isExpired(entry.chunk)
  }

  /// The parts of `range` that are moving and may still be found. Does not count as a read.
  func coverage(_ range: ByteRange, token: UInt64, grid: BlockGrid) -> [ByteRange] {
    guard findable.load(ordering: .sequentiallyConsistent) > 0 else { return [] }
    return state.withLock { state in
      state.queue.find(range, token: token, grid: grid).filter(mayBeFound)
        .flatMap(\.chunk.ranges)
    }
  }

  /// The number of chunks that were promoted again. If this changes during a look-up, a chunk missed above may be there now.
  var returnCount: Int { returns.load(ordering: .sequentiallyConsistent) }

  /// Removes a chunk that is above again.
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

  /// Removes the chunks of a scope.
  func erase(_ scope: ChunkScope, _ sources: ChunkSources) {
    if case .everything = scope { return removeAll() }
    guard findable.load(ordering: .sequentiallyConsistent) > 0 else { return }
    for (token, range) in sources.parts(of: scope) { erase(range, of: token) }
  }

  /// Removes the chunks of a token that hold bytes of `range`.
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

  /// Removes all chunks. `dropping`: whether this is because room or memory is short, and counts as dropping.
  func removeAll(dropping: Bool = false) {
    settle(
      state.withLock { state in
        let removed = state.queue.removeAll()
        if dropping { state.counts.dropped += removed.count }
        note(state)
        return removed
      })
  }

  /// Gives back the charge of chunks that will not be moved. A chunk that is being moved gives it back itself.
  private func settle(_ chunks: [Chunk]) {
    for chunk in chunks { chunk.charge(by: -1) }
    // One of them may have been the last, before a run started that would notify the waiters.
    let done = state.withLock { state in
      state.isRunning || state.queue.waitingCount > 0 ? [] : state.takeWaiters(before: nil)
    }
    for answer in done { answer.resolve(.success(())) }
  }

  // MARK: limits

  private func isPaused(_ state: State) -> Bool { state.pausedUntil.map { time.now < $0 } ?? false }

  /// Takes nothing for this long, and drops what waits.
  func pause(for duration: Duration) {
    // Uses the clock that is later compared with this.
    let end = time.now.advanced(by: duration)
    state.withLock { $0.pausedUntil = end }
    removeAll(dropping: true)
  }

  func resume() { state.withLock { $0.pausedUntil = nil } }

  /// Changes the bytes that may be moving. Drops everything if that is too much. Returns the previous limit.
  func setLimit(_ limit: Int) -> Int {
    let (before, isTooMuch) = state.withLock { state in
      defer { state.queue.limit = limit }
      return (state.queue.limit, state.queue.bytes > limit)
    }
    if isTooMuch { removeAll(dropping: true) }
    return before
  }

  func counts() -> QueueCounts {
    state.withLock { state in
      var counts = state.counts
      counts.limit = state.queue.limit
      counts.bytes = state.queue.bytes
      counts.blocks = state.queue.count
      return counts
    }
  }

  /// A copy of the queue, to compare with a recount.
  var queue: DemotionQueueState { state.withLock { $0.queue } }

  var isIdle: Bool { state.withLock { !$0.isRunning && $0.queue.waitingCount == 0 } }
}

/// The counts of a ``DemotionQueue``, and of what is on its way.
package struct QueueCounts: StoreCounts {
  /// Chunks that look-ups found on their way.
  package var hits = 0
  /// Chunks that the tier below took.
  package var demoted = 0
  /// Chunks that it refused.
  package var refused = 0
  /// Chunks for which there was no room in the queue, or that were too late.
  package var dropped = 0
  /// Chunks that were promoted again before they arrived.
  package var cancelled = 0
  /// The number of bytes that may be on their way.
  package var limit = 0
  /// The bytes that are.
  package var bytes = 0
  /// The number of chunks that are.
  package var blocks = 0

  package init() {}

  package static var named: KeyValuePairs<String, WritableKeyPath<Self, Int>> {
    [
      "bytes": \.bytes, "limit": \.limit, "blocks": \.blocks, "demoted": \.demoted, "dropped": \.dropped,
      "hits": \.hits, "cancelled": \.cancelled, "refused": \.refused,
    ]
  }
}

extension Chunk {
  /// Notes in its token that a chunk is moving, or no longer moving.
  fileprivate func charge(by sign: Int) {
    token.chargedBytesBelow.wrappingAdd(sign * byteCount, ordering: .relaxed)
  }
}
