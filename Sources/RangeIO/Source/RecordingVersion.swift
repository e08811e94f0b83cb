/// The version of a source that only grows: which recording it is, and its length.
package struct RecordingVersion: ExplainedValidator {
  let recording: UInt64
  let size: Int
  private let kind: String

  /// - Parameters:
  ///   - recording: a number that no other recording of the source has.
  ///   - kind: what messages call the source.
  package init(recording: UInt64, size: Int, of kind: String = "file") {
    (self.recording, self.size, self.kind) = (recording, size, kind)
  }

  /// A longer version extends a shorter one.
  package func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
    guard let newer = newer as? RecordingVersion, newer.recording == recording else { return .other }
    return newer.size == size ? .same : newer.size > size ? .extends : .other
  }

  package func difference(to newer: any SourceDescription.Validator) -> String? { Self.hasEnded(kind) }

  /// For messages.
  package static func hasEnded(_ kind: String = "file") -> String { "the \(kind) was truncated, rewritten or replaced" }
}
