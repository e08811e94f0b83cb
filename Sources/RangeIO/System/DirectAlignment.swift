/// The alignment of reads that bypass the page cache, in bytes. See open(2), `O_DIRECT`, and statx(2), `STATX_DIOALIGN`.
struct DirectAlignment: Equatable, Sendable {
  /// Of the memory that is read into: a power of two.
  package let memory: Int
  /// Of offsets and counts: a power of two.
  let offset: Int

  /// - Returns: `nil` if a number is no power of two up to 1 MiB.
  init?(memory: Int, offset: Int) {
    for number in [memory, offset] {
      guard number > 0, number <= 1 << 20, number.nonzeroBitCount == 1 else { return nil }
    }
    self.memory = memory
    self.offset = offset
  }

  /// The smallest aligned range that contains `range`.
  func around(_ range: ByteRange) -> ByteRange {
    let lower = range.lowerBound & ~(offset - 1)
    // The end of the largest range is past the largest number.
    let upper = range.upperBound.addingReportingOverflow(offset - 1)
    return lower..<(upper.overflow ? range.upperBound : upper.partialValue & ~(offset - 1))
  }

  func isAligned(_ address: UnsafeMutableRawPointer) -> Bool { UInt(bitPattern: address) & UInt(memory - 1) == 0 }
}
