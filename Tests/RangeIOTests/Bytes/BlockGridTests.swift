import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct BlockGridTests {
  @Test func `only powers of two are block sizes`() {
    let valid = (0..<63).map { 1 << $0 }
    for size in valid { #expect(BlockGrid(blockSize: size)?.blockSize == size) }
    for size in [0, -1, -4096, 3, 6, 4097, .max, .min] { #expect(BlockGrid(blockSize: size) == nil, "\(size)") }
  }

  @Test(arguments: [1, 2, 4, 8])
  func `every range of a small source agrees with a model of one entry a byte`(blockSize: Int) throws {
    let grid = try #require(BlockGrid(blockSize: blockSize))
    for byteCount in 0...19 {
      // The block of each byte, by counting.
      let blockOf = (0..<byteCount).map { $0 / blockSize }
      for block in 0..<25 {
        let wanted = blockOf.indices.filter { blockOf[$0] == block }
        let range = grid.range(of: block, in: byteCount)
        #expect(Array(range) == wanted, "block \(block) of \(byteCount)")
      }
      for lower in 0...byteCount {
        #expect(lower == byteCount || grid.block(at: lower) == blockOf[lower])
        for upper in lower...byteCount {
          let range = lower..<upper
          let touched = Set(range.map { blockOf[$0] }).sorted()
          #expect(Array(grid.blocks(covering: range)) == touched, "\(range)")

          let pieces = grid.pieces(of: range)
          #expect(pieces.map(\.block) == touched, "\(range)")
          #expect(pieces.map { Array($0.range) } == touched.map { block in range.filter { blockOf[$0] == block } })
          #expect(pieces.count == touched.count)

          let outward = grid.outward(range, in: byteCount)
          if range.isEmpty {
            #expect(outward == range)
          } else {
            #expect(
              Array(outward) == blockOf.indices.filter { touched.contains(blockOf[$0]) }, "\(range) of \(byteCount)")
          }
        }
      }
    }
  }

  @Test(arguments: [1, 4096, 65_536, 1 << 62])
  func `nothing overflows at the end of the number line`(blockSize: Int) throws {
    let grid = try #require(BlockGrid(blockSize: blockSize))
    let lastBlock = (Int.max - 1) / blockSize
    let end = Int.max - 1..<Int.max
    #expect(grid.block(at: Int.max - 1) == lastBlock)
    #expect(grid.blocks(covering: end) == lastBlock..<lastBlock + 1)
    #expect(grid.range(of: lastBlock, in: Int.max) == lastBlock * blockSize..<Int.max)
    #expect(grid.range(of: Int.max, in: Int.max).isEmpty)
    #expect(grid.outward(end, in: Int.max) == lastBlock * blockSize..<Int.max)
    #expect(grid.outward(Int.max..<Int.max, in: Int.max) == Int.max..<Int.max)
    let pieces = grid.pieces(of: end)
    #expect(pieces.map(\.block) == [lastBlock])
    #expect(pieces.map(\.range) == [end])
    #expect(grid.blocks(covering: Int.max..<Int.max).isEmpty)
  }

  @Test func `the pieces of a terabyte are not listed before they are asked for`() throws {
    let grid = try #require(BlockGrid(blockSize: 1))
    let pieces = grid.pieces(of: 0..<1 << 40)
    #expect(pieces.count == 1 << 40)
    #expect(pieces.last?.block == 1 << 40 - 1)
  }

  @Test func `a block beyond the end is empty and a range that sticks out is cut`() throws {
    let grid = try #require(BlockGrid(blockSize: 8))
    #expect(grid.range(of: 2, in: 16) == 16..<16)
    #expect(grid.range(of: 1, in: 9) == 8..<9)
    #expect(grid.outward(3..<40, in: 20) == 0..<20)
    #expect(grid.outward(30..<40, in: 20).isEmpty)
  }
}
