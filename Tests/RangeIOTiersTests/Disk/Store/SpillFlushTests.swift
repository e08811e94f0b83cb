import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// What a flush says, and when.
@Suite struct SpillFlushTests {
  /// Has the store believe that it writes. The last run has answered a flush before it ends.
  private func beginRun(of store: SpillStore) async {
    func begins() -> Bool {
      store.state.withLock { state in
        guard !state.isWriting else { return false }
        state.isWriting = true
        return true
      }
    }
    while !begins() { await Task.yield() }
  }

  @Test func `a removal that is noted after a flush has begun does not fail it`() async throws {
    let clock = ManualClock()
    let spill = SimulatedSpill { $0.time = ReadClock(clock) }
    let store = try spill.open()
    let source = FillSource(store.sources)
    for block in 0..<4 { source.put(block, in: store) }
    try await store.flush()
    // An old failure, that is over.
    store.core.note(.noSpace, "write a cache file", isWrite: true)
    // As a run that writes, so that the order is known.
    await beginRun(of: store)
    let flush = Promise<Void>()
    store.state.withLock { $0.note(flush: flush) }
    source.erase(1..<2, in: store)
    spill.disk.faults = .always(.write, .fail(.noSpace))
    store.state.withLock { $0.isWriting = false }
    await #expect(throws: ReadError.self) { try await store.flush() }
    try await flush.value()
    try? await store.close()
  }

  @Test func `a flush tries again at once when a reader has released a segment`() async throws {
    let clock = ManualClock()
    let spill = SimulatedSpill { $0.time = ReadClock(clock) }
    let store = try spill.open()
    let source = FillSource(store.sources)
    for block in 0..<4 { source.put(block, in: store) }
    try await store.flush()
    // As after a batch that found no room, whose readers have ended since: none is awaited any more.
    let later = store.now.advanced(by: .seconds(5))
    store.state.withLock { ($0.isHeldUp, $0.writesPausedUntil) = (true, later) }
    source.erase(1..<2, in: store)
    try await store.flush()
    #expect(store.counts().tombstones == 1)
    #expect(store.state.withLock { $0.writesPausedUntil == nil && !$0.isHeldUp })
    try await store.close()
  }

  @Test func `closing again waits until the directory is closed`() async throws {
    let gate = Gate()
    let spill = SimulatedSpill { $0.work = .threads(IOThreads(limit: 2)) }
    let store = try spill.open()
    let source = FillSource(store.sources)
    for block in 0..<4 { source.put(block, in: store) }
    try await store.flush()
    // As a run that writes, so that the order is known: the first has closed the store before the second flushes it.
    await beginRun(of: store)
    let first = Task { try await store.close() }
    while store.state.withLock({ $0.flushes.isEmpty }) { await Task.yield() }
    let flush = store.state.withLock { $0.flushes.removeLast() }
    flush.answer.resolve(.success(()))
    while !store.state.withLock({ $0.isClosed }) { await Task.yield() }
    let second = Task {
      try await store.close()
      return store.state.withLock { $0.isForgotten }
    }
    while store.state.withLock({ $0.flushes.isEmpty }) { await Task.yield() }
    spill.disk.faults = .on(.truncate, number: 0, .delay { gate.pass() })
    store.state.withLock { $0.isWriting = false }
    store.writer.startForWaiters()
    await gate.arrival()
    // Time to return too early.
    for _ in 0..<100 { await Task.yield() }
    gate.open()
    #expect(try await second.value)
    try await first.value
    try await store.close()
  }
}
