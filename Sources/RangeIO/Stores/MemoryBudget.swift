/// One hard limit for everything that several tiers keep in memory: chunks, compressed chunks, chunks moving between
/// tiers, and room reserved for reads in flight.
///
/// Every byte is taken before it is used and given back after it is released. So the sum never exceeds the limit,
/// except for the moment after the limit was lowered. `TieredStore` makes one budget for its tiers.
package final class MemoryBudget: Sendable {
  private let ledger: Ledger
  private let lender = PublishedOnce<Lender>()

  /// For what the system leaves.
  package let tenant: RoomTenant

  package init(limit: ByteCount, room: MemoryRoom = .shared) {
    ledger = Ledger(limit: limit.bytes)
    tenant = RoomTenant(in: room)
  }

  package var limit: ByteCount { .bytes(ledger.limit) }
  package var bytes: Int { ledger.taken }
  package var peakBytes: Int { ledger.peak }

  /// Takes effect at once. A caller that lowers the limit must evict the excess.
  package func setLimit(_ limit: ByteCount) { ledger.limit = limit.bytes }

  /// Takes this many bytes, or nothing. Returns `true` if there was room.
  ///
  /// - Parameter asksRoom: `false` for one that gives up bytes for the room, which would have it give up more.
  func take(_ bytes: Int, asksRoom: Bool = true) -> Bool {
    guard ledger.take(bytes) else { return false }
    guard asksRoom else {
      tenant.charge(bytes)
      return true
    }
    if tenant.take(bytes) { return true }
    ledger.give(bytes)
    return false
  }

  /// Takes this many bytes even beyond the limit, so that others must make room; gives back if negative.
  package func charge(_ bytes: Int) {
    ledger.charge(bytes)
    tenant.charge(bytes)
  }

  package func give(_ bytes: Int) {
    ledger.give(bytes)
    tenant.give(bytes)
  }

  /// The bytes that must be freed before this many fit; zero or less if they fit now.
  package func missing(_ bytes: Int) -> Int { self.bytes - limit.bytes + bytes }

  /// The tier that uses what the others leave, and gives it up when they need it.
  private final class Lender: Sendable {
    let giveUp: @Sendable (Int) -> Void

    init(_ giveUp: @escaping @Sendable (Int) -> Void) { self.giveUp = giveUp }
  }

  /// Sets the tier that gives up this many bytes when others need them. Call once.
  package func lends(_ giveUp: @escaping @Sendable (Int) -> Void) { _ = lender.publish(Lender(giveUp)) }

  /// Takes this many bytes for a tier that stays within its own limit. If needed, takes them from the tier that uses
  /// what the others leave. Do not call under a lock. Returns `true` if there was room.
  package func takeBack(_ bytes: Int, asksRoom: Bool = true) -> Bool {
    // Others may take the bytes first, so try a few times.
    for _ in 0..<4 {
      if take(bytes, asksRoom: asksRoom) { return true }
      lender.value?.giveUp(max(0, missing(bytes), asksRoom ? tenant.room.missing(bytes) : 0))
    }
    return take(bytes, asksRoom: asksRoom)
  }
}
