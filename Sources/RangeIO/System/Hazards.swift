import CRangeIOSystem
import Synchronization

/// What threads look at without a lock, so that it is not freed meanwhile: an address for each thread.
///
/// A reader announces an object, then asks whether it still is where it was found. Who takes an object away first takes
/// it from where it can be found, then asks here. All four steps have one order for all threads, so the reader finds that the object is gone, or the
/// other finds the announcement, and keeps the object until that has ended. A thread looks at one object at a time, so
/// no more than one for each thread is kept, even if one loses its processor in the middle.
///
/// Source: M. M. Michael, "Hazard Pointers: Safe Memory Reclamation for Lock-Free Objects", IEEE TPDS 15 (6), 2004.
enum Hazards {
  /// The line of the calling thread, in which nothing is announced; `nil` if it has none, as there are too many threads.
  @inline(__always) static var own: UnsafeMutablePointer<Atomic<UInt>>? {
    let thread = rio_thread_number()
    return thread <= UInt32(RIO_MOST_NUMBERED) ? line(thread) : nil
  }

  @inline(__always) private static func line(_ thread: UInt32) -> UnsafeMutablePointer<Atomic<UInt>> {
    // Zero bytes are an atomic word of zero.
    rio_line_of_thread(thread).assumingMemoryBound(to: Atomic<UInt>.self)
  }

  /// Calls `body` for each object that is looked at.
  private static func forEach(_ body: (UInt) -> Void) {
    for thread in 1...max(1, rio_highest_thread_number()) {
      let address = line(thread).pointee.load(ordering: .sequentiallyConsistent)
      if address != 0 { body(address) }
    }
  }

  // MARK: release

  /// Objects that were looked at when they were to be released.
  private static let kept = Locked<[UInt]>([])
  private static let isAnyKept = Atomic<Bool>(false)

  /// Releases objects that can no longer be found, each once nobody looks at it: at once, or with a later call.
  ///
  /// - Complexity: O(threads), and a call to the system for none of them.
  static func release(_ objects: [Unmanaged<BlockBacking>]) {
    var left = objects.map { UInt(bitPattern: $0.toOpaque()) }
    if isAnyKept.load(ordering: .relaxed) {
      left += kept.withLock { kept in
        isAnyKept.store(false, ordering: .relaxed)
        defer { kept = [] }
        return kept
      }
    }
    var looked: [UInt] = []
    forEach { address in
      if let index = left.firstIndex(of: address) { looked.append(left.remove(at: index)) }
    }
    if !looked.isEmpty {
      kept.withLock { [looked] kept in
        kept += looked
        isAnyKept.store(true, ordering: .relaxed)
      }
    }
    for address in left { Unmanaged<BlockBacking>.fromOpaque(UnsafeRawPointer(bitPattern: address)!).release() }
  }

  /// Releases one, usually without memory for a list.
  static func release(_ object: Unmanaged<BlockBacking>) {
    let address = UInt(bitPattern: object.toOpaque())
    var isLookedAt = isAnyKept.load(ordering: .relaxed)
    if !isLookedAt { forEach { if $0 == address { isLookedAt = true } } }
    if isLookedAt { release([object]) } else { object.release() }
  }
}
