extension ResponseHead {
  /// The longest `Retry-After` that is believed: a day.
  private static let maxWait = 86_400

  /// The time that the server asks to wait (RFC 9110, section 10.2.3). A date is judged by the answer's own clock,
  /// whatever ours says.
  func retryAfter(at now: Int) -> Duration? {
    guard let value = fields["Retry-After"] else { return nil }
    if let seconds = HTTPText.number(value) { return .seconds(min(seconds, Self.maxWait)) }
    guard let date = HTTPDate(value) else { return nil }
    let (seconds, _) = date.secondsSince1970.subtractingReportingOverflow(clock ?? now)
    return .seconds(min(max(seconds, 0), Self.maxWait))
  }

  /// The failure that the status alone means.
  ///
  /// - Parameters:
  ///   - route: where the request went.
  ///   - sent: the URL that an authority has put in place of that.
  ///   - isAnonymous: whether it had no credentials; a signed URL has some.
  ///   - isRenewed: `true` if it had new credentials, or a new URL, in place of refused ones.
  func failure(
    from route: Route, sentTo sent: ObjectURL? = nil, isAnonymous: Bool = false, isRenewed: Bool = false, at now: Int
  ) -> Failure {
    let expiry = (sent ?? route.target).expiry
    let isAnonymous = isAnonymous && expiry == nil
    let place = route.isRedirected ? " after a redirect to \(route.target.origin)" : ""
    let teller = isForwarded ? "the server, or the proxy before it," : "the server"
    func failure(_ reason: Failure.Reason, _ what: String) -> Failure {
      Failure(reason, "\(teller) answered \(status)\(place): \(what)", retryAfter: retryAfter(at: now))
    }
    // Stores answer 403 to a signed URL that has expired, and Google 400.
    if [400, 401, 403].contains(status), let end = expiry, end <= clock ?? now {
      return failure(.forbidden, "the URL has expired: sign it again")
    }
    switch status {
    case 401 where isRenewed, 403 where isRenewed:
      return failure(
        status == 401 ? .unauthorized : .forbidden,
        "it refuses the new credentials, or the new URL, as it refused those before: check what brings them")
    case 401 where isAnonymous: return failure(.unauthorized, "it does not let everyone read this: pass credentials")
    case 401: return failure(.unauthorized, "give it other credentials")
    case 403 where isOfServe:
      return failure(
        .forbidden,
        "rangeio serve may not read it itself: permit that where it runs, by the file's mode or credentials for its source"
      )
    case 404 where isOfServe:
      return failure(
        .notFound,
        "rangeio serve has nothing to read by this name; names that begin with a dot, and links out of its directory, are not served"
      )
    case 403 where isAnonymous:
      return failure(.forbidden, "it does not let everyone read this: pass credentials, or a URL that is signed")
    case 403: return failure(.forbidden, "these credentials may not read the object, or the URL has expired")
    case 404: return failure(.notFound, "there is no such object")
    case 410: return failure(.gone, "the object was removed")
    case 407:
      return failure(.proxyAuthentication, "the proxy asks for a user and a password: put the right ones into its URL")
    case 408, 425, 500, 502, 504: return failure(.serverError(status), "it failed; try again later")
    case 429, 503: return failure(.busy(status), "it is busy; try again later")
    case 511: return failure(.html, "the network wants a login: log in with a browser")
    case 501, 505: return failure(.unexpectedStatus(status), "it cannot do what is needed to read ranges")
    case 506...: return failure(.serverError(status), "it failed; try again later")
    default: return failure(.unexpectedStatus(status), "that is no answer to a request for a range")
    }
  }

  /// Why a body under this head cannot be bytes of the object, whatever its range; `nil` if nothing speaks against it.
  func fault(_ rules: TransferRules) -> Failure? {
    if isMultipart {
      return Failure(.multipart, "the server answered one range with several parts (multipart/byteranges)")
    }
    if isRecoded(rules) {
      return Failure(
        .contentEncoded,
        "the bytes have \(coding.map { "the encoding \($0)" } ?? "no encoding") (Content-Encoding), and the store keeps "
          + "the object otherwise: turn compression off at the proxy before the store, or ask the store itself")
    }
    if let coding, !rules.acceptsEncoded {
      return Failure(
        .contentEncoded,
        "the bytes have an encoding (Content-Encoding: \(coding)): if the object is stored with it, set acceptsEncoded "
          + "to read it as it is stored; else turn compression off at the server")
    }
    if contentLength == .contradictory {
      return Failure(.lengthContradicted, "the server gave several lengths of one body (Content-Length)")
    }
    return nil
  }
}
