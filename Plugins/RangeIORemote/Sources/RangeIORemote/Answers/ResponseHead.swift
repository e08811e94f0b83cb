/// Status and fields of an answer, and what they say.
public struct ResponseHead: Hashable, Sendable {
  /// The status code.
  public let status: Int
  /// All fields.
  public let fields: HeaderFields
  /// A proxy answers for the server, so the answer may be its own.
  let isForwarded: Bool

  /// A head, as for tests of an authority.
  public init(status: Int, fields: HeaderFields) { self.init(status: status, fields: fields, isForwarded: false) }

  init(status: Int, fields: HeaderFields, isForwarded: Bool) {
    self.status = status
    self.fields = fields
    self.isForwarded = isForwarded
  }
}

extension ResponseHead {
  /// The length of a body, as the answer's head says it.
  enum Length: Hashable, Sendable {
    case unsaid
    case bytes(Int)
    /// Several lengths, or no number.
    case contradictory
  }

  /// `Content-Length`; equal values that were sent twice are one (RFC 9112, section 6.3).
  var contentLength: Length {
    let fields = fields.values(of: "Content-Length")
    // Nearly always one number.
    if fields.count == 1, let length = HTTPText.number(fields[0]) { return .bytes(length) }
    let values = fields.flatMap { $0.split(separator: ",") }.map { HTTPText.trimmed($0) }
    guard let first = values.first else { return .unsaid }
    guard let length = HTTPText.number(first), values.allSatisfy({ HTTPText.number($0) == length }) else {
      return .contradictory
    }
    return .bytes(length)
  }

  /// HTTP itself says where the body ends, rather than the end of the connection.
  var isFramed: Bool {
    contentLength != .unsaid
      || fields.values(of: "Transfer-Encoding").contains { HTTPText.lower($0).contains("chunked") }
  }

  /// The codings of HTTP (IANA's registry, but for `identity`), which clients undo. Whatever else stores give back of what
  /// an object was uploaded with (`UTF-8`, `binary`, `aws-chunked`) changes no byte.
  private static let codings: Set<String> = [
    "aes128gcm", "br", "compress", "dcb", "dcz", "deflate", "exi", "gzip", "pack200-gzip", "x-compress", "x-gzip",
    "zstd",
  ]

  /// The coding of the body; `nil` if it has none.
  var coding: String? { Self.coding(fields.values(of: "Content-Encoding")) }

  private static func coding(_ values: [String]) -> String? {
    values.flatMap { $0.split(separator: ",") }
      .map { HTTPText.lower(HTTPText.trimmed($0)) }.first { codings.contains($0) }
  }

  /// The body has another coding than what is stored.
  func isRecoded(_ rules: TransferRules) -> Bool {
    let stored = rules.codingField.map { fields.values(of: $0) } ?? []
    return !stored.isEmpty && Self.coding(stored) != coding
  }

  /// The body has a ``coding``.
  var isEncoded: Bool { coding != nil }

  /// The first value of `Content-Type`, without parameters, in lower case.
  private var mediaType: String? {
    fields["Content-Type"]?.split(separator: ";").first.map { HTTPText.lower(HTTPText.trimmed($0)) }
  }

  /// The body has parts, each with a range. Any other `multipart/` is the type of the object.
  var isMultipart: Bool { mediaType == "multipart/byteranges" }

  var isHTML: Bool { mediaType == "text/html" || mediaType == "application/xhtml+xml" }

  /// `rangeio serve` made this answer.
  var isOfServe: Bool { fields["Server"] == "rangeio" }

  var entityTag: EntityTag? { fields["ETag"].flatMap(EntityTag.init) }

  var lastModified: HTTPDate? { fields["Last-Modified"].flatMap { HTTPDate($0) } }

  /// The version by the field that names it in this store; `null` is what was stored before the store kept versions.
  func versionID(_ rules: TransferRules) -> ExactText? {
    rules.versionField.flatMap { fields[$0] }.flatMap { $0.isEmpty || $0 == "null" ? nil : ExactText($0) }
  }

  /// The server's clock; `nil` for an answer that comes out of a cache.
  var clock: Int? {
    if let age = fields["Age"], HTTPText.number(age) != 0 { return nil }
    return fields["Date"].flatMap { HTTPDate($0) }?.secondsSince1970
  }

  /// The time for which a redirect may be kept, in seconds; `nil`: nothing says so.
  var lifetime: Int? {
    let directives = fields.values(of: "Cache-Control").flatMap { $0.split(separator: ",") }.map {
      HTTPText.lower(HTTPText.trimmed($0))
    }
    if directives.contains("no-store") || directives.contains("no-cache") { return 0 }
    return directives.lazy.compactMap { directive in
      directive.hasPrefix("max-age=") ? HTTPText.number(directive.dropFirst(8)).map { min($0, 31_536_000) } : nil
    }.first
  }
}
