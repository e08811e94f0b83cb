#if SharedCache || Encrypted
  internal import Crypto

  /// Keys by their numbers, one of which encrypts. Shows none of them.
  public struct NumberedKeys: Sendable {
    /// Why keys cannot be used.
    public enum Fault: Error {
      case length
      case noCurrent
    }

    /// The number of the key that encrypts.
    public let current: UInt32
    private let keys: [UInt32: GCMCipher]

    /// - Parameter lengths: the number of bytes that a key may have.
    public init(_ keys: [UInt32: [UInt8]], current: UInt32, lengths: Set<Int>) throws(Fault) {
      guard keys.values.allSatisfy({ lengths.contains($0.count) }) else { throw .length }
      guard keys[current] != nil else { throw .noCurrent }
      self.current = current
      self.keys = keys.mapValues { GCMCipher($0) }
    }

    /// The numbers, in order.
    public var numbers: [UInt32] { keys.keys.sorted() }

    /// AES-GCM with the key of this number; `nil` if there is none.
    public subscript(number: UInt32) -> GCMCipher? { keys[number] }
  }

  /// Keys and masks that are derived from a key.
  public enum DerivedKeys {
    /// HKDF with SHA-256 (RFC 5869).
    public static func bytes(_ key: [UInt8], salt: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
      HKDF<Crypto.SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: key), salt: salt, info: info, outputByteCount: count
      ).withUnsafeBytes { Array($0) }
    }
  }

  /// HMAC with SHA-256 (RFC 2104), whose key is set up once.
  public struct HMACMask: Sendable {
    private let key: SymmetricKey

    /// A key of any length.
    public init(_ key: [UInt8]) { self.key = SymmetricKey(data: key) }

    /// 32 bytes that cannot be told from random ones.
    public func bytes(for message: [UInt8]) -> [UInt8] {
      Array(HMAC<Crypto.SHA256>.authenticationCode(for: message, using: key))
    }
  }
#endif
