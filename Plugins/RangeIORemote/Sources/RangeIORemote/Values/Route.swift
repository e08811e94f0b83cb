/// Where requests for an object go at present: to its own URL, or to the one that redirects led to.
struct Route: Hashable, Sendable {
  /// The URL that the user gave.
  let origin: ObjectURL
  /// Where requests go.
  private(set) var target: ObjectURL
  /// Credentials and headers of the caller may go there. False for good once a redirect has led to another origin, also
  /// if a later one leads back.
  private(set) var mayCarryCredentials = true
  /// When to begin at the origin again, in seconds since 1970; `nil`: never.
  private(set) var expiry: Int?

  /// No redirect is known.
  init(origin: ObjectURL) {
    self.origin = origin
    target = origin
  }

  /// Requests go elsewhere than to the URL that the user gave.
  var isRedirected: Bool { target != origin }

  /// This route, or the one that begins at the origin again if this one has expired.
  func kept(at now: Int) -> Route {
    guard let expiry, expiry <= now else { return self }
    return Route(origin: origin)
  }

  /// The longest that a temporary redirect is kept of which nothing says how long it holds.
  static let assumedLifetime = 300

  /// This route after one more redirect.
  ///
  /// - Parameters:
  ///   - url: where the request was sent, if not to ``target``.
  ///   - isPermanent: 301 and 308.
  ///   - lifetime: what `Cache-Control` says of the redirect, in seconds; zero: not to be kept after this read.
  func redirected(
    from url: ObjectURL? = nil, to target: ObjectURL, isPermanent: Bool, lifetime: Int?, at now: Int
  ) -> Route {
    var route = self
    route.target = target
    if target.origin != (url ?? self.target).origin { route.mayCarryCredentials = false }
    var ends: [Int] = []
    if let expiry { ends.append(expiry) }
    if let signed = target.expiry {
      // Not at the last moment: the request has yet to arrive.
      ends.append(signed - min(30, max(0, signed - now) / 10))
      if let lifetime { ends.append(now + lifetime) }
    } else if let lifetime {
      ends.append(now + lifetime)
    } else if !isPermanent {
      ends.append(now + Self.assumedLifetime)
    }
    route.expiry = ends.min()
    return route
  }
}
