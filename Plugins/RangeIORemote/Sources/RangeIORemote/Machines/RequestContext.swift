internal import RangeIO

/// The state that machines keep from request to request: the route, the lessons, the mends tried.
struct RequestContext: Hashable, Sendable {
  let rules: TransferRules
  private(set) var habits: Habits
  /// The lessons learnt, each once.
  private(set) var lessons: [Habits.Lesson] = []
  var route: Route
  /// The last request.
  private(set) var plan: RequestPlan?
  /// Where the authority has sent it.
  private var sent: ObjectURL?
  /// The last answer.
  private(set) var head: ResponseHead?
  private var redirects = Redirects()
  private var cookies = RedirectCookies()
  private var mended: Set<Remedy.Kind> = []
  /// Requests have other credentials than the refused ones.
  private var isRenewed = false

  init(_ route: Route, _ rules: TransferRules, _ habits: Habits) {
    self.rules = rules
    self.habits = habits
    self.route = route
  }

  mutating func learn(_ lesson: Habits.Lesson) {
    habits.learn(lesson)
    if !lessons.contains(lesson) { lessons.append(lesson) }
  }

  /// A request that no redirect has led to: it takes the route if that has not expired.
  mutating func begin(
    _ method: RequestPlan.Method, range: Range<Int>? = nil, suffix: Int? = nil,
    version: ObjectVersion.Identifier = .unknown, passesCaches: Bool, asking properties: PropertyRequest? = nil,
    at now: Int
  ) -> RequestPlan {
    redirects = Redirects()
    // Servers judge by their clock when a URL expires.
    route = route.kept(at: now + (habits.clockOffset ?? 0))
    var (tag, id): (String?, String?)
    switch version {
    case .strongTag(let strong): tag = habits.refusesIfMatch ? nil : strong.condition
    case .versionID(let version): id = version.text
    case .weakTag, .lastModified, .unknown: break
    }
    var request = RequestPlan(
      method, route.target, range: range, suffix: suffix, ifMatch: tag, versionID: route.mayCarryCredentials ? id : nil,
      passesCaches: passesCaches || habits.servesStale || rules.isAppendOnly,
      mayCarryCredentials: route.mayCarryCredentials, asking: properties)
    request.cookie = cookies.field(for: route.target.origin)
    begin(request)
    return request
  }

  private mutating func begin(_ request: RequestPlan) {
    plan = request
    sent = nil
  }

  /// The request goes to this URL: an authority may put another in place of that of the plan.
  mutating func sent(to url: ObjectURL) { sent = url }

  /// The same request, to where the last answer redirects.
  mutating func follow(at now: Int) -> Result<RequestPlan, Failure> {
    guard let head, let last = plan else { preconditionFailure("an answer comes after a request") }
    let now = now + (habits.clockOffset ?? 0)
    let url = sent ?? last.url
    cookies.take(head, from: url.origin, at: now)
    return redirects.follow(head, to: last, sentTo: url, from: route, cookies, rules, at: now).map { next in
      route = next
      var request = last.redirected(to: next)
      request.cookie = cookies.field(for: next.target.origin)
      begin(request)
      return request
    }
  }

  /// Notes an answer, and what it tells of the server's clock.
  mutating func received(_ head: ResponseHead, at now: Int) {
    self.head = head
    guard let clock = head.clock else { return }
    let (offset, overflow) = clock.subtractingReportingOverflow(now)
    guard !overflow, abs(offset - (habits.clockOffset ?? 0)) > 10, lessons.count < 16 else { return }
    learn(.clockOffset(seconds: offset))
  }

  /// The authority has to judge the last answer.
  ///
  /// - Parameter isOpening: a description is wanted. Only then it judges 404 too: in mid-read the object was removed.
  func isForAuthority(isOpening: Bool) -> Bool {
    guard rules.hasAuthority, let head, let plan, plan.mayCarryCredentials else { return false }
    return [301, 307, 308, 400, 401, 403, 409, 410, 503].contains(head.status) || (isOpening && head.status == 404)
  }

  /// Returns true if other credentials may help after the last answer. Asked once.
  mutating func asksCredentials() -> Bool {
    guard rules.hasCredentials || rules.hasAuthority, head?.status == 401, plan?.mayCarryCredentials == true else {
      return false
    }
    return permits(.credentials)
  }

  /// Returns true once for each kind of mend.
  mutating func permits(_ mend: Remedy) -> Bool { mended.insert(mend.kind).inserted }

  /// The mend that was asked for is done.
  mutating func hasMended() { isRenewed = mended.contains(.credentials) }

  /// Bytes came: credentials that end after this may be replaced again.
  mutating func gotOn() {
    mended.remove(.credentials)
    isRenewed = false
  }

  /// The failure that the status of the last answer means.
  func statusFailure(at now: Int) -> Failure {
    let failure =
      head?.failure(from: route, sentTo: sent, isAnonymous: rules.isAnonymous, isRenewed: isRenewed, at: now)
      ?? Failure(.malformed, "there was no answer")
    guard plan?.method == .propfind, case .unexpectedStatus(let status) = failure.reason else { return failure }
    return Failure(
      .stated(.unsupportedSource), "the server answered \(status) to PROPFIND: it has no WebDAV there; check the URL")
  }
}

extension RequestPlan {
  /// The same request to another place. A version that only the store itself understands is not repeated elsewhere.
  func redirected(to route: Route) -> RequestPlan {
    RequestPlan(
      method, route.target, range: range, suffix: suffix, ifMatch: ifMatch,
      versionID: route.mayCarryCredentials ? versionID : nil, passesCaches: passesCaches,
      mayCarryCredentials: route.mayCarryCredentials, asking: properties)
  }
}
