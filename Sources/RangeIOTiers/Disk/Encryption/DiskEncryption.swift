public import RangeIO

/// Encrypts what a disk tier writes. The plugin `RangeIOEncrypted` has the cryptography:
///
/// ```swift
/// disk.encryption = .key(try EncryptionKeys([1: key], current: 1))
/// ```
///
/// `Docs/Formats/EncryptedSpill.md` describes what is on the disk then, and what it does not hide. A record that is damaged,
/// moved or forged, or whose key is not there, is a cache miss, never an error.
///
/// A directory is encrypted or it is not: a store that opens one of the other kind for writing removes what is in it.
public struct DiskEncryption: Sendable {
  /// Does the cryptography.
  package let keys: any DiskKeys
  /// How long the files of other numbers than the current one are kept after they were made: longer ones are removed when the
  /// directory is opened, together with all that are older. Default: `nil`, for as long as their key is there and there is room.
  public var olderKeysLast: Duration?

  /// Creates an encryption by cryptography of your own. Most programs take `.key(_:)` of the plugin `RangeIOEncrypted`.
  public init(_ keys: some DiskKeys) { self.keys = keys }
}

extension DiskEncryption: CustomStringConvertible, CustomReflectable {
  /// Says that there is one, and shows nothing of the keys.
  public var description: String { "DiskEncryption" }

  /// Shows no more than ``description``.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Keys by their numbers, for ``DiskEncryption``.
///
/// **What you must do.** Answer at once, from any thread. One number means one key, for good.
public protocol DiskKeys: Sendable {
  /// The number of the key that new files are encrypted with. Asked once for each file.
  var current: UInt32 { get }

  /// Returns ciphers whose keys are derived from the key of this number, such as with HKDF; `nil` if there is no such key.
  ///
  /// - Parameters:
  ///   - key: the number of the key.
  ///   - salt: 32 random bytes. They make the keys unique.
  ///   - context: what the keys are for. Other contexts must have other keys.
  func ciphers(key: UInt32, salt: [UInt8], context: [UInt8]) -> (any DiskCiphers)?
}

/// Ciphers of one file, or of one list in it: authenticated encryption with its own keys.
///
/// **What the caller guarantees.** No number is used twice to encrypt, nor to mask.
public protocol DiskCiphers: Sendable {
  /// 16 bytes that depend on the keys alone, and reveal nothing of them: they tell whether a key is the right one.
  var proof: [UInt8] { get }

  /// Returns 24 bytes that cannot be told from random ones without the keys.
  func mask(_ number: UInt64) -> [UInt8]

  /// Encrypts `plain` to as many bytes, followed by a tag of 16 bytes.
  ///
  /// - Parameters:
  ///   - plain: what to encrypt.
  ///   - number: makes the nonce.
  ///   - context: what the tag also protects.
  ///   - sealed: 16 bytes longer than `plain`; may begin at the same address.
  /// - Returns: `false` if that is not possible.
  func encrypt(
    _ plain: UnsafeRawBufferPointer, number: UInt64, context: [UInt8], into sealed: UnsafeMutableRawBufferPointer
  ) -> Bool

  /// Decrypts what ``encrypt(_:number:context:into:)`` has made.
  ///
  /// - Parameters:
  ///   - sealed: 12 bytes that may be overwritten, such as with a nonce, and behind them what was encrypted.
  ///   - number: as when it was encrypted, and so `context`.
  ///   - context: what the tag also protects.
  /// - Returns: bytes in memory of their own, 28 fewer than `sealed` has; `nil` if the tag is wrong.
  func decrypt(_ sealed: UnsafeMutableRawBufferPointer, number: UInt64, context: [UInt8]) -> Bytes?
}
