#if SharedCache || Encrypted
  internal import Crypto
  public import RangeIO
  internal import RangeIOFoundation

  #if canImport(FoundationEssentials)
    internal import FoundationEssentials
  #else
    internal import Foundation
  #endif

  /// AES-GCM with nonces of 12 and tags of 16 bytes (NIST SP 800-38D), of memory that others own.
  public struct GCMCipher: Sendable {
    /// The size of a nonce.
    public static let nonceCount = 12
    /// The size of a tag.
    public static let tagCount = 16

    private let key: SymmetricKey

    /// - Precondition: 16, 24 or 32 bytes.
    public init(_ key: [UInt8]) {
      precondition([16, 24, 32].contains(key.count), "a key of AES has 16, 24 or 32 bytes")
      self.key = SymmetricKey(data: key)
    }

    /// A nonce, ciphertext and tag. The nonce is random, if none is given.
    public func seal(_ plain: UnsafeRawBufferPointer, context: [UInt8], nonce: [UInt8]? = nil) -> Bytes? {
      box(plain, context, nonce).map { box in
        Bytes(count: Self.nonceCount + plain.count + Self.tagCount) { box.copyBytes(to: $0) }
      }
    }

    /// Writes ciphertext and tag.
    ///
    /// - Parameter sealed: may begin where `plain` does.
    public func encrypt(
      _ plain: UnsafeRawBufferPointer, nonce: [UInt8], context: [UInt8], into sealed: UnsafeMutableRawBufferPointer
    ) -> Bool {
      guard sealed.count == plain.count + Self.tagCount, let box = box(plain, context, nonce) else { return false }
      box.dropFirst(Self.nonceCount).copyBytes(to: sealed)
      return true
    }

    /// What lies in a nonce, ciphertext and tag, in the memory that it was decrypted to; `nil` unless the tag is right.
    public func open(_ sealed: UnsafeRawBufferPointer, context: [UInt8]) -> Bytes? {
      guard sealed.count >= Self.nonceCount + Self.tagCount, let base = sealed.baseAddress else { return nil }
      // Shown, and not changed: the box copies it, once.
      let data = Data(bytesNoCopy: UnsafeMutableRawPointer(mutating: base), count: sealed.count, deallocator: .none)
      // `try?`, twice: they fail for want of a right tag alone.
      guard let box = try? AES.GCM.SealedBox(combined: data),
        let plain = try? AES.GCM.open(box, using: key, authenticating: context)
      else { return nil }
      return Bytes(plain)
    }

    /// `nil` if it cannot be encrypted, as for want of memory.
    private func box(_ plain: UnsafeRawBufferPointer, _ context: [UInt8], _ nonce: [UInt8]?) -> Data? {
      // `try?`, twice: only a nonce of another length is refused, and what needs too much memory.
      try? AES.GCM.seal(
        plain, using: key, nonce: nonce.map { try AES.GCM.Nonce(data: $0) }, authenticating: context
      ).combined
    }
  }
#endif
