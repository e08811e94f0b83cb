internal import RangeIO
internal import RangeIOSupport

/// The head of an answer to a request for media by their URL, as RFC 9110 has it.
struct MediaAnswer: Equatable {
  let status: Int
  let fields: [String: String]

  /// The bytes that a request asks for.
  ///
  /// - Parameter range: the value of its `Range` field. Only `GET` has ranges (section 14.2), and several of them are
  ///   ignored, which a server may do; so are ranges that depend on a tag (`If-Range`), since answers have none.
  static func span(method: String, range: String?, ifRange: String?) -> LoadingRequests<any Error>.Span {
    guard method == "GET" else { return .nothing }
    guard let only = ranges(range, ifRange: ifRange)?.elements.first else { return .from(0) }
    switch only {
    case .from(let first, through: nil): return .from(first)
    case .from(let first, through: let last?):
      let (count, overflows) = (last - first).addingReportingOverflow(1)
      return .bytes(offset: first, count: overflows ? .max : count)
    case .suffix(let count): return .suffix(count)
    }
  }

  private static func ranges(_ field: String?, ifRange: String?) -> RangeField? {
    guard ifRange == nil, let ranges = field.flatMap({ RangeField($0) }), ranges.elements.count == 1 else { return nil }
    return ranges
  }

  /// The answer to a `GET` or `HEAD`.
  init(
    method: String, range: String?, ifRange: String?, contentType: String,
    _ information: LoadingRequests<any Error>.Information
  ) {
    var fields = ["Accept-Ranges": "bytes", "Content-Type": contentType]
    let size = information.byteCount
    let sent = information.range
    if method == "GET", Self.ranges(range, ifRange: ifRange) != nil {
      status = sent.isEmpty ? 416 : 206
      fields["Content-Range"] =
        sent.isEmpty ? "bytes */\(size)" : "bytes \(sent.lowerBound)-\(sent.upperBound - 1)/\(size)"
      fields["Content-Length"] = "\(sent.count)"
    } else {
      status = 200
      fields["Content-Length"] = "\(size)"
    }
    self.fields = fields
  }

  /// 404: no media have this URL.
  static let notFound = MediaAnswer(status: 404)
  /// 405: the method is neither `GET` nor `HEAD`.
  static let methodNotAllowed = MediaAnswer(status: 405, ["Allow": "GET, HEAD"])

  private init(status: Int, _ fields: [String: String] = [:]) {
    self.status = status
    self.fields = fields.merging(["Content-Length": "0"]) { $1 }
  }
}
