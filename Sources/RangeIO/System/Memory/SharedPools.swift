// What the process keeps for reuse, by the size of its memory.

extension BufferPool {
  /// The pool of the process: one limit for all readers.
  package static let shared = BufferPool(keeping: SystemMemory.bounded(.mebibytes(16), toPart: 16))
}

extension BlockSlabs {
  /// The slabs of the process.
  static let shared = BlockSlabs(keeping: SystemMemory.bounded(.mebibytes(8), toPart: 16))
}

extension BlocksAtHand {
  /// The free blocks that the threads of the process keep.
  static let shared = BlocksAtHand(BlockSlabs.shared)
}

extension SourceMemory {
  /// The bytes that all sources of the process hold.
  package static let shared = SourceMemory(limit: SystemMemory.bounded(.mebibytes(16), toPart: 16), room: .shared)
}
