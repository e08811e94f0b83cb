public import RangeIO

/// The bytes that opening a remote object brings along with its size and version, for the first reads: so opening and
/// reading them is one request.
///
/// Name what you read first. Of more than 1 MiB, 1 MiB is requested: the first of a range, the last of a suffix. The bytes
/// come after the description is made: reads of them wait for their own only. They are kept until a read has had them all, or
/// for eight reads after the last has come. They are not kept if `Last-Modified` is less than two seconds
/// old, also with a strong tag.
@nonexhaustive
public enum RemoteOpening: Hashable, Sendable {
  /// These bytes.
  case range(ByteRange)
  /// So many bytes at the end, as for formats whose directory is there.
  case suffix(Int)
  /// None: servers are asked with `HEAD`, and with a `GET` of the first byte where that fails.
  ///
  /// Do not use it where `HEAD` shows a tag, and answers to `GET` another or none: reads fail until the reader is refreshed.
  case head

  /// The first 64 KiB.
  public static let beginning = RemoteOpening.range(0..<65_536)
}
