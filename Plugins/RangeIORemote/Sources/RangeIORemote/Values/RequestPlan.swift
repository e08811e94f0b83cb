/// A request that a machine wants to be sent.
public struct RequestPlan: Hashable, Sendable {
  /// The methods that are used.
  public enum Method: String, Hashable, Sendable {
    /// Only the head.
    case head = "HEAD"
    /// Head and body.
    case get = "GET"
    /// What is at a URL, and directly below it (RFC 4918, section 9.1). Changes nothing at the server.
    case propfind = "PROPFIND"
  }

  /// The method.
  public let method: Method
  /// The fields and the body of PROPFIND; `nil` for other methods.
  public let properties: PropertyRequest?
  /// Where to.
  public let url: ObjectURL
  /// The bytes that are asked for; `nil`: all, or ``suffix``.
  public let range: Range<Int>?
  /// So many bytes at the end are asked for.
  public let suffix: Int?
  /// A strong tag in its quotes, which the object must still have.
  public let ifMatch: String?
  /// The version to be read, of stores that keep versions. An authority puts it into the query.
  public let versionID: String?
  /// Caches on the way are to ask the origin.
  public let passesCaches: Bool
  /// Headers and credentials of the caller may be sent along. If not, send ``fields`` and no more.
  let mayCarryCredentials: Bool
  /// The fields that the sender adds: `User-Agent`, and the caller's fields where they may go. A part of ``fields``.
  var additionalFields = HeaderFields()
  /// The cookies that redirects have set, beside those of the caller. A part of ``fields``.
  var cookie: String?

  /// A request; see the properties.
  ///
  /// - Parameter properties: are asked for by PROPFIND, in place of `method`.
  init(
    _ method: Method, _ url: ObjectURL, range: Range<Int>? = nil, suffix: Int? = nil, ifMatch: String? = nil,
    versionID: String? = nil, passesCaches: Bool = false, mayCarryCredentials: Bool = true,
    asking properties: PropertyRequest? = nil
  ) {
    self.method = properties == nil ? method : .propfind
    self.properties = properties
    self.url = url
    self.range = range
    self.suffix = suffix
    self.ifMatch = ifMatch
    self.versionID = versionID
    self.passesCaches = passesCaches
    self.mayCarryCredentials = mayCarryCredentials
  }

  /// The fields that say all this, and those that the sender adds. `Host` is still to be added.
  public var fields: HeaderFields {
    // Ranges of an encoded body could not be put together.
    var fields = HeaderFields(reserving: 5 + additionalFields.count)
    fields.add(HeaderFields.Field(name: "Accept-Encoding", value: "identity"))
    if let range {
      fields.add(HeaderFields.Field(name: "Range", value: "bytes=\(range.lowerBound)-\(range.upperBound - 1)"))
    }
    if let suffix { fields.add(HeaderFields.Field(name: "Range", value: "bytes=-\(suffix)")) }
    if let ifMatch { fields.add(HeaderFields.Field(name: "If-Match", value: ifMatch)) }
    if passesCaches {
      fields.add(HeaderFields.Field(name: "Cache-Control", value: "no-cache"))
      // For caches of HTTP/1.0 (RFC 9111, section 5.4).
      fields.add(HeaderFields.Field(name: "Pragma", value: "no-cache"))
    }
    for field in properties?.fields.all ?? [] { fields.add(field) }
    for field in additionalFields.all { fields.add(field) }
    // A request has one such field (RFC 6265, 5.4).
    if let cookie { fields.set("Cookie", fields["Cookie"].map { "\($0); \(cookie)" } ?? cookie) }
    return fields
  }
}
