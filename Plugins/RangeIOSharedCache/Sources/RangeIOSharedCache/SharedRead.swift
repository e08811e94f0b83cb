#if SharedCache
  internal import RangeIO

  /// The blocks of one read: which are here, and what is to be fetched. A value.
  struct SharedRead: Sendable {
    let ranges: [ByteRange]
    let grid: BlockGrid
    let byteCount: Int
    /// Each block once, ascending.
    let blocks: [Int]
    private(set) var contents: [Int: Bytes] = [:]

    /// `nil` if there are more than `most`.
    init?(_ request: ReadRequest, _ family: BlockFamily, most: Int) {
      ranges = [request.range] + request.moreRanges
      grid = family.grid
      byteCount = family.byteCount
      var blocks: Set<Int> = []
      for range in ranges where !range.isEmpty {
        let covering = grid.blocks(covering: range)
        guard blocks.count + covering.count <= most else { return nil }
        blocks.formUnion(covering)
      }
      self.blocks = blocks.sorted()
    }

    /// True if whole blocks cost little more than what is asked for: that is at least a quarter of them, or a block takes no
    /// longer than a request.
    func isWorthItsBlocks(_ cost: SourceDescription.Cost) -> Bool {
      let asked = ranges.reduce(0.0) { $0 + Double($1.count) }
      return 4 * asked >= Double(blocks.count * grid.blockSize)
        || Double(grid.blockSize) / Double(cost.bytesPerSecond.bytes) <= cost.latency / .seconds(1)
    }

    mutating func has(_ bytes: Bytes, of block: Int) { contents[block] = bytes }

    /// Those that are not here.
    var missing: [Int] { blocks.filter { contents[$0] == nil } }

    /// Blocks in a row as ranges of bytes.
    func ranges(of blocks: [Int]) -> [ByteRange] {
      var all: [ByteRange] = []
      for block in blocks {
        let range = grid.range(of: block, in: byteCount)
        if let last = all.last, last.upperBound == range.lowerBound {
          all[all.count - 1] = last.lowerBound..<range.upperBound
        } else {
          all.append(range)
        }
      }
      return all
    }

    /// The bytes that the read asked for. All blocks must be here.
    func response() -> ReadResponse {
      let answers = ranges.map(bytes)
      return ReadResponse(answers[0], moreBytes: Array(answers.dropFirst()))
    }

    private func bytes(of range: ByteRange) -> Bytes {
      let pieces = grid.pieces(of: range).map { piece in
        let start = grid.range(of: piece.block, in: byteCount).lowerBound
        return (contents[piece.block] ?? Bytes())[piece.range.lowerBound - start..<piece.range.upperBound - start]
      }
      return pieces.count == 1 ? pieces[0] : Bytes(concatenating: pieces)
    }
  }
#endif
