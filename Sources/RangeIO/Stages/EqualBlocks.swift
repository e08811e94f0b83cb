/// Blocks of one size, which need not be a power of two: those that digests or ciphers are made of.
struct EqualBlocks: Hashable, Sendable {
  /// Bytes in a block, the last one aside.
  let size: Int

  /// The blocks of so many bytes.
  func count(in byteCount: Int) -> Int { byteCount / size + (byteCount % size > 0 ? 1 : 0) }

  /// The blocks that hold a byte of `range`.
  func blocks(covering range: ByteRange) -> Range<Int> {
    let first = range.lowerBound / size
    return first..<(range.isEmpty ? first : (range.upperBound - 1) / size + 1)
  }

  /// The bytes of `blocks`, which there are, in `byteCount` bytes.
  func range(of blocks: Range<Int>, in byteCount: Int) -> ByteRange {
    let (end, overflow) = blocks.upperBound.multipliedReportingOverflow(by: size)
    return blocks.lowerBound * size..<(overflow ? byteCount : min(end, byteCount))
  }

  /// The blocks that hold a byte of any of `ranges`, each once: runs in ascending order that do not touch.
  func runs(covering ranges: [ByteRange]) -> [Range<Int>] {
    guard ranges.count > 1 else { return ranges.map { blocks(covering: $0) }.filter { !$0.isEmpty } }
    return ByteRanges.normalize(ranges.lazy.map { blocks(covering: $0) })
  }
}

/// What was read in whole blocks, to be cut to what was asked for.
struct BlockRuns {
  private var runs: [(range: ByteRange, bytes: Bytes)] = []

  /// Adds the bytes of `range`, which lies behind those before and does not touch them.
  mutating func append(_ range: ByteRange, _ bytes: Bytes) { runs.append((range, bytes)) }

  /// The bytes of `range`, which lies within one run.
  func slice(_ range: ByteRange) -> Bytes {
    guard !range.isEmpty else { return Bytes() }
    let run = runs[runs.partitionPoint { $0.range.upperBound > range.lowerBound }]
    return run.bytes.slice(range.lowerBound - run.range.lowerBound..<range.upperBound - run.range.lowerBound)
  }

  /// The answer to `request`.
  func response(to request: ReadRequest) -> ReadResponse {
    ReadResponse(slice(request.range), moreBytes: request.moreRanges.map(slice))
  }
}

extension ReadRequest {
  /// All ranges asked for, in the order asked.
  var ranges: [ByteRange] { [range] + moreRanges }

  /// This, for other ranges: at least one.
  func asking(for ranges: [ByteRange]) -> ReadRequest {
    var request = self
    request.range = ranges[0]
    request.moreRanges = Array(ranges.dropFirst())
    // The grid is that of the range asked for.
    request.grid = nil
    return request
  }
}
