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

  private static func isPooled(_ capacity: Int) -> Bool { capacity >= BufferPool.minPooledBytes }

  /// The memory that this capacity takes, including this object.
  static func footprint(of capacity: Int) -> Int {
    64 + (isPooled(capacity) ? BufferPool.roundedUp(capacity) : (capacity + 8 + 15) & ~15)
  }
}
