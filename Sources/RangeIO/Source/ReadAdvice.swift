/// What a user expects of a range. Costs or saves time, never a byte.
public enum ReadAdvice: Hashable, Sendable {
  /// It will be read soon.
  case willRead
  /// It will not be read again for long.
  case discard
}
