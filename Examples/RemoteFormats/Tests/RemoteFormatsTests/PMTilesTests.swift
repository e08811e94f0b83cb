import FormatSupport
import RangeIO
import Testing

@testable import PMTilesFormat

struct PMTilesTests {
  @Test func `tiles are numbered as the specification's table says`() throws {
    let known: [(UInt8, UInt32, UInt32, UInt64)] = [
      (0, 0, 0, 0), (1, 0, 0, 1), (1, 0, 1, 2), (1, 1, 1, 3), (1, 1, 0, 4), (2, 0, 0, 5), (12, 3423, 1763, 19_078_479),
    ]
    for (zoom, x, y, number) in known { #expect(try TileID.number(zoom: zoom, x: x, y: y) == number) }
  }

  @Test func `each level has every number once, and neighbours in number are neighbours on the map`() throws {
    for zoom in 0...6 as ClosedRange<UInt8> {
      let side: UInt32 = 1 << zoom
      var places: [UInt64: (x: UInt32, y: UInt32)] = [:]
      for x in 0..<side { for y in 0..<side { places[try TileID.number(zoom: zoom, x: x, y: y)] = (x, y) } }
      let first = try TileID.number(zoom: zoom, x: 0, y: 0)
      #expect(places.count == Int(side * side))
      for number in first..<first + UInt64(side * side) - 1 {
        let (here, next) = (try #require(places[number]), try #require(places[number + 1]))
        #expect(abs(Int(here.x) - Int(next.x)) + abs(Int(here.y) - Int(next.y)) == 1)
      }
    }
  }

  @Test func `the deepest level does not overflow, and there is none below it`() throws {
    #expect(try TileID.number(zoom: 31, x: .max >> 1, y: .max >> 1) > 0)
    #expect(try TileID.number(zoom: 31, x: .max >> 1, y: 0) == (1 << 62) + ((1 << 62) - 1) / 3 - 1)
    #expect(throws: FormatError.self) { try TileID.number(zoom: 32, x: 0, y: 0) }
    #expect(throws: FormatError.self) { try TileID.number(zoom: 3, x: 8, y: 0) }
    #expect(throws: FormatError.self) { try TileID.number(zoom: 3, x: 0, y: 8) }
  }

  /// Two tiles, then a leaf directory: numbers, run lengths, lengths, offsets.
  private static let directory: Bytes = [3, 5, 10, 5, 1, 4, 0, 10, 20, 30, 1, 0, 8]

  @Test func `entries are found by their runs`() throws {
    let directory = try TileDirectory(Self.directory)
    let expected: [TileDirectory.Entry] = [
      .init(tile: 5, offset: 0, length: 10, runLength: 1), .init(tile: 15, offset: 10, length: 20, runLength: 4),
      .init(tile: 20, offset: 7, length: 30, runLength: 0),
    ]
    #expect(directory.entries == expected)
    for (tile, index) in [(4, nil), (5, 0), (6, nil), (14, nil), (15, 1), (18, 1), (19, nil), (20, 2), (.max, 2)]
      as [(UInt64, Int?)]
    {
      #expect(directory.entry(of: tile) == index.map { expected[$0] })
    }
  }

  @Test func `a directory that is cut off or damaged is an error`() {
    for count in 0..<Self.directory.count {
      #expect(throws: (any Error).self) { try TileDirectory(Self.directory[0..<count]) }
    }
    // Too many entries; the same tile twice; no bytes; no offset to follow.
    for (position, value) in [(0, 4), (2, 0), (7, 0), (10, 0)] {
      var bytes = Array(Self.directory)
      bytes[position] = UInt8(value)
      #expect(throws: (any Error).self) { try TileDirectory(Bytes(bytes)) }
    }
  }
}
