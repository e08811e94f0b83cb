/// How you expect to use a range. Affects time only, never the bytes that a read returns.
public enum ReadAdvice: Hashable, Sendable {
  /// It will be read soon.
  case willRead
  /// It will not be read again for a long time.
  case discard
}
