extension SourceDescription {
  /// The difference between an earlier version of a source and a later one. No case will be added.
  public enum Change: Hashable, Sendable {
    /// The same bytes.
    case same
    /// The earlier bytes are still there, and more follow them.
    case extends
    /// Anything else. Bytes of the two versions must not be mixed.
    case other
  }
}

extension SourceDescription {
  /// An opaque value that tells versions of a source apart: an ETag, a generation number, the times of a file.
  ///
  /// A source without a validator can be read, but its bytes can be neither checked nor kept on disk.
  public protocol Validator: Sendable {
    /// The change from this version to `newer`. Return ``SourceDescription/Change/other`` when in doubt, and for a validator of
    /// another type. Compare text by its bytes, `Array(etag.utf8)`: Swift strings with different bytes can be equal.
    func change(to newer: any Validator) -> Change

    /// This version as at most 4,096 bytes, for a cache on a disk. Two validators of one source with the same bytes
    /// must mean the same version, also in another process and years from now. Empty or `nil` means that the version
    /// cannot be stored: its bytes are kept in memory only. By default `nil`.
    var persistentForm: [UInt8]? { get }
  }
}

extension SourceDescription.Validator {
  /// `nil`: cannot be stored.
  public var persistentForm: [UInt8]? { nil }
}

/// A validator that can explain, in an error's message, how a newer version differs.
package protocol ExplainedValidator: SourceDescription.Validator {
  /// As in "the file shrank"; `nil` for a validator of another type.
  func difference(to newer: any SourceDescription.Validator) -> String?
}

/// A validator that knows when the bytes last changed.
package protocol DatedValidator: SourceDescription.Validator {
  /// In whole seconds since 1970; `nil` if it is not known.
  var modifiedSeconds: Int? { get }
}

extension SourceDescription {
  /// When the bytes last changed, in whole seconds since 1970, as far as the source says.
  package var modifiedSeconds: Int? { (validator as? any DatedValidator)?.modifiedSeconds }
}

/// The context in the description of a source that never has a version, so that no change of it shows: a block device.
final class TracelessChanges: Sendable {
  static let shared = TracelessChanges()

  private init() {}

  /// The error for a reader of `source` that is to turn to new versions.
  static func refusal(_ source: SourceDescription) -> ReadError {
    ReadError(
      .invalidConfiguration,
      "a block device has no version, so a change of it cannot be seen: open it without onChange: .refresh, and open a "
        + "new reader for what is on it by then", context: .init(source: source.name))
  }
}
