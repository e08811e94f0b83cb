import CRangeIOSystem
import Synchronization

/// The memory that all stores of the process hold together, and may hold by what its control groups leave.
///
/// A store has a limit of its own. In a small container it would be killed long before it reaches that. So a store that
/// grows also takes its bytes from here, before it uses them, and evicts if there are none. Where it holds less than another,
/// that one evicts.
package final class MemoryRoom: Sendable {
  private let held = Atomic<Int>(0)
  /// The bytes that reads in flight will use: see ``expect(_:)``. In stripes, since every read that is kept counts here.
  private let due = Stripes()
  /// Copies of what `growth` says, for the way that takes no lock.
  private let allowed = Atomic<Int>(0)
  private let floor = Atomic<Int>(.min)
  private let isTight = Atomic<Bool>(false)
  private let maxDue = Atomic<Int>(.max)
  private let growth = Locked(MemoryGrowth())
  private let tenants = RoomTenants()
  private let look: @Sendable () -> MemoryLeft?

  /// - Parameter look: what the limits leave; `nil` if there are none. May take a fraction of a millisecond.
  init(look: @escaping @Sendable () -> MemoryLeft?) { self.look = look }

  /// Has looked already: many first reads at once would share what is granted during a look.
  private func looked() -> MemoryRoom {
    _ = change { $0.sees(look(), wanting: 0, held: $1) }
    return self
  }

  /// The room of this process.
  package static let shared = {
    let meter = MemoryMeter(SystemFiles())
    return MemoryRoom {
      guard let left = meter.left() else { return nil }
      // Soon in a small container, where that is a large part.
      let least = left.limit <= 256 << 20 ? left.limit / 8 : -MemoryGrowth.minStep
      guard left.spare < least else { return left }
      // Some of it may be memory that was freed, and that the allocator keeps.
      rio_give_back_memory()
      return meter.left()
    }.looked()
  }()

  var heldByteCount: Int { held.load(ordering: .relaxed) }

  /// Takes this many bytes, or nothing. Those that hold more than `tenant` give up what is missing. Do not call under a lock:
  /// it may look. Returns whether there was room.
  func take(_ bytes: Int, for tenant: RoomTenant) -> Bool {
    if take(bytes) { return true }
    shrink()
    for other in tenants.all where missing(bytes) > 0 && other.byteCount > tenant.byteCount + bytes {
      other.giveUp(missing(bytes))
    }
    return held.take(bytes, upTo: allowed.load(ordering: .relaxed))
  }

  private func take(_ bytes: Int) -> Bool {
    if held.take(bytes, upTo: allowed.load(ordering: .relaxed)) { return true }
    let now = held.load(ordering: .relaxed)
    switch growth.withLock({ $0.wants(bytes, held: now) }) {
    case .refuse: return false
    case .grant: break
    case .look:
      let left = look()
      let due = due.sum()
      guard change({ $0.sees(left, wanting: bytes, held: $1, due: due) }) else { return false }
    }
    charge(bytes)
    return true
  }

  /// Takes this many bytes even if there is no room; gives back if negative.
  func charge(_ bytes: Int) { held.wrappingAdd(bytes, ordering: .relaxed) }

  func give(_ bytes: Int) {
    let left = held.wrappingSubtract(bytes, ordering: .relaxed).newValue
    if left < floor.load(ordering: .relaxed) { _ = change { $0.falls(to: $1) } }
  }

  /// The bytes that must be freed before this many fit; zero or less if they fit.
  func missing(_ bytes: Int) -> Int {
    guard isTight.load(ordering: .relaxed) else { return .min }
    return held.load(ordering: .relaxed) - allowed.load(ordering: .relaxed) + bytes
  }

  /// The bytes that a store with this many of `tenant` may hold at present: others would give up some until they have as much.
  func present(of bytes: Int, of tenant: RoomTenant) -> Int {
    guard isTight.load(ordering: .relaxed) else { return .max }
    let free = allowed.load(ordering: .relaxed) - held.load(ordering: .relaxed)
    let more = (tenants.all.first?.byteCount ?? 0) - tenant.byteCount
    return max(1, bytes + free + max(0, more) / 2)
  }

  /// Has the fullest give up what is held beyond what the limits leave.
  func shrink() {
    while missing(0) > 0 {
      // In small steps, so that no one is left with less than the others.
      guard tenants.all.contains(where: { $0.giveUp(min(missing(0), MemoryGrowth.minStep)) > 0 }) else { return }
    }
  }

  /// A read is to reserve this many bytes, which it will take and not use before it has them. They count twice: what it
  /// reads may have to be copied, and is held until all who wait for it have gone on. Returns false if too many are due; one
  /// read may always.
  func expect(_ bytes: Int) -> Bool {
    // In order: of two reads that come at once, one at least counts the other.
    due.addInOrder(2 * bytes)
    let most = maxDue.load(ordering: .relaxed)
    guard most < .max, due.sum() > max(most, 2 * bytes) else { return true }
    forget(bytes)
    return false
  }

  /// The read has ended, or is not to begin.
  func forget(_ bytes: Int) { due.add(-2 * bytes) }

  func add(_ tenant: RoomTenant) { tenants.add(tenant) }

  /// Returns whether stores may grow now.
  private func change(_ body: (inout MemoryGrowth, Int) -> Void) -> Bool {
    growth.withLock { growth in
      body(&growth, held.load(ordering: .relaxed))
      allowed.store(growth.allowed, ordering: .relaxed)
      floor.store(growth.floor, ordering: .relaxed)
      isTight.store(growth.isTight, ordering: .relaxed)
      maxDue.store(growth.maxDue, ordering: .relaxed)
      return !growth.isTight
    }
  }
}
