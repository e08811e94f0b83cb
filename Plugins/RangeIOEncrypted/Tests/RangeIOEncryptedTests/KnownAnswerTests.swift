#if Encrypted
  import RangeIOSupport
  import Testing

  @testable import RangeIOTestSupport

  /// Published vectors, through the code that records go through.
  @Suite struct KnownAnswerTests {
    struct Vector: Sendable {
      var key, nonce, plain, context, cipher, tag: String
    }

    /// The Galois/Counter Mode of Operation (McGrew, Viega), which NIST's SP 800-38D names: test cases 13 to 16, AES-256.
    static let vectors = [
      Vector(
        key: String(repeating: "0", count: 64), nonce: String(repeating: "0", count: 24), plain: "", context: "",
        cipher: "", tag: "530f8afbc74536b9a963b4f1c4cb738b"),
      Vector(
        key: String(repeating: "0", count: 64), nonce: String(repeating: "0", count: 24),
        plain: String(repeating: "0", count: 32), context: "", cipher: "cea7403d4d606b6e074ec5d3baf39d18",
        tag: "d0d1c8a799996bf0265b98b5d48ab919"),
      Vector(
        key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", nonce: "cafebabefacedbaddecaf888",
        plain: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
          + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
        context: "",
        cipher: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
          + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
        tag: "b094dac5d93471bdec1a502270e3cc6c"),
      Vector(
        key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", nonce: "cafebabefacedbaddecaf888",
        plain: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
          + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
        context: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
        cipher: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
          + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662", tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
    ]

    @Test(arguments: vectors)
    func `AES-256-GCM gives the answers of NIST's vectors, in place too`(vector: Vector) {
      let cipher = GCMCipher([UInt8](hex: vector.key))
      let (nonce, context, plain) = (
        [UInt8](hex: vector.nonce), [UInt8](hex: vector.context), [UInt8](hex: vector.plain)
      )
      let sealed = [UInt8](hex: vector.cipher) + [UInt8](hex: vector.tag)
      var memory = plain + [UInt8](repeating: 0, count: 16)
      memory.withUnsafeMutableBytes { buffer in
        let start = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<plain.count])
        #expect(cipher.encrypt(start, nonce: nonce, context: context, into: buffer))
      }
      #expect(memory == sealed)
      #expect(Self.decrypted(sealed, by: cipher, nonce, context) == plain)
      for bit in 0..<sealed.count * 8 {
        var other = sealed
        other[bit / 8] ^= 1 << (bit % 8)
        #expect(Self.decrypted(other, by: cipher, nonce, context) == nil)
      }
      #expect(Self.decrypted(sealed, by: cipher, nonce, context + [0]) == nil)
    }

    @Test func `HKDF gives the answers of RFC 5869, and HMAC those of RFC 4231`() {
      let derived = DerivedKeys.bytes(
        [UInt8](repeating: 0x0b, count: 22), salt: Array(0...12), info: Array(0xf0...0xf9), count: 42)
      #expect(
        derived
          == [UInt8](hex: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"))
      #expect(
        HMACMask([UInt8](repeating: 0x0b, count: 20)).bytes(for: Array("Hi There".utf8))
          == [UInt8](hex: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"))
    }

    private static func decrypted(
      _ sealed: [UInt8], by cipher: GCMCipher, _ nonce: [UInt8], _ context: [UInt8]
    ) -> [UInt8]? {
      (nonce + sealed).withUnsafeBytes { cipher.open($0, context: context) }.map(Array.init)
    }
  }
#endif
