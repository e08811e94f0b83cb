import FormatSupport
import RangeIO
import RangeIORemote

/// A map in one file (PMTiles, version 3). The first request brings the header and the root directory; a tile then takes
/// one more, or two if its entry is in a leaf directory.
package struct PMTilesArchive: Sendable {
  package let header: PMTilesHeader
  private let root: TileDirectory
  private let reader: RangeReader

  /// The header and the root directory lie within these first bytes, by the specification (chapter 2).
  private static let firstRead = 16_384
  /// What is read first.
  package static let opening = RemoteOpening.range(0..<firstRead)
  /// Root and leaf directories on the way to a tile. Writers make two or three; damaged files may have circles.
  private static let deepestDirectory = 4
  /// The most bytes of a tile, or of the metadata, that are read; and that come out of compressed metadata.
  private static let largestPiece = 64 << 20

  package init(_ reader: RangeReader) async throws {
    let first = try await reader.read(0..<min(Self.firstRead, reader.byteCount))
    header = try PMTilesHeader(first, fileOf: reader.byteCount)
    self.reader = reader
    // In the cache already, unless the writer broke the rule.
    root = try await Self.directory(header.rootDirectory, header, reader)
  }

  private static func directory(
    _ range: ByteRange, _ header: PMTilesHeader, _ reader: RangeReader
  ) async throws -> TileDirectory {
    guard range.count <= TileDirectory.largest else {
      throw FormatError.tooLarge("a directory has \(range.count) bytes")
    }
    let bytes = try await reader.read(range)
    return try TileDirectory(
      header.internalCompression.decompress(bytes, "the directories", limit: TileDirectory.largest))
  }

  /// The bytes of a tile as they are stored, or `nil` if the map has none there.
  package func tile(zoom: UInt8, x: UInt32, y: UInt32) async throws -> Bytes? {
    let number = try TileID.number(zoom: zoom, x: x, y: y)
    var directory = root
    for _ in 0..<Self.deepestDirectory {
      guard let entry = directory.entry(of: number) else { return nil }
      guard entry.runLength == 0 else { return try await bytes(of: entry, "tile \(zoom)/\(x)/\(y)") }
      let leaf = try part(
        "the leaf directory of tile \(zoom)/\(x)/\(y)", offset: entry.offset, count: entry.length,
        of: header.leafDirectories)
      directory = try await Self.directory(leaf, header, reader)
    }
    throw FormatError.damaged("the directories of tile \(zoom)/\(x)/\(y) lead in a circle")
  }

  private func bytes(of entry: TileDirectory.Entry, _ what: String) async throws -> Bytes {
    let range = try part(what, offset: entry.offset, count: entry.length, of: header.tileData)
    guard range.count <= Self.largestPiece else { throw FormatError.tooLarge("\(what) has \(range.count) bytes") }
    return try await reader.read(range)
  }

  /// What the map says of itself, as JSON.
  package func metadata() async throws -> Bytes {
    guard header.metadata.count <= Self.largestPiece else {
      throw FormatError.tooLarge("the metadata has \(header.metadata.count) bytes")
    }
    let bytes = try await reader.read(header.metadata)
    guard !bytes.isEmpty else { return bytes }
    return try header.internalCompression.decompress(bytes, "the metadata", limit: Self.largestPiece)
  }
}
