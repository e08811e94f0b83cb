package import RangeIO

extension SpillFile {
  /// Writes `bytes`, starting at `offset`.
  package func write(_ bytes: [UInt8], at offset: Int = 0) throws {
    try bytes.withUnsafeBytes { try write([$0], at: offset) }
  }

  /// Reads up to `count` bytes, starting at `offset`.
  package func bytes(_ count: Int, at offset: Int = 0) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0xA5, count: count)
    let filled = try bytes.withUnsafeMutableBytes { try read(into: $0, at: offset) }
    return Array(bytes[..<filled])
  }

  /// Reads the part of `count` bytes from `offset` on that is in memory; `nil` if that is unknown.
  package func residentBytes(_ count: Int, at offset: Int = 0) throws -> [UInt8]? {
    var bytes = [UInt8](repeating: 0xA5, count: count)
    let filled = try bytes.withUnsafeMutableBytes { try readResident(into: $0, at: offset) }
    return filled.map { Array(bytes[..<$0]) }
  }
}
