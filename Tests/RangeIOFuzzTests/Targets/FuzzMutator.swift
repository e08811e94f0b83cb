import RangeIOTesting

/// Makes inputs out of those of a target, by a seed: flips, hostile numbers, words, parts that move, are doubled or are lost, and
/// two inputs in one.
struct FuzzMutator {
  private var random: SeededGenerator
  private let inputs: [[UInt8]]
  private let words: [[UInt8]]
  /// Longer inputs are not made.
  private static let maxCount = 1 << 17

  init(_ target: FuzzTarget, corpus: [[UInt8]], seed: UInt64) {
    random = SeededGenerator(seed: seed)
    inputs = target.seeds + corpus
    words = target.words.map { Array($0.utf8) }
  }

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<max(1, bound), using: &random) }

  /// The next input, of one to eight changes.
  mutating func next() -> [UInt8] {
    var bytes = inputs.isEmpty ? [] : inputs[below(inputs.count)]
    for _ in 0...below(8) { change(&bytes) }
    return bytes.count > Self.maxCount ? Array(bytes.prefix(Self.maxCount)) : bytes
  }

  private mutating func change(_ bytes: inout [UInt8]) {
    let place = below(bytes.count + 1)
    let part = place..<min(bytes.count, place + below(below(2) == 0 ? 8 : 64))
    switch below(9) {
    case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(below(8))
    case 1 where place < bytes.count: bytes[place] = [0, 1, 0x0A, 0x20, 0x7F, 0x80, 0xFF, 0xC3][below(8)]
    case 2: bytes.removeSubrange(part)
    case 3: bytes.insert(contentsOf: bytes[part], at: below(bytes.count + 1))
    case 4: bytes.replaceSubrange(part, with: number())
    case 5 where !words.isEmpty: bytes.insert(contentsOf: words[below(words.count)], at: place)
    case 6 where !words.isEmpty: bytes.replaceSubrange(part, with: words[below(words.count)])
    case 7:
      let other = inputs.isEmpty ? [] : inputs[below(inputs.count)]
      let cut = below(other.count + 1)
      bytes.replaceSubrange(place..., with: other[cut...])
    default: bytes.insert(UInt8(below(256)), at: place)
    }
  }

  /// A number where numbers end, in binary of either order or in digits.
  private mutating func number() -> [UInt8] {
    let edges: [UInt64] = [0, 1, 255, 65_535, 1 << 31, (1 << 32) - 1, 1 << 62, (1 << 63) - 1, 1 << 63, .max]
    let number = edges[below(edges.count)] &+ UInt64(below(3)) &- 1
    switch below(4) {
    case 0: return withUnsafeBytes(of: number.littleEndian) { Array($0) }
    case 1: return withUnsafeBytes(of: number.bigEndian) { Array($0) }
    case 2: return withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).littleEndian) { Array($0) }
    default: return Array("\(number)".utf8)
    }
  }
}
