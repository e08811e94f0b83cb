public import RangeIO

extension Failure {
  /// The kind of failure as readers know it.
  public var code: ReadError.Code {
    switch reason {
    case .invalidURL: .invalidConfiguration
    case .notFound, .gone: .notFound
    case .unauthorized, .forbidden, .proxyAuthentication, .credentials: .permissionDenied
    case .changed: .sourceChanged
    case .ignoresRanges, .sizeUnknown, .listing: .unsupportedSource
    case .rangeRefused, .missingContentRange, .invalidContentRange, .otherRange, .multipart, .unexpectedStatus,
      .contentEncoded, .lengthContradicted, .validatorMissing, .staleAnswer, .html, .tooManyRedirects, .redirectLoop,
      .insecureRedirect, .redirectWithoutLocation, .giantHeaders, .malformed, .other:
      .invalidResponse
    case .busy, .serverError, .unresolved, .refused, .tls, .reset, .truncated, .stalled, .tooSlow, .tooManyCuts:
      .inputOutput
    case .connectTimeout, .headTimeout, .deadline: .timedOut
    case .closed: .closed
    }
  }

  /// The error that a read throws.
  ///
  /// - Parameters:
  ///   - source: what the user calls the object, without secrets.
  ///   - range: the bytes that were being read.
  ///   - cause: the error below, such as the client's. It must be free of secrets too.
  public func readError(source: String?, range: Range<Int>? = nil, cause: (any Error)? = nil) -> ReadError {
    var error = ReadError(code, text, isTransient: isTransient, source: source, range: range, cause: cause)
    error.retryAfter = retryAfter
    return error
  }
}
