#if SharedCache
  internal import RangeIOSupport

  /// Keys for encrypting values with AES-GCM. Without them, anyone who reaches the engine can read and forge its values.
  ///
  /// To change keys, first give every process the new one beside the old. Then make it the current one. Leave the old
  /// one out when the lifetime of values is over.
  public struct SharedCacheKeys: Sendable {
    /// Why keys cannot be used.
    public enum Fault: Error, Hashable {
      /// A key has neither 16 nor 32 bytes.
      case length
      /// The current one is none of them.
      case noCurrent
    }

    /// The id of the key that encrypts.
    public var current: UInt32 { keys.current }
    private let keys: NumberedKeys

    /// Creates a set of keys.
    ///
    /// - Parameters:
    ///   - keys: of 16 or 32 bytes (AES-128, AES-256), by ids of your choice, which are written beside each value.
    ///   - current: the id of the key that encrypts.
    public init(_ keys: [UInt32: [UInt8]], current: UInt32) throws(Fault) {
      do throws(NumberedKeys.Fault) {
        self.keys = try NumberedKeys(keys, current: current, lengths: [16, 32])
      } catch {
        throw error == .length ? .length : .noCurrent
      }
    }

    /// The cipher of this id; `nil` if there is no such key.
    subscript(id: UInt32) -> GCMCipher? { keys[id] }
  }

  extension SharedCacheKeys.Fault: CustomStringConvertible {
    /// The fault, and what to do about it.
    public var description: String {
      switch self {
      case .length: "a key has neither 16 nor 32 bytes: make each of so many random bytes"
      case .noCurrent: "the key that is to encrypt is none of the keys: name one of their ids as 'current'"
      }
    }
  }

  extension SharedCacheKeys: CustomStringConvertible, CustomReflectable {
    /// The ids; never a key.
    public var description: String { "SharedCacheKeys(\(keys.numbers), current: \(current))" }

    /// Shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }
#endif
