import Synchronization

/// The accounts of a memory store: what is held, what is reserved, and the limits. All shards share it, so that there
/// is one limit.
package final class MemoryLedger: Sendable {
  private let ownBytes: Ledger
  private let ownBlocks: Ledger
  private let metadataTaken = Atomic<Int>(0)

  /// A budget that the bytes also count towards.
  private let budget: MemoryBudget?
  /// For what the system leaves. With a budget, that asks it.
  let tenant: RoomTenant
  /// The tenant's: see ``MemoryStore/room``.
  let room: MemoryRoom

  init(ownLimit: Int, blockLimit: Int, budget: MemoryBudget?, room: MemoryRoom = .shared) {
    ownBytes = Ledger(limit: ownLimit)
    ownBlocks = Ledger(limit: blockLimit)
    self.budget = budget
    let tenant = budget?.tenant ?? RoomTenant(in: room)
    self.tenant = tenant
    self.room = tenant.room
  }

  /// The bytes that the store may always take.
  package var ownLimit: Int {
    get { ownBytes.limit }
    set { ownBytes.limit = newValue }
  }

  /// The bytes that the store may take if no other tier needs them.
  private var byteLimit: Int { budget == nil ? ownLimit : .max }
  var blockLimit: Int {
    get { ownBlocks.limit }
    set { ownBlocks.limit = newValue }
  }
  /// The bytes held and reserved.
  package var bytes: Int { ownBytes.taken }
  var blocks: Int { ownBlocks.taken }
  /// The part of them that is charged for metadata.
  var metadataBytes: Int { metadataTaken.load(ordering: .relaxed) }
  package var peakBytes: Int { ownBytes.peak }

  /// Takes both, or nothing. Returns `true` if there was room.
  func take(bytes: Int, blocks: Int) -> Bool {
    guard ownBlocks.take(blocks, upTo: blockLimit) else { return false }
    guard ownBytes.take(bytes, upTo: byteLimit) else {
      ownBlocks.give(blocks)
      return false
    }
    guard budget?.take(bytes) ?? tenant.take(bytes) else {
      ownBytes.give(bytes)
      ownBlocks.give(blocks)
      return false
    }
    ownBytes.notePeak()
    return true
  }

  /// Notes that this many of the taken bytes are for metadata; fewer if negative.
  func noteMetadata(_ bytes: Int) { metadataTaken.wrappingAdd(bytes, ordering: .relaxed) }

  func give(bytes: Int, blocks: Int) {
    if bytes != 0 {
      ownBytes.give(bytes)
      if let budget { budget.give(bytes) } else { tenant.give(bytes) }
    }
    if blocks != 0 { ownBlocks.give(blocks) }
  }

  /// Takes what `taken` says out of what was `freed`, which is still charged, and gives back the rest. Does nothing, and
  /// returns false, if that is too little, or if more is held than a limit that was lowered.
  func exchange(_ freed: (bytes: Int, blocks: Int), for taken: (bytes: Int, blocks: Int)) -> Bool {
    guard freed.bytes >= taken.bytes, freed.blocks >= taken.blocks else { return false }
    let excess = lacking(bytes: 0, blocks: 0)
    guard excess.bytes <= 0, excess.blocks <= 0 else { return false }
    give(bytes: freed.bytes - taken.bytes, blocks: freed.blocks - taken.blocks)
    return true
  }

  /// Returns what must be freed before this much fits; zero or less if it fits now.
  func missing(bytes: Int, blocks: Int) -> (bytes: Int, blocks: Int) {
    // Does not overflow when the store has no limit of its own.
    let own = self.bytes - byteLimit + bytes
    return (max(own, budget?.missing(bytes) ?? .min), self.blocks - blockLimit + blocks)
  }

  /// The same, if the system has no more memory than now.
  func lacking(bytes: Int, blocks: Int) -> (bytes: Int, blocks: Int) {
    let missing = missing(bytes: bytes, blocks: blocks)
    return (max(missing.bytes, room.missing(bytes)), missing.blocks)
  }

  /// The bytes that this store may hold now: its limit or what others leave of the budget, and no more than the system leaves.
  var present: Int {
    let room = tenant.present(of: bytes)
    guard let budget else { return min(ownLimit, room) }
    // The two counters are updated one after the other, so with an unlimited budget their difference may overflow.
    let (present, overflow) = (budget.limit.bytes - budget.bytes).addingReportingOverflow(bytes)
    return min(overflow ? .max : max(1, present), room)
  }

  /// Checks whether this many bytes can stay if everything else is evicted.
  func canHold(_ bytes: Int) -> Bool {
    guard let budget else { return bytes <= ownLimit }
    return bytes + budget.bytes - self.bytes <= budget.limit.bytes
  }
}
