import RangeIOTesting

@testable import RangeIO

/// SHA-256 (FIPS 180-4), for tests of digests: slow, and without anything to depend on.
enum SHA256 {
  private static let constants: [UInt32] = {
    // The first 32 bits of the fractional parts of the cube roots of the first 64 primes, by integer arithmetic.
    var primes: [UInt64] = []
    var candidate: UInt64 = 2
    while primes.count < 64 {
      if !primes.contains(where: { candidate % $0 == 0 }) { primes.append(candidate) }
      candidate += 1
    }
    return primes.map { UInt32(truncatingIfNeeded: root($0, power: 3)) }
  }()

  private static let start: [UInt32] = [2, 3, 5, 7, 11, 13, 17, 19].map {
    UInt32(truncatingIfNeeded: root($0, power: 2))
  }

  /// The root of `value`, times 2³², rounded down.
  private static func root(_ value: UInt64, power: Int) -> UInt64 {
    var (low, high) = (UInt64(0), UInt64(1) << 36)
    func isTooLarge(_ candidate: UInt64) -> Bool {
      // candidate^power > value × 2^(32 × power), in 128 bits after taking away 2^32 once more for cubes.
      var product = UInt128(1)
      for _ in 0..<2 { product *= UInt128(candidate) }
      if power == 3 {
        let (whole, part) = (product >> 32, product & 0xFFFF_FFFF)
        let cube = whole * UInt128(candidate) + (part * UInt128(candidate) >> 32)
        return cube >= UInt128(value) << 64
      }
      return product > UInt128(value) << 64
    }
    while high - low > 1 {
      let middle = (low + high) / 2
      if isTooLarge(middle) { high = middle } else { low = middle }
    }
    return low
  }

  static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var message = Array(bytes)
    let bitCount = UInt64(message.count) * 8
    message.append(0x80)
    while message.count % 64 != 56 { message.append(0) }
    message += (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> UInt64(56 - 8 * $0)) }
    var state = start
    for block in stride(from: 0, to: message.count, by: 64) { mix(message[block..<block + 64], into: &state) }
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) } }
  }

  private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { place in
      block[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<64 {
      let (a, b) = (words[index - 15], words[index - 2])
      let first = rotate(a, 7) ^ rotate(a, 18) ^ a >> 3
      let second = rotate(b, 17) ^ rotate(b, 19) ^ b >> 10
      words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
    }
    var s = state
    for index in 0..<64 {
      let choice = (s[4] & s[5]) ^ (~s[4] & s[6])
      let major = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2])
      let high = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)
      let low = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)
      let one = s[7] &+ high &+ choice &+ constants[index] &+ words[index]
      s = [one &+ low &+ major, s[0], s[1], s[2], s[3] &+ one, s[4], s[5], s[6]]
    }
    for index in 0..<8 { state[index] &+= s[index] }
  }
}

/// A hash of sixteen bytes that is quick, and good enough where nobody attacks it.
func quickHash(_ bytes: Bytes) -> [UInt8] {
  var sum: UInt32 = 0
  bytes.forEachSpan { span in sum = span.withUnsafeBytes { CRC32C.of($0, continuing: sum) } }
  let first = SeededGenerator.mix(UInt64(sum) | UInt64(bytes.count) << 32)
  return withUnsafeBytes(of: (first.littleEndian, SeededGenerator.mix(first).littleEndian)) { Array($0) }
}

extension [UInt8] {
  /// The bytes that a text of hexadecimal digits stands for.
  init(hex: String) {
    let digits = hex.compactMap(\.hexDigitValue)
    self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
