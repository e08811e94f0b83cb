/// What PROPFIND sends in place of a GET: RFC 4918, section 9.1. It is sent again, and redirected, as GET is.
public struct PropertyRequest: Hashable, Sendable {
  /// The fields beside those of every request: `Depth`, `Content-Type`.
  public let fields: HeaderFields
  /// The names of the wanted properties, in XML; empty: the server chooses.
  public let body: [UInt8]

  /// A request.
  public init(fields: HeaderFields, body: [UInt8]) {
    self.fields = fields
    self.body = body
  }
}
