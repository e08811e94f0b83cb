internal import RangeIO

/// The redirects that one request meets in a row.
struct Redirects: Hashable, Sendable {
  /// The same place with other cookies is another.
  private struct Place: Hashable, Sendable {
    let url: ObjectURL
    let cookie: String?
  }
  private var visited: [Place] = []

  /// Statuses that lead elsewhere with the same method. 303 as well, but for PROPFIND: it would make a GET of it.
  static func isRedirect(_ status: Int, of method: RequestPlan.Method? = .get) -> Bool {
    [301, 302, 307, 308].contains(status) || status == 303 && method != .propfind
  }

  /// The route after a redirect, or why it cannot be followed.
  ///
  /// - Parameters:
  ///   - plan: the request that was redirected.
  ///   - url: where it was sent.
  ///   - cookies: the cookies that are set now. A route that needs some is not kept.
  mutating func follow(
    _ head: ResponseHead, to plan: RequestPlan, sentTo url: ObjectURL, from route: Route, _ cookies: RedirectCookies,
    _ rules: TransferRules, at now: Int
  ) -> Result<Route, Failure> {
    guard let location = head.fields["Location"], !location.isEmpty else {
      return .failure(
        Failure(.redirectWithoutLocation, "the server answered \(head.status) without a Location: it leads nowhere"))
    }
    if visited.isEmpty { visited.append(Place(url: url, cookie: plan.cookie)) }
    let next: ObjectURL
    do throws(ReadError) {
      next = try url.resolve(location)
    } catch {
      return .failure(
        Failure(.redirectWithoutLocation, "the server redirected to what is no URL of HTTP (\(head.status))"))
    }
    guard next.scheme == .https || url.scheme == .http else {
      return .failure(
        Failure(
          .insecureRedirect, "the server redirected from https to http, to \(next.origin): that is not followed"))
    }
    let place = Place(url: next, cookie: cookies.field(for: next.origin))
    guard !visited.contains(place) else {
      return .failure(Failure(.redirectLoop, "the server redirects in a loop, again to \(next.origin)"))
    }
    guard visited.count <= rules.redirects else {
      return .failure(Failure(.tooManyRedirects, "the server redirected more than \(rules.redirects) times"))
    }
    visited.append(place)
    return .success(
      route.redirected(
        from: url, to: next, isPermanent: head.status == 301 || head.status == 308,
        lifetime: place.cookie == nil ? head.lifetime : 0, at: now))
  }
}
