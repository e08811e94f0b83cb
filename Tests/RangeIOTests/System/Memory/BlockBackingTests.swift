import Testing

@testable import RangeIO

struct BlockBackingTests {
  /// Two threads that hit different blocks must not wait for each other's cache lines.
  @Test func `what hits of two blocks write and read has no cache line in common`() throws {
    var kept: [Bytes] = []
    var passing: [Bytes] = []
    for number in 0..<4000 {
      let bytes = try #require(BlockBacking.claimedCopy(of: Bytes([UInt8](repeating: 1, count: 1 + number % 3 * 4000))))
      // Gaps of all kinds, for the allocator to fill.
      if number % 3 == 0 { passing.append(bytes) } else { kept.append(bytes) }
      if number % 700 == 699 { passing = [] }
    }
    var lines: [UInt: Int] = [:]
    for (index, bytes) in kept.enumerated() {
      let object = UInt(bitPattern: Unmanaged.passUnretained(try #require(bytes.owner)).toOpaque())
      // The count of references, and the note up to its marks.
      let hot = object + 8..<object + 16 + UInt(try #require(MemoryLayout<BlockBacking.Note>.offset(of: \.fetchedAt)))
      for line in hot.lowerBound / 64...(hot.upperBound - 1) / 64 {
        let other = lines.updateValue(index, forKey: line)
        #expect(other == nil, "blocks \(other ?? 0) and \(index)")
      }
    }
  }

  @Test func `an object takes what the ledger charges for it`() {
    // The header of a Swift object, and the allocator's own.
    #expect(16 + MemoryLayout<BlockBacking.Note>.stride + 8 == BlockBacking.objectFootprint)
  }
}
