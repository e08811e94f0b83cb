import FormatSupport
import RangeIO

/// A part of the index: which tiles are where, by their numbers (PMTiles specification, 4.2).
struct TileDirectory {
  struct Entry: Equatable {
    /// The number of the first tile that it is for.
    var tile: UInt64
    /// From the beginning of the tile data, or of the leaf directories.
    var offset: UInt64
    var length: UInt64
    /// For how many tiles, one after the other, these bytes are; 0 for a leaf directory.
    var runLength: UInt64
  }

  /// By their numbers.
  let entries: [Entry]

  /// The largest directory that is read, decompressed: some millions of entries.
  static let largest = 16 << 20

  /// Parses a decompressed directory: how many entries, then one column after the other.
  init(_ bytes: Bytes) throws {
    var cursor = Bytes.Cursor(bytes)
    // Each entry has four numbers of a byte at least.
    let count = try cursor.varintCount("entries of a directory", upTo: bytes.count / 4)
    var entries: [Entry] = []
    entries.reserveCapacity(count)
    var tile: UInt64 = 0
    for index in 0..<count {
      let (next, isTooLarge) = tile.addingReportingOverflow(try cursor.varint())
      guard !isTooLarge, index == 0 || next > tile else {
        throw FormatError.damaged("the tiles of a directory are not in order")
      }
      tile = next
      entries.append(Entry(tile: tile, offset: 0, length: 0, runLength: 0))
    }
    for index in 0..<count { entries[index].runLength = try cursor.varint() }
    for index in 0..<count {
      entries[index].length = try cursor.varint()
      guard entries[index].length > 0 else { throw FormatError.damaged("a tile of a directory has no bytes") }
    }
    for index in 0..<count {
      let value = try cursor.varint()
      // Zero: right after the one before.
      if value > 0 {
        entries[index].offset = value - 1
      } else {
        guard index > 0 else { throw FormatError.damaged("the first tile of a directory has no place") }
        let (end, isTooLarge) = entries[index - 1].offset.addingReportingOverflow(entries[index - 1].length)
        guard !isTooLarge else { throw FormatError.damaged("a tile of a directory lies beyond all files") }
        entries[index].offset = end
      }
    }
    guard cursor.remaining == 0 else { throw FormatError.damaged("bytes follow the entries of a directory") }
    self.entries = entries
  }

  /// The entry that a tile is in, or the leaf directory that has it if any has; `nil` if there is no such tile.
  func entry(of tile: UInt64) -> Entry? {
    // The last one that does not begin after the tile.
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = low + (high - low) / 2
      if entries[middle].tile <= tile { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let entry = entries[low - 1]
    return entry.runLength == 0 || tile - entry.tile < entry.runLength ? entry : nil
  }
}
