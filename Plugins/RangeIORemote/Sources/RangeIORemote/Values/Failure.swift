internal import RangeIO

/// Why a read of a remote object failed: what the server did, what to do, and whether to try again.
///
/// Knows no secrets: to make one, use ``ObjectURL/redacted`` and never a field of a request.
struct Failure: Error, Hashable, Sendable {
  /// The cause of a failure.
  enum Reason: Hashable, Sendable {
    /// The URL is none of HTTP, or another setting is impossible.
    case invalidURL
    /// 404.
    case notFound
    /// 410.
    case gone
    /// 401, also with new credentials.
    case unauthorized
    /// 403.
    case forbidden
    /// 407.
    case proxyAuthentication
    /// The object is another version, or no longer there.
    case changed
    /// 200 and the whole object for a part of it.
    case ignoresRanges
    /// 416 for a range that lies within the object.
    case rangeRefused
    /// 206 without `Content-Range`.
    case missingContentRange
    /// 206 with a `Content-Range` that says nothing, or nonsense.
    case invalidContentRange
    /// 206 with a range that does not begin where it should.
    case otherRange
    /// 206 as multipart/byteranges.
    case multipart
    /// An answer to no request.
    case unexpectedStatus(Int)
    /// A `Content-Encoding` despite `Accept-Encoding: identity`.
    case contentEncoded
    /// Lengths that contradict each other or the bytes that came.
    case lengthContradicted
    /// No answer said how long the object is.
    case sizeUnknown
    /// No tag or date in the answer, though the description had one.
    case validatorMissing
    /// Another version than the one that a description shows at the same time.
    case staleAnswer
    /// A page of HTML in place of the object, as of a portal that wants a login.
    case html
    /// A list of names in place of an object.
    case listing
    /// 429 or 503.
    case busy(Int)
    /// 408, 500, 502, 504 and the like.
    case serverError(Int)
    /// More redirects in a row than allowed.
    case tooManyRedirects
    /// A redirect back to where it came from.
    case redirectLoop
    /// A redirect from https to http.
    case insecureRedirect
    /// A redirect without a `Location` that is a URL of HTTP.
    case redirectWithoutLocation
    /// The host's name has no address.
    case unresolved
    /// No process listens there.
    case refused
    /// TLS could not be agreed on.
    case tls
    /// The connection was closed.
    case reset
    /// The connection ended without saying that the body is complete.
    case truncated
    /// No connection in time.
    case connectTimeout
    /// No answer in time.
    case headTimeout
    /// The body stopped coming.
    case stalled
    /// The body came more slowly than allowed.
    case tooSlow
    /// The whole read took longer than allowed.
    case deadline
    /// More header fields than allowed.
    case giantHeaders
    /// An answer that is not HTTP.
    case malformed
    /// Body after body was cut without getting on.
    case tooManyCuts
    /// No credentials could be had.
    case credentials
    /// The source was closed.
    case closed
    /// The code that an authority gave.
    case stated(ReadError.Code)
    /// Another event.
    case other(String)
  }

  /// For programs.
  let reason: Reason
  /// For people: what the server did, then what to do.
  let text: String
  /// The same read may succeed later.
  let isTransient: Bool
  /// The time that the server asks to wait.
  var retryAfter: Duration?

  /// Creates a failure.
  ///
  /// - Parameter isTransient: by default as is usual for the reason.
  init(_ reason: Reason, _ text: String, isTransient: Bool? = nil, retryAfter: Duration? = nil) {
    self.reason = reason
    self.text = text
    self.isTransient = isTransient ?? reason.isUsuallyTransient
    self.retryAfter = retryAfter
  }
}

extension Failure: CustomStringConvertible {
  /// The text.
  var description: String { text }
}

extension Failure.Reason {
  var isUsuallyTransient: Bool {
    switch self {
    case .busy, .serverError, .unresolved, .refused, .reset, .truncated, .connectTimeout, .headTimeout, .stalled,
      .tooSlow, .tooManyCuts, .staleAnswer:
      true
    default: false
    }
  }
}
