#if Encrypted
  internal import Crypto
  internal import RangeIO
  internal import RangeIOSupport
  internal import _CryptoExtras

  #if canImport(FoundationEssentials)
    internal import FoundationEssentials
  #else
    internal import Foundation
  #endif

  /// Decrypts a block of an object.
  protocol BlockCipher: Sendable {
    /// `nil` if it is not authentic.
    func decrypt(_ block: Int, isLast: Bool, _ encrypted: UnsafeRawBufferPointer) -> Bytes?
  }

  extension ObjectEncryption {
    /// A name that tells keys and nonces apart, and shows neither.
    static func name(_ cipher: String, _ key: [UInt8], _ nonce: [UInt8]) -> String {
      let digest = DerivedKeys.bytes(key, salt: nonce, info: Array("RangeIO name of \(cipher)".utf8), count: 16)
      return "\(cipher):\(Bytes(digest).map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined())"
    }
  }

  /// AES-CTR: the counter of a block is the first one and 256 for each block before it.
  struct CounterMode: BlockCipher {
    static let blockSize = 4096
    private let key: SymmetricKey
    private let counter: [UInt8]

    init(key: [UInt8], counter: [UInt8]) { (self.key, self.counter) = (SymmetricKey(data: key), counter) }

    func decrypt(_ block: Int, isLast: Bool, _ encrypted: UnsafeRawBufferPointer) -> Bytes? {
      let counter = Self.counter(counter, after: UInt64(block) * UInt64(Self.blockSize / 16))
      // `try?`, twice: only lengths are refused, and those were looked at.
      guard let nonce = try? AES._CTR.Nonce(nonceBytes: counter),
        let plain = try? AES._CTR.decrypt(encrypted, using: key, nonce: nonce)
      else { return nil }
      return Bytes(count: plain.count) { plain.copyBytes(to: $0) }
    }

    /// The counter, a number with the highest byte first, so many blocks of AES later.
    static func counter(_ first: [UInt8], after blocks: UInt64) -> [UInt8] {
      var counter = first
      var carry = blocks
      for place in counter.indices.reversed() where carry > 0 {
        let (sum, overflow) = (carry & 0xFF + UInt64(counter[place]), carry >> 8)
        counter[place] = UInt8(truncatingIfNeeded: sum)
        carry = overflow + sum >> 8
      }
      return counter
    }
  }

  /// AES-GCM in the STREAM construction.
  struct StreamMode: BlockCipher {
    private let cipher: GCMCipher
    private let prefix: [UInt8]

    init(key: [UInt8], prefix: [UInt8]) { (cipher, self.prefix) = (GCMCipher(key), prefix) }

    func decrypt(_ block: Int, isLast: Bool, _ encrypted: UnsafeRawBufferPointer) -> Bytes? {
      guard let number = UInt32(exactly: block), encrypted.count >= GCMCipher.tagCount else { return nil }
      let nonce = prefix + withUnsafeBytes(of: number.bigEndian) { Array($0) } + [isLast ? 1 : 0]
      return (nonce + encrypted).withUnsafeBytes { cipher.open($0, context: []) }
    }
  }

  /// ChaCha20-Poly1305 in the STREAM construction, as age has it: the number takes 11 bytes.
  struct AgeMode: BlockCipher {
    private let key: SymmetricKey

    init(fileKey: [UInt8], nonce: [UInt8]) {
      key = SymmetricKey(data: DerivedKeys.bytes(fileKey, salt: nonce, info: Array("payload".utf8), count: 32))
    }

    func decrypt(_ block: Int, isLast: Bool, _ encrypted: UnsafeRawBufferPointer) -> Bytes? {
      guard encrypted.count >= 16 else { return nil }
      let number = withUnsafeBytes(of: UInt64(block).bigEndian) { Array($0) }
      // `try?`, thrice: they fail for want of a right tag alone.
      guard let nonce = try? ChaChaPoly.Nonce(data: [0, 0, 0] + number + [isLast ? 1 : 0]),
        let box = try? ChaChaPoly.SealedBox(
          nonce: nonce, ciphertext: encrypted.dropLast(16), tag: encrypted.suffix(16)),
        let plain = try? ChaChaPoly.open(box, using: key)
      else { return nil }
      return Bytes(count: plain.count) { plain.copyBytes(to: $0) }
    }
  }
#endif
