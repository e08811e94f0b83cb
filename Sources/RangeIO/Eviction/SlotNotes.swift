import Synchronization

/// The notes of a table's chunks, by slot: of each, the reads that readers without a lock have noted, and what a policy has to
/// remember.
struct SlotNotes {
  private let addresses: UnsafePointer<UInt>?

  /// For a policy that has no table, whose chunks are read under the lock alone.
  static var none: SlotNotes { SlotNotes(nil) }

  /// - Parameter addresses: those of the notes, by slot, for as long as this is used.
  init(_ addresses: UnsafePointer<UInt>?) { self.addresses = addresses }

  private func note(_ slot: Int) -> UnsafeMutablePointer<BlockBacking.Note>? {
    addresses.flatMap { UnsafeMutablePointer(bitPattern: $0[slot]) }
  }

  /// Takes the number of reads of a used slot since the last call: from 0 to 3.
  func takeReads(_ slot: Int) -> UInt8 {
    guard let note = note(slot) else { return 0 }
    let reads = BlockBacking.reads(of: note)
    let mark = reads.pointee.load(ordering: .relaxed)
    if mark & 3 != 0 { reads.pointee.store(mark & ~3, ordering: .relaxed) }
    return mark & 3
  }

  /// The facts that a policy keeps about the chunk in a used slot; `nil` without a table.
  func facts(_ slot: Int) -> UnsafeMutablePointer<BlockBacking.Facts>? { note(slot).map(BlockBacking.facts) }
}
