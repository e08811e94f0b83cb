import CRangeIOSystem
import Synchronization

/// A count of events and the sum of their amounts, added to by many threads without an atomic read-modify-write.
///
/// The first thread that comes to a stripe owns it from then on: no other thread writes there, so a load and a store
/// are enough. Threads that find their stripe owned by another add atomically to a second pair of sums, in a cache line
/// of its own. A stripe stays with its thread when that has ended: Swift's own threads live as long as the process.
///
/// A reader counts every hit here. An atomic addition takes about 20 cycles, even if no other thread has the line.
struct ThreadTallies: ~Copyable, @unchecked Sendable {
  // Unchecked: memory that only atomic operations touch, freed with its one owner.
  private static let count = 8
  /// Two cache lines, one for the owner and one for the others.
  private static let byteCount = 128
  private static let othersOffset = 64

  /// The place of each value in a stripe. The others have their sums in the same places, a cache line further.
  private enum Place {
    static let owner = 0
    static let events = 8
    static let amount = 16
  }

  private let base: UnsafeMutableRawPointer

  /// Creates a tally at zero.
  init() {
    base = .allocate(byteCount: Self.count * Self.byteCount, alignment: Self.byteCount)
    for index in 0..<Self.count * Self.byteCount / 8 {
      (base + index * 8).bindMemory(to: Atomic<Int>.self, capacity: 1).initialize(to: Atomic(0))
    }
  }

  deinit { base.deallocate() }

  @inline(__always) private static func cell(_ stripe: UnsafeMutableRawPointer, _ place: Int)
    -> UnsafeMutablePointer<Atomic<Int>>
  {
    (stripe + place).assumingMemoryBound(to: Atomic<Int>.self)
  }

  /// Counts one event of `amount`.
  @inline(__always) func add(_ amount: Int) {
    let thread = Int(rio_thread_number())
    let stripe = base + (thread & (Self.count - 1)) * Self.byteCount
    guard Self.cell(stripe, Place.owner).pointee.load(ordering: .relaxed) == thread else {
      return Self.addSlowly(amount, as: thread, to: stripe)
    }
    Self.addAsOwner(amount, to: stripe)
  }

  /// Only the thread that owns the stripe may call this, so nothing is written between the loads and the stores.
  @inline(__always) private static func addAsOwner(_ amount: Int, to stripe: UnsafeMutableRawPointer) {
    let (events, sum) = (cell(stripe, Place.events), cell(stripe, Place.amount))
    events.pointee.store(events.pointee.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    sum.pointee.store(sum.pointee.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
  }

  /// Takes a stripe that nobody owns, or adds to the sums of all but its owner.
  @inline(never) private static func addSlowly(_ amount: Int, as thread: Int, to stripe: UnsafeMutableRawPointer) {
    guard !cell(stripe, Place.owner).pointee.compareExchange(expected: 0, desired: thread, ordering: .relaxed).exchanged
    else { return addAsOwner(amount, to: stripe) }
    let others = stripe + othersOffset
    cell(others, Place.events).pointee.wrappingAdd(1, ordering: .relaxed)
    cell(others, Place.amount).pointee.wrappingAdd(amount, ordering: .relaxed)
  }

  /// The number of events and the sum of their amounts. Concurrent additions may or may not be included; those that
  /// the caller has synchronized with are.
  func sums() -> (events: Int, amount: Int) {
    var (events, amount) = (0, 0)
    for index in 0..<Self.count {
      let stripe = base + index * Self.byteCount
      for part in [stripe, stripe + Self.othersOffset] {
        events &+= Self.cell(part, Place.events).pointee.load(ordering: .relaxed)
        amount &+= Self.cell(part, Place.amount).pointee.load(ordering: .relaxed)
      }
    }
    return (events, amount)
  }
}
