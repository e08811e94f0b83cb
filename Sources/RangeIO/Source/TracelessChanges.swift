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
