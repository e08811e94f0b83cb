#if Serve
  internal import HTTPTypes

  /// Which pages of other origins may read: cross-origin resource sharing (CORS).
  ///
  /// - Source: the Fetch standard, section 3.3 (https://fetch.spec.whatwg.org/#http-cors-protocol).
  struct AllowedOrigins: Sendable {
    private let origins: Set<String>
    private let isForAll: Bool

    init(_ origins: [String]) {
      self.origins = Set(origins)
      isForAll = origins.contains("*")
    }

    /// The fields that pages may send besides the usual ones, and those of an answer that they see.
    private static let requestFields = "Range, If-Range, If-Match, If-None-Match"
    private static let answerFields = "Content-Range, Content-Length, Accept-Ranges, ETag"

    /// Adds to the answer to `request` what its page needs.
    func complete(_ fields: inout HTTPFields, for request: HTTPRequest) {
      guard isForAll || !origins.isEmpty else { return }
      if !isForAll { fields.append(HTTPField(name: .vary, value: "Origin")) }
      guard let origin = request.headerFields[.origin], isForAll || origins.contains(origin) else { return }
      fields[.accessControlAllowOrigin] = isForAll ? "*" : origin
      fields[.accessControlExposeHeaders] = Self.answerFields
      guard request.method == .options else { return }
      fields[.accessControlAllowMethods] = "GET, HEAD"
      fields[.accessControlAllowHeaders] = Self.requestFields
      fields[.accessControlMaxAge] = "86400"
    }
  }
#endif
