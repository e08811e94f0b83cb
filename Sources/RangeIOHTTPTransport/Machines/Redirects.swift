/// The redirects that one request meets in a row.
struct Redirects: Hashable, Sendable {
  private var visited: [ObjectURL] = []

  /// Statuses that lead elsewhere with the same method. 303 as well: only GET and HEAD are sent.
  static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

  /// The route after a redirect, or why it cannot be followed.
  mutating func follow(
    _ head: ResponseHead, from route: Route, _ rules: TransferRules, at now: Int
  ) -> Result<Route, Failure> {
    guard let location = head.fields["Location"], !location.isEmpty else {
      return .failure(
        Failure(.redirectWithoutLocation, "the server answered \(head.status) without a Location: it leads nowhere"))
    }
    if visited.isEmpty { visited.append(route.target) }
    let next: ObjectURL
    do throws(Failure) {
      next = try route.target.resolve(location)
    } catch {
      return .failure(
        Failure(.redirectWithoutLocation, "the server redirected to what is no URL of HTTP (\(head.status))"))
    }
    guard next.scheme == .https || route.target.scheme == .http else {
      return .failure(
        Failure(
          .insecureRedirect, "the server redirected from https to http, to \(next.origin): that is not followed"))
    }
    guard !visited.contains(next) else {
      return .failure(Failure(.redirectLoop, "the server redirects in a loop, again to \(next.origin)"))
    }
    guard visited.count <= rules.redirects else {
      return .failure(Failure(.tooManyRedirects, "the server redirected more than \(rules.redirects) times"))
    }
    visited.append(next)
    return .success(
      route.redirected(
        to: next, isPermanent: head.status == 301 || head.status == 308, lifetime: head.lifetime, at: now))
  }
}
