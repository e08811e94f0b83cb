extension DescriptionMachine {
  mutating func answeredHead(_ head: ResponseHead, at now: Int) -> Action {
    switch head.status {
    case 200:
      if let portal = portalFailure(head) { return .fail(portal) }
      headMarks = head.marks
      saidEmpty = head.contentLength == .bytes(0)
      let isOfEncoded =
        (head.isEncoded && !context.rules.acceptsEncoded) || head.entityTag?.namesEncoding ?? false
      guard !isOfEncoded, case .bytes(let size) = head.contentLength, size > 0 else {
        // Some send no length to HEAD, some zero, some that of what they would have compressed.
        return probe(suspecting: saidEmpty && !isOfEncoded ? nil : .headLies, at: now)
      }
      let ranges = head.fields["Accept-Ranges"].map { HTTPText.areEqual($0, "bytes") } ?? false
      return finish(head, size: size, acceptsRanges: ranges ? true : nil, at: now)
    case 401, 404, 407, 408, 410, 425, 429, 500, 502...504, 505...:
      return .fail(context.statusFailure(at: now))
    // It is the answer to something else.
    case 206: return probe(suspecting: nil, at: now)
    default:
      return probe(suspecting: .refusesHead, at: now)
    }
  }

  /// Goes on with GET, at the origin again: what HEAD was redirected to need not be for GET.
  private mutating func probe(suspecting lesson: Habits.Lesson?, at now: Int) -> Action {
    suspectedOfHead = lesson
    phase = .probe
    return start(at: now)
  }

  mutating func answeredProbe(_ head: ResponseHead, at now: Int) -> Action {
    switch (head.status, head.contentRange) {
    case (206, let range?), (200, let range?):
      return answeredRange(head, range, at: now)
    case (206, nil):
      return .fail(head.fault(context.rules) ?? ReadMachine.withoutContentRange)
    case (200, nil):
      return answeredWhole(head, at: now)
    case (416, .unsatisfied(total: 0)?):
      return finish(head, size: 0, acceptsRanges: true, at: now)
    case (416, .unsatisfied(let total)?):
      return .fail(
        Failure(.rangeRefused, "the server refused the first byte (416) of an object of \(total) bytes"))
    case (416, _):
      if saidEmpty { return finish(head, size: 0, acceptsRanges: true, at: now) }
      // It does not say how many bytes there are: none, or ranges are refused altogether.
      phase = .whole
      return start(at: now)
    default:
      return .fail(context.statusFailure(at: now))
    }
  }

  private mutating func answeredRange(_ head: ResponseHead, _ range: ContentRange, at now: Int) -> Action {
    if let fault = head.fault(context.rules) { return .fail(fault) }
    guard case .range(let bytes, let total) = range else { return .fail(ReadMachine.invalidContentRange) }
    guard bytes.lowerBound == 0 else {
      return .fail(Failure(.otherRange, "the server answered bytes 0-0 with bytes from \(bytes.lowerBound) on"))
    }
    guard let total else { return .fail(Self.withoutSize) }
    if case .bytes(let length) = head.contentLength, length != bytes.count {
      return .fail(ReadMachine.contradiction(length, bytes))
    }
    return finish(head, size: total, acceptsRanges: true, at: now)
  }

  mutating func answeredWhole(_ head: ResponseHead, at now: Int) -> Action {
    guard head.status == 200 else { return .fail(context.statusFailure(at: now)) }
    if let portal = portalFailure(head) { return .fail(portal) }
    if let fault = head.fault(context.rules) { return .fail(fault) }
    guard case .bytes(let size) = head.contentLength else { return .fail(Self.withoutSize) }
    if size > 0 { context.learn(.ignoresRanges) }
    return finish(head, size: size, acceptsRanges: size == 0 ? nil : false, at: now)
  }

  private mutating func finish(
    _ head: ResponseHead, size: Int, acceptsRanges: Bool?, at now: Int
  ) -> Action {
    if phase != .head, let suspectedOfHead { context.learn(suspectedOfHead) }
    if acceptsRanges == true, context.habits.ignoresRanges { context.learn(.honoursRanges) }
    var marks = head.marks
    // A 416 need not carry the tag.
    if head.status == 416, marks.identifier(context.rules) == .unknown, let headMarks { marks = headMarks }
    let identifier = marks.identifier(context.rules)
    let isSettled = head.isSettled(identifier, at: now + (context.habits.clockOffset ?? 0))
    let version = ObjectVersion(identifier, size: size, trustsTime: context.rules.judgesByTime && isSettled)
    return .finish(
      ObjectDescription(
        version: version, marks: marks, isSettled: isSettled, acceptsRanges: acceptsRanges, route: context.route))
  }

  private static let withoutSize = Failure(
    .sizeUnknown, "the server does not say how long the object is: ranges of it cannot be read; download it whole")

  /// A portal answers every URL with its page of HTML, which has neither tag nor date.
  private func portalFailure(_ head: ResponseHead) -> Failure? {
    guard head.isHTML, head.versionIdentifier(context.rules) == .unknown else { return nil }
    let path = HTTPText.lower(context.route.origin.path)
    guard ![".html", ".htm", ".xhtml", "/"].contains(where: { path.hasSuffix($0) }) else { return nil }
    return Failure.portal(context.route)
  }
}

extension Failure {
  static func portal(_ route: Route) -> Failure {
    Failure(
      .html,
      "\(route.target.origin) answered with a page of HTML in place of the object: "
        + "it may want a login; open the URL in a browser")
  }
}
