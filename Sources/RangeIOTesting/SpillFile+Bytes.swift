package import RangeIO

extension SpillFile {
  /// Writes `bytes` from `offset` on.
  package func write(_ bytes: [UInt8], at offset: Int = 0) throws {
    try bytes.withUnsafeBytes { try write([$0], at: offset) }
  }

  /// Up to `count` bytes from `offset` on.
  package func bytes(_ count: Int, at offset: Int = 0) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0xA5, count: count)
    let filled = try bytes.withUnsafeMutableBytes { try read(into: $0, at: offset) }
    return Array(bytes[..<filled])
  }

  /// What is in memory of `count` bytes from `offset` on; `nil` if that is unknown.
  package func residentBytes(_ count: Int, at offset: Int = 0) throws -> [UInt8]? {
    var bytes = [UInt8](repeating: 0xA5, count: count)
    let filled = try bytes.withUnsafeMutableBytes { try readResident(into: $0, at: offset) }
    return filled.map { Array(bytes[..<$0]) }
  }
}
