import FormatSupport
import PMTilesFormat
import RangeIO

/// `Z/X/Y` as numbers.
func place(_ text: String) throws -> (zoom: UInt8, x: UInt32, y: UInt32) {
  let parts = text.split(separator: "/", omittingEmptySubsequences: false)
  guard parts.count == 3, let zoom = UInt8(parts[0]), let x = UInt32(parts[1]), let y = UInt32(parts[2]) else {
    throw FormatError.notFound("'\(printable(text))' names no tile: write ZOOM/X/Y, such as 3/4/2")
  }
  return (zoom, x, y)
}

func printHeader(_ header: PMTilesHeader) {
  print("tiles: \(header.addressedTiles) at \(header.tileEntries) entries, \(header.tileContents) different")
  print("tile type: \(header.tileType)")
  print("tile compression: \(header.tileCompression)")
  print("internal compression: \(header.internalCompression)")
  print("clustered: \(header.isClustered)")
  print("zoom: \(header.zooms.lowerBound) to \(header.zooms.upperBound)")
  print("bounds: \(header.bounds.southWest) to \(header.bounds.northEast)")
  print("center: \(header.center.position) at zoom \(header.center.zoom)")
  let sections = [
    ("root directory", header.rootDirectory), ("metadata", header.metadata),
    ("leaf directories", header.leafDirectories), ("tile data", header.tileData),
  ]
  for (name, range) in sections { print("\(name): \(range.count) bytes at \(range.lowerBound)") }
}

// Prints the header of a map and what it says of itself, or writes a tile, as it is stored, to standard output.
await runProgram("remote-pmtiles", usage: "FILE|URL [ZOOM/X/Y | metadata]", 0...1, opening: PMTilesArchive.opening) {
  reader, arguments in
  let archive = try await PMTilesArchive(reader)
  switch arguments.first {
  case nil: printHeader(archive.header)
  case "metadata": try writeOutput(try await archive.metadata())
  case let text?:
    let (zoom, x, y) = try place(text)
    guard let tile = try await archive.tile(zoom: zoom, x: x, y: y) else {
      throw FormatError.notFound("the map has no tile \(zoom)/\(x)/\(y)")
    }
    try writeOutput(tile)
  }
}
