import CRangeIOSystem
import Synchronization

/// The objects that threads look at without a lock, so that none is freed meanwhile: an address for each thread.
///
/// A reader announces an object, then asks whether it still is where it was found. Who takes an object away first takes
/// it from where it can be found, then asks here. All four steps have one order for all threads, so the reader finds
/// that the object is gone, or the other finds the announcement, and keeps the object until a release after that has
/// ended. A thread looks at one object at a time, so no more than one for each thread is kept, even if one loses its
/// processor in the middle.
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

  /// True if a thread looks at the object.
  private static func isAnnounced(_ address: UInt) -> Bool {
    for thread in 1...max(1, rio_highest_thread_number())
    where line(thread).pointee.load(ordering: .sequentiallyConsistent) == address { return true }
    return false
  }

  // MARK: release

  /// Objects that were looked at when they were to be released.
  private static let kept = Locked<[UInt]>([])
  private static let isAnyKept = Atomic<Bool>(false)

  /// Releases objects that can no longer be found. An object that a thread looks at is released by a later call.
  ///
  /// - Complexity: O(threads × objects), without an allocation as a rule, and without a call to the system.
  static func release(_ first: Unmanaged<BlockBacking>, _ more: [Unmanaged<BlockBacking>] = []) {
    var left: [UInt] = []
    func release(_ object: Unmanaged<BlockBacking>) {
      let address = UInt(bitPattern: object.toOpaque())
      if isAnnounced(address) { left.append(address) } else { object.release() }
    }
    release(first)
    for object in more { release(object) }
    guard !left.isEmpty || isAnyKept.load(ordering: .relaxed) else { return }
    let free = kept.withLock { [left] kept in
      // Looked at now, under the lock: what another thread keeps may be looked at since this one began.
      // Asked once of each: an object that was taken away twice is kept twice.
      var (free, still): ([UInt], [UInt]) = ([], [])
      for address in kept { if isAnnounced(address) { still.append(address) } else { free.append(address) } }
      kept = still + left
      isAnyKept.store(!kept.isEmpty, ordering: .relaxed)
      return free
    }
    for address in free { Unmanaged<BlockBacking>.fromOpaque(UnsafeRawPointer(bitPattern: address)!).release() }
  }
}
