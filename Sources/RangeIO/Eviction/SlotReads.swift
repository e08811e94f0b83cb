import Synchronization

/// The reads that readers without a lock have noted, by slot.
struct SlotReads {
  private let notes: UnsafePointer<UInt>?

  /// For a policy whose chunks are read under the lock alone.
  static var none: SlotReads { SlotReads(nil) }

  /// - Parameter notes: the addresses of the notes, by slot, for as long as this is used.
  init(_ notes: UnsafePointer<UInt>?) { self.notes = notes }

  /// Takes what was noted for a used slot since it was last asked: from 0 to 3.
  func take(_ slot: Int) -> UInt8 {
    guard let notes, let note = UnsafeMutablePointer<BlockBacking.Note>(bitPattern: notes[slot]) else { return 0 }
    let reads = BlockBacking.reads(of: note)
    let mark = reads.pointee.load(ordering: .relaxed)
    if mark & 3 != 0 { reads.pointee.store(mark & ~3, ordering: .relaxed) }
    return mark & 3
  }
}
