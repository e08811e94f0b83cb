import RangeIO

/// The ranges that the conformance suites read.
struct TestRanges {
  let byteCount: Int
  var random: SeededGenerator

  init(byteCount: Int, seed: UInt64) {
    self.byteCount = byteCount
    random = SeededGenerator(seed: seed)
  }

  /// The first byte, the last byte, all bytes, and all but those at one end. For a source that is not empty.
  var edges: [ByteRange] {
    let all = [
      0..<1, byteCount - 1..<byteCount, 0..<byteCount, 1..<byteCount, 0..<byteCount - 1,
      byteCount / 2..<byteCount / 2 + 1,
    ]
    return all.filter { !$0.isEmpty }
  }

  /// Random ranges, short and long. For a source that is not empty.
  mutating func some(_ count: Int) -> [ByteRange] {
    guard byteCount > 0 else { return [] }
    return (0..<count).map { _ in
      let lower = Int.random(in: 0..<byteCount, using: &random)
      let longest = min(byteCount - lower, 1 << Int.random(in: 0...24, using: &random))
      return lower..<lower + Int.random(in: 1...longest, using: &random)
    }
  }

  /// Describes how `bytes` differ from `range` in `contents`; `nil` if they are equal.
  static func difference(_ bytes: Bytes, _ range: ByteRange, _ contents: Bytes) -> String? {
    guard bytes.count == range.count else { return "of \(range) returns \(bytes.count) bytes, not \(range.count)" }
    let expected = contents.slice(range)
    guard bytes != expected else { return nil }
    let first = zip(bytes, expected).enumerated().first { $1.0 != $1.1 }
    return "of \(range) returns a wrong byte at \(range.lowerBound + (first?.offset ?? 0))"
  }
}
