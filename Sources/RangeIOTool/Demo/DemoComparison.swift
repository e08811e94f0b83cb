import RangeIO

/// What was compared with plain `pread`, and where the first byte differed.
struct DemoComparison: Sendable {
  private(set) var reads = 0
  private(set) var bytes = 0
  /// The offset in the file, or nil.
  private(set) var mismatch: Int?

  /// Compares `piece`, read from `offset`, with the start of `scratch`, where plain `pread` put the same range.
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
