import RangeIO

/// The hash function SHA-256 (FIPS 180-4, 6.2), so that what needs no other cryptography needs no library.
public struct SHA256 {
  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  /// The start of a block of 64 bytes.
  private var block: [UInt8] = []
  private var byteCount: UInt64 = 0

  /// The hash of nothing yet.
  public init() { block.reserveCapacity(64) }

  /// The digest of `bytes`: 32 bytes.
  public static func digest(of bytes: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    bytes.withUnsafeBytes { hash.update($0) }
    return hash.finish()
  }

  /// The digest of `bytes` as 64 hexadecimal digits.
  public static func hexDigest(_ bytes: [UInt8]) -> String {
    Bytes(digest(of: bytes)).hex
  }

  /// Adds `buffer` to the message.
  public mutating func update(_ buffer: UnsafeRawBufferPointer) {
    byteCount &+= UInt64(buffer.count)
    var rest = buffer[...]
    if !block.isEmpty {
      let part = rest.prefix(64 - block.count)
      block += part
      rest = rest.dropFirst(part.count)
      guard block.count == 64 else { return }
      block.withUnsafeBytes { Self.compress($0, into: &state) }
      block.removeAll(keepingCapacity: true)
    }
    let whole = rest.prefix(rest.count & ~63)
    Self.compress(UnsafeRawBufferPointer(rebasing: whole), into: &state)
    block += rest.dropFirst(whole.count)
  }

  /// The digest of the message.
  public mutating func finish() -> [UInt8] {
    let bitCount = byteCount &* 8
    var padding: [UInt8] = [0x80]
    while (block.count + padding.count) % 64 != 56 { padding.append(0) }
    withUnsafeBytes(of: bitCount.bigEndian) { padding += $0 }
    padding.withUnsafeBytes { update($0) }
    return state.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
  }

  /// Hashes whole blocks.
  private static func compress(_ blocks: UnsafeRawBufferPointer, into state: inout [UInt32]) {
    guard !blocks.isEmpty else { return }
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
      constants.withUnsafeBufferPointer { constants in
        for start in stride(from: 0, to: blocks.count, by: 64) {
          for word in 0..<16 {
            schedule[word] = UInt32(
              bigEndian: blocks.loadUnaligned(fromByteOffset: start + word * 4, as: UInt32.self))
          }
          for word in 16..<64 {
            let (a, b) = (schedule[word - 15], schedule[word - 2])
            let low = rotate(a, 7) ^ rotate(a, 18) ^ a >> 3
            let high = rotate(b, 17) ^ rotate(b, 19) ^ b >> 10
            schedule[word] = schedule[word - 16] &+ low &+ schedule[word - 7] &+ high
          }
          rounds(schedule, constants, &state)
        }
      }
    }
  }

  private static func rounds(
    _ schedule: UnsafeMutableBufferPointer<UInt32>, _ constants: UnsafeBufferPointer<UInt32>, _ state: inout [UInt32]
  ) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for round in 0..<64 {
      let sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
      let first = h &+ sum1 &+ (e & f ^ ~e & g) &+ constants[round] &+ schedule[round]
      let sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
      let second = sum0 &+ (a & b ^ a & c ^ b & c)
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
    }
    for (place, value) in [a, b, c, d, e, f, g, h].enumerated() { state[place] &+= value }
  }

  private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word &>> count | word &<< (32 &- count) }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}
