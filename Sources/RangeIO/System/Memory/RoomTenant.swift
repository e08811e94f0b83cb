import Synchronization

/// A store, or the tiers of one budget, as far as a ``MemoryRoom`` is concerned: how much it holds, and who gives some up. When
/// it ends, it gives everything back.
package final class RoomTenant: Sendable {
  let room: MemoryRoom
  private let held = Atomic<Int>(0)
  private let givers = Locked<[@Sendable (Int) -> Int]>([])

  init(in room: MemoryRoom) {
    self.room = room
    room.add(self)
  }

  deinit { room.give(byteCount) }

  var byteCount: Int { held.load(ordering: .relaxed) }

  /// Takes this many bytes, or nothing. Do not call under a lock. Returns whether there was room.
  func take(_ bytes: Int) -> Bool {
    guard room.take(bytes, for: self) else { return false }
    held.wrappingAdd(bytes, ordering: .relaxed)
    return true
  }

  /// Takes this many bytes even if there is no room; gives back if negative.
  func charge(_ bytes: Int) {
    held.wrappingAdd(bytes, ordering: .relaxed)
    room.charge(bytes)
  }

  func give(_ bytes: Int) {
    held.wrappingSubtract(bytes, ordering: .relaxed)
    room.give(bytes)
  }

  /// The bytes that a store with `bytes` of this tenant's may hold at present, if the room is full.
  func present(of bytes: Int) -> Int { room.present(of: bytes, of: self) }

  /// Adds one that gives up bytes when others need them, after all earlier ones. It takes none meanwhile. Returns how
  /// many it has given up.
  package func add(_ giveUp: @escaping @Sendable (Int) -> Int) { givers.withLock { $0.append(giveUp) } }

  /// Gives up this many bytes, or what there is. Do not call under a lock. Returns how many.
  @discardableResult func giveUp(_ bytes: Int) -> Int {
    var given = 0
    for giveUp in givers.withLock({ $0 }) where given < bytes { given += giveUp(bytes - given) }
    return given
  }
}

/// All tenants of a room that have not ended.
final class RoomTenants: Sendable {
  private struct Weak { weak var tenant: RoomTenant? }
  private struct State {
    var tenants: [Weak] = []
    /// When to forget tenants that have ended.
    var most = 16
  }
  private let state = Locked(State())

  func add(_ tenant: RoomTenant) {
    state.withLock { state in
      if state.tenants.count >= state.most {
        state.tenants.removeAll { $0.tenant == nil }
        state.most = max(16, 2 * state.tenants.count)
      }
      state.tenants.append(Weak(tenant: tenant))
    }
  }

  /// The fullest first.
  var all: [RoomTenant] {
    let all = state.withLock { $0.tenants.compactMap(\.tenant) }
    guard all.count > 1 else { return all }
    // Of one moment, or they have no order.
    return all.map { ($0, $0.byteCount) }.sorted { $0.1 > $1.1 }.map(\.0)
  }
}
