import FormatSupport

/// The number of a tile: tiles are counted level by level, and within a level along a Hilbert curve, so that neighbours on
/// the map are mostly neighbours in the file (PMTiles specification, 4.1).
package enum TileID {
  /// 4^32 and all levels below it would not fit into 64 bits.
  package static let deepestZoom: UInt8 = 31

  /// - Throws: `FormatError` for a place that the zoom level does not have.
  package static func number(zoom: UInt8, x: UInt32, y: UInt32) throws -> UInt64 {
    guard zoom <= deepestZoom, UInt64(x) < 1 << UInt64(zoom), UInt64(y) < 1 << UInt64(zoom) else {
      throw FormatError.notFound(
        "there is no tile \(zoom)/\(x)/\(y): at zoom \(zoom), x and y are from 0 to 2^\(zoom) - 1")
    }
    // 1 + 4 + 16 + …: the tiles of all levels above.
    let afterLevel: UInt64 = 1 << (2 * UInt64(zoom))
    var number = (afterLevel - 1) / 3
    var (x, y) = (UInt64(x), UInt64(y))
    for level in (0..<UInt64(zoom)).reversed() {
      let side: UInt64 = 1 << level
      let (right, lower) = (x & side != 0, y & side != 0)
      // The curve passes the quarters as a U: upper left, lower left, lower right, upper right.
      let quarter: UInt64 = right ? (lower ? 2 : 3) : (lower ? 1 : 0)
      number += quarter << (2 * level)
      (x, y) = (x & (side - 1), y & (side - 1))
      guard !lower else { continue }
      // In the upper quarters the curve is turned.
      if right { (x, y) = (side - 1 - x, side - 1 - y) }
      (x, y) = (y, x)
    }
    return number
  }
}
