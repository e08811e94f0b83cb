@testable import RangeIO
@testable import RangeIOTiers

extension FuzzTargets {
  static let codecs: [FuzzTarget] = [
    FuzzTarget(
      "codecs", seeds: [[0, 16] + [UInt8](repeating: 7, count: 40), [4, 0] + lz4([UInt8](repeating: 1, count: 1024))]
    ) {
      bytes in
      // As an encoded block of a forged size.
      var input = FuzzInput(bytes)
      let count = Int(input.byte()) << 8 | Int(input.byte())
      let payload = Array(input.rest)
      for codec in [LZ4Codec(), IdentityCodec()] as [any LibraryCodec] {
        var decoded = [UInt8](repeating: 0xA5, count: count)
        let isRight = payload.withUnsafeBytes { payload in
          decoded.withUnsafeMutableBytes { codec.decode(payload, into: $0) }
        }
        try promise(
          !isRight || count <= LibraryCodecs.maxDecoded(payload.count, by: codec.id),
          "\(payload.count) bytes decode to \(count)")
      }
      // As bytes.
      guard !payload.isEmpty else { return }
      var encoded = [UInt8](repeating: 0, count: payload.count)
      let size = payload.withUnsafeBytes { payload in
        encoded.withUnsafeMutableBytes { LZ4Codec(acceleration: 1 + count % 64).encode(payload, into: $0) }
      }
      guard let size else { return }
      try promise(size > 0 && size <= encoded.count, "\(payload.count) bytes became \(size)")
      var again = [UInt8](repeating: 0, count: payload.count)
      let isDecoded = encoded[..<size].withUnsafeBytes { encoded in
        again.withUnsafeMutableBytes { LZ4Codec().decode(encoded, into: $0) }
      }
      try promise(isDecoded && again == payload, "other bytes come back")
    }
  ]

  /// `bytes` as LZ4 has them; none if they do not shrink.
  static func lz4(_ bytes: [UInt8]) -> [UInt8] {
    var encoded = [UInt8](repeating: 0, count: bytes.count)
    let count = bytes.withUnsafeBytes { bytes in
      encoded.withUnsafeMutableBytes { LZ4Codec().encode(bytes, into: $0) }
    }
    return Array(encoded[..<(count ?? 0)])
  }
}
