import RangeIO

/// How much was compared with plain `pread`, and the first byte that differed.
struct DemoComparison: Sendable {
  private(set) var reads = 0
  private(set) var bytes = 0
  /// The offset in the file, or `nil`.
  private(set) var mismatch: Int?

  /// Compares `piece`, read from `offset`, with the start of `scratch`, which holds the same range read by plain
  /// `pread`.
  mutating func compared(_ piece: Bytes, at offset: Int, with scratch: Scratch) {
    reads += 1
    bytes += piece.count
    if mismatch == nil, let place = scratch.firstDifference(from: piece) { mismatch = offset + place }
  }

  mutating func add(_ other: DemoComparison) {
    reads += other.reads
    bytes += other.bytes
    mismatch = mismatch ?? other.mismatch
  }
}
