internal import RangeIO

extension Failure {
  /// The failure that an authority finds in an answer.
  init(_ error: ReadError) {
    self.init(
      .stated(error.code), error.message, isTransient: error.isTransient, retryAfter: error.retryAfter)
  }

  /// The kind of failure as readers know it.
  var code: ReadError.Code {
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
    case .stated(let code): code
    }
  }

  /// The error that a read throws.
  ///
  /// - Parameters:
  ///   - source: what the user calls the object, without secrets.
  ///   - range: the bytes that were being read.
  ///   - cause: the error below, such as the client's. It must be free of secrets too.
  func readError(source: String?, range: Range<Int>? = nil, cause: (any Error)? = nil) -> ReadError {
    var error = ReadError(code, text, isTransient: isTransient, source: source, range: range, cause: cause)
    error.retryAfter = retryAfter
    return error
  }
}

extension ReadError {
  /// The same of what is being read, unless it says that itself.
  func naming(_ source: String, _ range: Range<Int>? = nil) -> ReadError {
    guard context == nil else { return self }
    var error = ReadError(code, message, isTransient: isTransient, source: source, range: range, cause: cause)
    error.retryAfter = retryAfter
    return error
  }
}
