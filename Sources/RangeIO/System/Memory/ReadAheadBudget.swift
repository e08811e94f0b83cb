import Synchronization

/// The bytes that read-ahead may hold at once: over all readers that share the budget, or in one store. Bytes count while they
/// are in flight, and until they are used.
///
/// When the budget is spent, a reader prefetches less or nothing, and the readers that have been idle longest give up
/// their share.
package final class ReadAheadBudget: Sendable {
  /// The default: 64 MiB for the whole process, or an eighth of its memory if that is less.
  package static let shared = ReadAheadBudget(SystemMemory.bounded(.mebibytes(64), toPart: 8))

  private let present: Atomic<Int>
  /// That of a store follows what it may hold.
  package var limit: ByteCount {
    get { .bytes(present.load(ordering: .relaxed)) }
    set { present.store(newValue.bytes, ordering: .relaxed) }
  }

  private struct Holder {
    weak var holder: (any ReadAheadHolder)?
    /// None of a holder that was refused: it has a share like the others.
    var bytes = 0
    /// The value of the budget's use counter when this holder last took bytes.
    var lastUse = 0
  }

  private struct State {
    var bytes = 0
    var peak = 0
    var uses = 0
    var holders: [ObjectIdentifier: Holder] = [:]

    /// Those that share the bytes, apart from one.
    func activeCount(but key: ObjectIdentifier? = nil) -> Int {
      let patience = patience
      return holders.count { $0.key != key && ($0.value.bytes > 0 || uses - $0.value.lastUse <= patience) }
    }
    private var patience: Int { max(64, holders.count * 4) }

    /// The most holders without bytes that are noted: each read that misses goes through all, under the lock, and of so many a
    /// share is next to nothing anyway.
    private static var maxRefused: Int { 64 }

    /// Notes a holder that was refused, and forgets those that have nothing and want nothing any more.
    mutating func note(_ refused: Holder, _ key: ObjectIdentifier) {
      if holders[key] == nil {
        let patience = patience
        holders = holders.filter { $0.value.bytes > 0 || uses - $0.value.lastUse <= patience }
        guard holders.values.count(where: { $0.bytes == 0 }) < Self.maxRefused else { return }
      }
      holders[key] = refused
    }
  }
  private let state = Locked(State())

  init(_ limit: ByteCount) { present = Atomic(limit.bytes) }

  package var bytes: Int { state.withLock { $0.bytes } }
  package var peakBytes: Int { state.withLock { $0.peak } }

  /// Takes `count` bytes. The holder must give all of them back later. Returns whether there were enough bytes left,
  /// also for the other holders.
  func take(_ count: Int, for holder: any ReadAheadHolder) -> Bool {
    let limit = limit.bytes
    for _ in 0..<8 {
      let (isTaken, idle) = state.withLock { state -> (Bool, (any ReadAheadHolder)?) in
        state.uses += 1
        let key = ObjectIdentifier(holder)
        var mine = state.holders[key] ?? Holder(holder: holder)
        (mine.holder, mine.lastUse) = (holder, state.uses)
        // A holder that has nothing may take bytes as long as there are any; otherwise it could never begin.
        let share = limit / max(1, state.activeCount())
        // Subtracts instead of adding, because a source may state any size.
        guard count <= limit - state.bytes, mine.bytes == 0 || count <= max(share, limit / 8) - mine.bytes else {
          state.note(mine, key)
          return (false, idlest(state, but: key))
        }
        mine.bytes += count
        state.holders[key] = mine
        state.bytes += count
        state.peak = max(state.peak, state.bytes)
        return (true, nil)
      }
      if isTaken { return true }
      guard let idle else { return false }
      idle.giveUp()
    }
    return false
  }

  /// Takes `count` bytes for a piece that the store of this budget keeps; `nil` if there are too few.
  func hold(_ count: Int, for holder: any ReadAheadHolder) -> ReadAheadHold? {
    take(count, for: holder) ? ReadAheadHold(count, of: self, for: holder) : nil
  }

  /// The bytes that a holder may have, beside the others that have some or want some.
  func share(of holder: any ReadAheadHolder) -> Int {
    let limit = limit.bytes
    // One that was refused long ago shares again, as one that was never here.
    return state.withLock { limit / ($0.activeCount(but: ObjectIdentifier(holder)) + 1) }
  }

  /// All holders release what is not used yet: there is less room now.
  func giveUpAll() {
    let holders = state.withLock { $0.holders.values.compactMap(\.holder) }
    for holder in holders { holder.giveUp() }
  }

  /// A holder that has bytes but has not taken any while all others did several times.
  private func idlest(_ state: borrowing State, but key: ObjectIdentifier) -> (any ReadAheadHolder)? {
    let patience = max(64, state.holders.count * 4)
    let others = state.holders.filter { $0.key != key && $0.value.bytes > 0 && $0.value.holder != nil }
    let oldest = others.min { $0.value.lastUse < $1.value.lastUse }
    guard let oldest, state.uses - oldest.value.lastUse > patience else { return nil }
    return oldest.value.holder
  }

  func give(_ count: Int, by holder: any ReadAheadHolder) { give(count, by: ObjectIdentifier(holder)) }

  func give(_ count: Int, by key: ObjectIdentifier) {
    guard count > 0 else { return }
    state.withLock { state in
      state.bytes -= count
      guard var mine = state.holders[key] else { return }
      mine.bytes -= count
      state.holders[key] = mine.bytes == 0 ? nil : mine
    }
  }
}

/// A holder of bytes of a budget.
package protocol ReadAheadHolder: AnyObject, Sendable {
  /// Releases everything that is not used yet.
  func giveUp()
}
