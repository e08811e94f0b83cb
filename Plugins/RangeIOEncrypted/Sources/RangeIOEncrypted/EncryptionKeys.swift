#if Encrypted
  /// Gives the keys that a disk tier encrypts with, by their numbers: such as ``EncryptionKeys``, or one of your own that asks the
  /// system's key store.
  ///
  /// **What you must do.** Answer at once, from any thread: the keys of a directory are asked for when it is opened, for each
  /// file, and the current one with each new file. One number means one key, for good.
  public protocol EncryptionKeyProvider: Sendable {
    /// The number of the key that new files are encrypted with. It may change while a directory is open.
    var current: UInt32 { get }

    /// Returns the key of this number: 32 random bytes. `nil` if there is none: files that were encrypted with it are not read
    /// then, which costs cache misses. A key of another length counts as none.
    func key(_ number: UInt32) -> [UInt8]?
  }

  /// Keys that the program has.
  ///
  /// ```swift
  /// let keys = try EncryptionKeys([1: old, 2: new], current: 2)
  /// ```
  ///
  /// To change the key, add the new one and make it the current one. What was encrypted with the old one is still found. Leave
  /// the old one out when nothing of it is needed: see `DiskEncryption.olderKeysLast`.
  public struct EncryptionKeys: EncryptionKeyProvider {
    /// Why keys cannot be used.
    public enum Fault: Error, Hashable {
      /// A key has not 32 bytes.
      case length
      /// The current one is none of them.
      case noCurrent
    }

    /// The number of the key that encrypts.
    public let current: UInt32
    private let keys: [UInt32: [UInt8]]

    /// Creates a set of keys.
    ///
    /// - Parameters:
    ///   - keys: of 32 random bytes, by numbers of your choice. The numbers are written beside what was encrypted.
    ///   - current: the number of the key that encrypts.
    public init(_ keys: [UInt32: [UInt8]], current: UInt32) throws(Fault) {
      guard keys.values.allSatisfy({ $0.count == 32 }) else { throw .length }
      guard keys[current] != nil else { throw .noCurrent }
      (self.keys, self.current) = (keys, current)
    }

    /// The key of this number, if it is one of these.
    public func key(_ number: UInt32) -> [UInt8]? { keys[number] }
  }

  extension EncryptionKeys.Fault: CustomStringConvertible {
    /// The fault, and what to do about it.
    public var description: String {
      switch self {
      case .length: "a key has not 32 bytes: make each of so many random bytes"
      case .noCurrent: "the key that is to encrypt is none of the keys: name one of their numbers as 'current'"
      }
    }
  }

  extension EncryptionKeys: CustomStringConvertible, CustomReflectable {
    /// The numbers; never a key.
    public var description: String { "EncryptionKeys(\(keys.keys.sorted()), current: \(current))" }

    /// Shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }
#endif
