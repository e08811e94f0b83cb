import RangeIO
@testable import RangeIOTiers

/// Encrypts for tests of what does not depend on how: by a stream and a sum that a seed makes. Nothing is secret with it.
struct ToyKeys: DiskKeys {
  var current: UInt32 = 1
  /// The numbers of the keys that are there.
  var known: Set<UInt32> = [0, 1]

  func ciphers(key: UInt32, salt: [UInt8], context: [UInt8]) -> (any DiskCiphers)? {
    known.contains(key) ? ToyCiphers(seed: ToyCiphers.sum([UInt8(truncatingIfNeeded: key)] + salt + context)) : nil
  }
}

private struct ToyCiphers: DiskCiphers {
  let seed: UInt64

  var proof: [UInt8] { Self.bytes(seed, 16) }

  func mask(_ number: UInt64) -> [UInt8] { Self.bytes(seed ^ number &* 3, 24) }

  func encrypt(
    _ plain: UnsafeRawBufferPointer, number: UInt64, context: [UInt8], into sealed: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let tag = tag(plain, number, context)
    sealed.copyBytes(from: zip(plain, Self.bytes(seed &+ number, plain.count)).map { $0 ^ $1 } + tag)
    return true
  }

  func decrypt(_ sealed: UnsafeMutableRawBufferPointer, number: UInt64, context: [UInt8]) -> Bytes? {
    let encrypted = sealed.dropFirst(12).dropLast(16)
    let plain = zip(encrypted, Self.bytes(seed &+ number, encrypted.count)).map { $0 ^ $1 }
    let tag = plain.withUnsafeBytes { self.tag($0, number, context) }
    return sealed.suffix(16).elementsEqual(tag) ? Bytes(plain) : nil
  }

  private func tag(_ plain: UnsafeRawBufferPointer, _ number: UInt64, _ context: [UInt8]) -> [UInt8] {
    Self.bytes(Self.sum(plain) ^ Self.sum(context) &* 31 ^ seed ^ number &* 7, 16)
  }

  /// FNV-1a.
  static func sum(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  /// So many bytes of the stream that begins with a number.
  private static func bytes(_ start: UInt64, _ count: Int) -> [UInt8] {
    var state = start
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
  }
}
