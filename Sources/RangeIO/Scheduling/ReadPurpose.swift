/// Why bytes are read.
public enum ReadPurpose: Hashable, Sendable {
  /// A read waits for them.
  case demand
  /// They may be wanted soon. Goes after demand everywhere.
  case prefetch
}
