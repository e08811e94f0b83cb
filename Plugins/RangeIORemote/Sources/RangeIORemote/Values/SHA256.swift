/// SHA-256 (FIPS 180-4), for digests that stand for secrets in names. Not for large data: it is written to be short.
package enum SHA256 {
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

  /// The digest as 64 hexadecimal digits.
  package static func hexDigest(_ message: [UInt8]) -> String {
    var bytes = message + [0x80]
    bytes += [UInt8](repeating: 0, count: (119 - message.count % 64) % 64)
    let bits = UInt64(message.count) * 8
    bytes += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }
    var hash: [UInt32] = [
      0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    for start in stride(from: 0, to: bytes.count, by: 64) { compress(bytes[start..<start + 64], &hash) }
    return hash.map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  private static func compress(_ block: ArraySlice<UInt8>, _ hash: inout [UInt32]) {
    func turned(_ x: UInt32, _ n: UInt32) -> UInt32 { x >> n | x << (32 - n) }
    var w = [UInt32](repeating: 0, count: 64)
    for i in 0..<64 {
      if i < 16 {
        w[i] = (0..<4).reduce(0) { $0 << 8 | UInt32(block[block.startIndex + 4 * i + $1]) }
      } else {
        let (a, b) = (w[i - 15], w[i - 2])
        let early = turned(a, 7) ^ turned(a, 18) ^ (a >> 3)
        let late = turned(b, 17) ^ turned(b, 19) ^ (b >> 10)
        w[i] = w[i - 16] &+ early &+ w[i - 7] &+ late
      }
    }
    var v = hash
    for i in 0..<64 {
      let e = v[4]
      let choice = (e & v[5]) ^ (~e & v[6])
      let first = v[7] &+ (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) &+ choice &+ constants[i] &+ w[i]
      let a = v[0]
      let majority = (a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2])
      let second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ majority
      v = [first &+ second, a, v[1], v[2], v[3] &+ first, e, v[5], v[6]]
    }
    for i in 0..<8 { hash[i] &+= v[i] }
  }
}
