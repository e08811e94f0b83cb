import Foundation
import RangeIO

/// What `check.sh` tells the tests, and what they do with it.
enum Spoiling {
  /// Where the files are that other people's programs made.
  static let folder = ProcessInfo.processInfo.environment["REMOTE_FORMATS_FILES"]
  static let seed = ProcessInfo.processInfo.environment["REMOTE_FORMATS_SEED"].flatMap(UInt64.init) ?? 1
  /// Larger ones would take too long.
  private static let largest = 12 << 10

  static func files() throws -> [(name: String, bytes: Bytes)] {
    guard let folder else { return [] }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted().filter { name in
      [".zip", ".pmtiles", ".parquet"].contains { name.hasSuffix($0) }
    }
    return try names.map { ($0, Bytes(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($0)")))) }
      .filter { $0.1.count <= largest }
  }

  /// `bytes` with up to four others, rather where the headers are than in the middle.
  static func change(_ bytes: Bytes, _ random: inout SplitMix64) -> Bytes {
    var changed = Array(bytes)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let values: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &random)]
      let reach = Bool.random(using: &random) ? changed.count : min(256, changed.count)
      let place = Int.random(in: 0..<reach, using: &random)
      let value = values[Int.random(in: 0..<values.count, using: &random)]
      changed[Bool.random(using: &random) ? place : changed.count - 1 - place] = value
    }
    return Bytes(changed)
  }

  /// `bytes` without up to 64 in the middle.
  static func cut(_ bytes: Bytes, _ random: inout SplitMix64) -> Bytes {
    let start = Int.random(in: 0..<bytes.count, using: &random)
    let end = min(bytes.count, start + Int.random(in: 1...64, using: &random))
    return Bytes(concatenating: [bytes[0..<start], bytes[end..<bytes.count]])
  }
}

/// Random numbers that a seed repeats (Steele, Lea, Flood: Fast splittable pseudorandom number generators).
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
