import FormatSupport
import RangeIO

/// The first 127 bytes of a PMTiles file (specification of version 3, chapter 3).
package struct PMTilesHeader: Sendable {
  package static let size = 127

  /// Where the four sections are, from the beginning of the file.
  package let rootDirectory: ByteRange
  package let metadata: ByteRange
  package let leafDirectories: ByteRange
  package let tileData: ByteRange

  /// Zero if the writer did not know.
  package let addressedTiles: UInt64
  package let tileEntries: UInt64
  package let tileContents: UInt64
  /// Whether the tiles are stored in the order of their numbers.
  package let isClustered: Bool
  /// Of the directories and the metadata.
  package let internalCompression: Compression
  package let tileCompression: Compression
  package let tileType: TileType
  package let zooms: ClosedRange<UInt8>
  package let bounds: (southWest: Position, northEast: Position)
  package let center: (zoom: UInt8, position: Position)

  /// - Parameters:
  ///   - bytes: the beginning of the file.
  ///   - byteCount: the size of the file, within which all sections must lie.
  init(_ bytes: Bytes, fileOf byteCount: Int) throws {
    var cursor = Bytes.Cursor(bytes)
    guard try cursor.bytes(7).elementsEqual("PMTiles".utf8) else {
      throw FormatError.damaged("this is no PMTiles file: it does not begin as one")
    }
    let version = try cursor.integer(UInt8.self, .littleEndian)
    guard version == 3 else {
      throw FormatError.unsupported("this is PMTiles of version \(version): only 3 is read here")
    }

    func section(_ name: String) throws -> ByteRange {
      let (offset, count) = (
        try cursor.integer(UInt64.self, .littleEndian), try cursor.integer(UInt64.self, .littleEndian)
      )
      return try part("the section '\(name)'", offset: offset, count: count, of: 0..<byteCount)
    }
    rootDirectory = try section("root directory")
    metadata = try section("metadata")
    leafDirectories = try section("leaf directories")
    tileData = try section("tile data")
    let counts = try cursor.integers(3, of: UInt64.self, .littleEndian)
    (addressedTiles, tileEntries, tileContents) = (counts[0], counts[1], counts[2])
    let small = try cursor.integers(6, of: UInt8.self, .littleEndian)
    isClustered = small[0] == 1
    internalCompression = Compression(number: small[1])
    tileCompression = Compression(number: small[2])
    tileType = TileType(number: small[3])
    guard small[4] <= small[5], small[5] <= TileID.deepestZoom else {
      throw FormatError.damaged("the zoom levels \(small[4]) to \(small[5]) cannot be")
    }
    zooms = small[4]...small[5]
    bounds = (try Position(&cursor), try Position(&cursor))
    center = (try cursor.integer(UInt8.self, .littleEndian), try Position(&cursor))
  }
}

extension PMTilesHeader {
  /// A place on earth.
  package struct Position: Sendable, CustomStringConvertible {
    /// In units of 10^-7 degrees.
    package let longitude, latitude: Int32

    init(_ cursor: inout Bytes.Cursor) throws {
      longitude = try cursor.integer(Int32.self, .littleEndian)
      latitude = try cursor.integer(Int32.self, .littleEndian)
    }

    /// Longitude and latitude in degrees.
    package var description: String { "\(Double(longitude) / 1e7),\(Double(latitude) / 1e7)" }
  }

  package struct Compression: Equatable, Sendable, CustomStringConvertible {
    package let number: UInt8
    package static let none = Compression(number: 1)
    package static let gzip = Compression(number: 2)

    package var description: String {
      switch number {
      case 0: "unknown"
      case 1: "none"
      case 2: "gzip"
      case 3: "brotli"
      case 4: "zstd"
      default: "compression \(number)"
      }
    }

    /// The bytes without their compression.
    ///
    /// - Parameters:
    ///   - what: what they are, for errors.
    ///   - limit: the most bytes that may come out.
    package func decompress(_ bytes: Bytes, _ what: String, limit: Int) throws -> Bytes {
      switch self {
      case .none: return bytes.contiguous()
      case .gzip: return try bytes.inflated(.gzip, limit: limit)
      default: throw FormatError.unsupported("the compression of \(what) is \(self): only gzip is read here")
      }
    }
  }

  package struct TileType: Sendable, CustomStringConvertible {
    package let number: UInt8
    package var description: String {
      let names = ["unknown", "mvt", "png", "jpeg", "webp", "avif"]
      return Int(number) < names.count ? names[Int(number)] : "type \(number)"
    }
  }
}
