/// The field in which the target of a request passes the client. It goes no further than the handlers that stand before the
/// network.
///
/// The client makes a target of Foundation's `URL`, which encodes what was not encoded, and has none for bytes that are no
/// UTF-8, such as `%E9`.
enum TargetField {
  /// In lower case.
  static let name = "x-rangeio-target"
}
