import CRangeIOSystem
import Synchronization

/// The memory that all stores of the process hold together, and may hold by what its control groups leave.
///
/// A store has a limit of its own. In a small container it would be killed long before it reaches that. So a store that
/// grows also takes its bytes from here, before it uses them, and evicts if there are none.
package final class MemoryRoom: Sendable {
  private let held = Atomic<Int>(0)
  /// Copies of what `growth` says, for the way that takes no lock.
  private let allowed = Atomic<Int>(0)
  private let floor = Atomic<Int>(.min)
  private let isTight = Atomic<Bool>(false)
  private let growth = Locked(MemoryGrowth())
  private let look: @Sendable () -> MemoryLeft?

  /// - Parameter look: what the limits leave; `nil` if there are none. May take a fraction of a millisecond.
  init(look: @escaping @Sendable () -> MemoryLeft?) { self.look = look }

  /// The room of this process.
  package static let shared = {
    let meter = MemoryMeter(SystemFiles())
    return MemoryRoom {
      guard let left = meter.left(), left.spare < -MemoryGrowth.leastStep else { return meter.left() }
      // Some of it may be memory that was freed, and that the allocator keeps.
      rio_give_back_memory()
      return meter.left()
    }
  }()

  var heldByteCount: Int { held.load(ordering: .relaxed) }

  /// Takes this many bytes, or nothing. Do not call under a lock: it may look. Returns whether there was room.
  func take(_ bytes: Int) -> Bool {
    if held.take(bytes, upTo: allowed.load(ordering: .relaxed)) { return true }
    let now = held.load(ordering: .relaxed)
    switch growth.withLock({ $0.wants(bytes, held: now) }) {
    case .refuse: return false
    case .grant: break
    case .look:
      let left = look()
      guard change({ $0.sees(left, wanting: bytes, held: $1) }) else { return false }
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

  /// What a store with this many bytes may hold at present.
  func present(of bytes: Int) -> Int { isTight.load(ordering: .relaxed) ? max(1, bytes - missing(0)) : .max }

  /// Returns whether stores may grow now.
  private func change(_ body: (inout MemoryGrowth, Int) -> Void) -> Bool {
    growth.withLock { growth in
      body(&growth, held.load(ordering: .relaxed))
      allowed.store(growth.allowed, ordering: .relaxed)
      floor.store(growth.floor, ordering: .relaxed)
      isTight.store(growth.isTight, ordering: .relaxed)
      return !growth.isTight
    }
  }
}
