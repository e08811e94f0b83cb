#if HTTP
  /// A request as it goes to the server.
  final class WireRequest: Sendable {
    let method: String
    let url: ObjectURL
    let fields: HeaderFields
    /// The bytes that the answer should have.
    let expected: Int
    let body: [UInt8]

    init(method: String, url: ObjectURL, fields: HeaderFields, expected: Int, body: [UInt8] = []) {
      self.method = method
      self.url = url
      self.fields = fields
      self.expected = expected
      self.body = body
    }
  }
#endif
