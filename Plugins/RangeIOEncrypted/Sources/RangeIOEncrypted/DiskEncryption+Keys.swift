#if Encrypted
  internal import RangeIO
  internal import RangeIOSupport
  public import RangeIOTiers

  extension DiskEncryption {
    /// AES-256-GCM with keys by their numbers.
    ///
    /// ```swift
    /// var disk = DiskConfiguration(directory: "/var/cache/app", limit: .gibibytes(20))
    /// disk.encryption = .key(try EncryptionKeys([1: key], current: 1))
    /// ```
    ///
    /// A wrong or missing key costs cache misses, never an error: the disk's `Counters` have `segmentsOfOtherKeys` and
    /// `notAuthentic`.
    public static func key(_ provider: some EncryptionKeyProvider) -> DiskEncryption {
      DiskEncryption(GCMKeys(provider: provider))
    }
  }

  /// Derives the keys of files, as `Docs/Formats/EncryptedSpill.md` says.
  struct GCMKeys: DiskKeys {
    let provider: any EncryptionKeyProvider

    var current: UInt32 { provider.current }

    func ciphers(key number: UInt32, salt: [UInt8], context: [UInt8]) -> (any DiskCiphers)? {
      guard let key = provider.key(number), key.count == 32 else { return nil }
      return GCMCiphers(DerivedKeys.bytes(key, salt: salt, info: context, count: 80))
    }
  }

  /// AES-256-GCM under a derived key, HMAC under another.
  struct GCMCiphers: DiskCiphers {
    private let gcm: GCMCipher
    private let hmac: HMACMask
    let proof: [UInt8]

    /// - Parameter derived: 32 bytes for records, 32 for masks, 16 that prove them.
    init(_ derived: [UInt8]) {
      gcm = GCMCipher(Array(derived[..<32]))
      hmac = HMACMask(Array(derived[32..<64]))
      proof = Array(derived[64...])
    }

    func mask(_ number: UInt64) -> [UInt8] {
      Array(hmac.bytes(for: withUnsafeBytes(of: number.littleEndian) { Array($0) })[..<24])
    }

    func encrypt(
      _ plain: UnsafeRawBufferPointer, number: UInt64, context: [UInt8], into sealed: UnsafeMutableRawBufferPointer
    ) -> Bool {
      let nonce = [0, 0, 0, 0] + withUnsafeBytes(of: number.littleEndian) { Array($0) }
      return gcm.encrypt(plain, nonce: nonce, context: context, into: sealed)
    }

    func decrypt(_ sealed: UnsafeMutableRawBufferPointer, number: UInt64, context: [UInt8]) -> Bytes? {
      guard sealed.count >= GCMCipher.nonceCount else { return nil }
      // So that nonce, ciphertext and tag lie side by side: a box of three parts takes a quarter longer to make.
      sealed.storeBytes(of: 0, as: UInt32.self)
      sealed.storeBytes(of: number.littleEndian, toByteOffset: 4, as: UInt64.self)
      return gcm.open(UnsafeRawBufferPointer(sealed), context: context)
    }
  }
#endif
