/// Blocks of one size, which need not be a power of two: the blocks that digests or ciphers work on.
struct EqualBlocks: Hashable, Sendable {
  /// Bytes per block; the last block may be shorter.
  let size: Int

  /// The number of blocks in `byteCount` bytes.
  func count(in byteCount: Int) -> Int { byteCount / size + (byteCount % size > 0 ? 1 : 0) }

  /// The blocks that contain at least one byte of `range`.
  func blocks(covering range: ByteRange) -> Range<Int> {
    let first = range.lowerBound / size
    return first..<(range.isEmpty ? first : (range.upperBound - 1) / size + 1)
  }

  /// The bytes of `blocks`, which must exist, in a source of `byteCount` bytes.
  func range(of blocks: Range<Int>, in byteCount: Int) -> ByteRange {
    let (end, overflow) = blocks.upperBound.multipliedReportingOverflow(by: size)
    return blocks.lowerBound * size..<(overflow ? byteCount : min(end, byteCount))
  }

  /// The blocks that contain at least one byte of any of `ranges`, each once: ascending runs that do not touch.
  func runs(covering ranges: some Collection<ByteRange>) -> [Range<Int>] {
    guard ranges.count > 1 else { return ranges.map { blocks(covering: $0) }.filter { !$0.isEmpty } }
    return ByteRanges.normalize(ranges.lazy.map { blocks(covering: $0) })
  }
}

/// Bytes read in whole blocks, from which the requested ranges are cut.
struct BlockRuns {
  private var runs: [RangedBytes] = []

  /// Adds the bytes of `range`, which must come after the earlier ranges and not touch them.
  mutating func append(_ range: ByteRange, _ bytes: Bytes) { runs.append(RangedBytes(range, bytes)) }

  /// The bytes of `range`, which must lie within one run.
  func slice(_ range: ByteRange) -> Bytes {
    guard !range.isEmpty else { return Bytes() }
    return runs[runs.partitionPoint { $0.range.upperBound > range.lowerBound }].bytes(of: range)
  }

  func response(to request: ReadRequest) -> ReadResponse {
    ReadResponse(request.ranges.mapped(slice))
  }
}
