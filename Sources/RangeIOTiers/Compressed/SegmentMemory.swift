import CRangeIOSystem
import RangeIO
import Synchronization

/// The memory of one segment. A read from it keeps it alive; its charge is given back when the last user releases it.
///
/// Segments, because `malloc` does not return memory between pieces that are still in use: with sizes that change over
/// time it held up to twice what was requested (`Docs/Decisions/0014-segments-in-memory.md`).
final class SegmentMemory: @unchecked Sendable {
  // Unchecked: raw memory. The caller that allocated a part writes it once, before other threads can find it.
  let base: UnsafeMutableRawPointer
  let capacity: Int
  private let ledger: CompressedLedger
  private let isLeaving = Atomic<Bool>(false)

  /// Creates memory for which `ledger` has been charged ``footprint(of:)``; `nil` if the system has none.
  init?(_ capacity: Int, chargedTo ledger: CompressedLedger) {
    guard let base = Self.isPooled(capacity) ? BufferPool.shared.takePages(for: capacity) : rio_malloc(capacity) else {
      return nil
    }
    self.base = base
    self.capacity = capacity
    self.ledger = ledger
  }

  deinit {
    if Self.isPooled(capacity) { BufferPool.shared.takeBackPages(base, for: capacity) } else { rio_free(base) }
    ledger.give(Self.footprint(of: capacity))
    if isLeaving.load(ordering: .relaxed) { ledger.holdsNoMore() }
  }

  /// It is in no shard any more: only reads from it keep it.
  func leaves() {
    if !isLeaving.exchange(true, ordering: .relaxed) { ledger.holdsForNow() }
  }

  private static func isPooled(_ capacity: Int) -> Bool { capacity >= BufferPool.smallestPooled }

  /// The memory that this capacity takes, including this object.
  static func footprint(of capacity: Int) -> Int {
    64 + (isPooled(capacity) ? BufferPool.roundedUp(capacity) : (capacity + 8 + 15) & ~15)
  }
}

/// The accounts of a compressed store: segments as allocated, and records.
final class CompressedLedger: Sendable {
  private let own: Ledger
  private let budget: MemoryBudget?
  /// Segments that are in no shard any more, and that reads keep; and records that are being stored.
  private let leaving = Atomic<Int>(0)
  private let hasLeft = Notifier()

  init(limit: Int, budget: MemoryBudget?) {
    own = Ledger(limit: limit)
    self.budget = budget
  }

  var limit: Int {
    get { own.limit }
    set { own.limit = newValue }
  }
  var bytes: Int { own.taken }
  var peakBytes: Int { own.peak }

  /// Takes this much, or nothing. Do not call under a lock: other tiers of the budget may have to give it up.
  ///
  /// - Parameters:
  ///   - headroom: the number of bytes of the limit that must stay free.
  ///   - asksRoom: as of ``MemoryBudget/take(_:asksRoom:)``.
  /// - Returns: whether there was room.
  func take(_ bytes: Int, headroom: Int = 0, asksRoom: Bool = true) -> Bool {
    guard own.take(bytes, upTo: limit - headroom) else { return false }
    if let budget, !budget.takeBack(bytes, asksRoom: asksRoom) {
      own.give(bytes)
      return false
    }
    own.notePeak()
    return true
  }

  func give(_ bytes: Int) {
    own.give(bytes)
    budget?.give(bytes)
  }

  // MARK: what is held for a moment, and cannot be evicted

  func holdsForNow() { leaving.wrappingAdd(1, ordering: .sequentiallyConsistent) }

  func holdsNoMore() {
    leaving.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    hasLeft.notify()
  }

  /// Evicts by `evict` while `isTooMuch` and something of it is held for a moment, by reads or by what is being stored.
  ///
  /// - Throws: what `evict` throws; `CancellationError`.
  func wait(while isTooMuch: () -> Bool, evict: () async throws -> Void) async throws {
    while true {
      let answer = hasLeft.listen()
      defer { hasLeft.leave(answer) }
      try await evict()
      guard isTooMuch(), leaving.load(ordering: .sequentiallyConsistent) > 0 else { return }
      try await answer.value()
    }
  }
}
