extension DescriptionMachine {
  mutating func answeredHead(_ head: ResponseHead, at now: Int) -> TransferStep {
    switch head.status {
    case 200:
      if portalFailure(head) != nil { return probe(suspecting: .headLies, at: now) }
      headMarks = head.marks(context.rules)
      saidEmpty = head.contentLength == .bytes(0)
      if let known, known.isNamed(by: head, context.rules) {
        return finish(head, size: known.size, acceptsRanges: nil, at: now)
      }
      let isOfEncoded =
        (head.isEncoded && !context.rules.acceptsEncoded) || head.entityTag?.namesEncoding ?? false
      guard !isOfEncoded, case .bytes(let size) = head.contentLength, size > 0 else {
        // Some send no length to HEAD, some zero, some that of what they would have compressed.
        return probe(suspecting: saidEmpty && !isOfEncoded ? nil : .headLies, at: now)
      }
      // It may have changed, or HEAD shows another tag than GET.
      if let known, !known.isSame(as: ObjectVersion(head.versionIdentifier(context.rules), size: size)) {
        doubtsHead = true
        return probe(suspecting: nil, at: now)
      }
      return finish(head, size: size, acceptsRanges: head.claimsRanges ? true : nil, at: now)
    // The proxy, or the network, refuses GET as well.
    case 407, 511: return .fail(context.statusFailure(at: now))
    // It is the answer to something else.
    case 206: return probe(suspecting: nil, at: now)
    // Whether the object is there, and may be read, GET decides.
    default: return probe(suspecting: .refusesHead, at: now)
    }
  }

  /// Goes on with GET, at the origin again: what HEAD was redirected to need not be for GET.
  mutating func probe(suspecting lesson: Habits.Lesson?, at now: Int) -> TransferStep {
    suspectedOfHead = lesson
    phase = .probe
    return start(at: now)
  }

  mutating func answeredRange(_ head: ResponseHead, at now: Int) -> TransferStep {
    switch (head.status, head.contentRange) {
    case (206, let range?), (200, let range?):
      return answeredPart(head, range, at: now)
    case (206, nil):
      return refused(head.fault(context.rules) ?? ReadMachine.withoutContentRange, at: now)
    case (200, nil):
      return answeredWhole(head, at: now)
    case (416, .unsatisfied(total: 0)?):
      return finish(head, size: 0, acceptsRanges: true, at: now)
    case (416, .unsatisfied(let total)?):
      // It has become shorter.
      if context.rules.isAppendOnly, case .range(let range) = phase, total <= range.lowerBound {
        return finish(head, size: total, acceptsRanges: true, at: now)
      }
      return refused(
        Failure(.rangeRefused, "the server refused the first byte (416) of an object of \(total) bytes"), at: now)
    // It does not say how many bytes there are: none, or ranges are refused altogether.
    case (416, _) where saidEmpty: return finish(head, size: 0, acceptsRanges: true, at: now)
    // Past the end, or ranges are refused altogether: the first byte tells.
    case (416, _):
      if case .range(let range) = phase, range.lowerBound > 0 { return probe(suspecting: suspectedOfHead, at: now) }
      return askForWhole(at: now)
    case (500, _): return askForWhole(at: now)
    case (let status, _) where Self.mayRefuseRange.contains(status): return askForWhole(at: now)
    default:
      return .fail(context.statusFailure(at: now))
    }
  }

  /// A range from another place than the start was refused, or answered with nonsense: the first byte decides.
  private mutating func refused(_ failure: Failure, at now: Int) -> TransferStep {
    switch phase {
    case .suffix: return probe(suspecting: suspectedOfHead, at: now)
    case .range(let range) where range.lowerBound > 0: return probe(suspecting: suspectedOfHead, at: now)
    case .range, .head, .probe, .whole: return .fail(failure)
    }
  }

  /// The statuses that some servers answer to ranges, of all objects or of those without bytes. The answer to a GET
  /// without a range is the one that browsers get.
  static let mayRefuseRange: Set = [204, 400, 416, 501]

  private mutating func askForWhole(at now: Int) -> TransferStep {
    refusal = context.head?.status
    phase = .whole
    return start(at: now)
  }

  private mutating func answeredPart(_ head: ResponseHead, _ range: ContentRange, at now: Int) -> TransferStep {
    if let fault = head.fault(context.rules) { return .fail(fault) }
    guard case .range(let bytes, let total) = range else {
      // One store answers so if there are no bytes.
      if head.contentLength == .bytes(0) { return askForWhole(at: now) }
      return refused(ReadMachine.invalidContentRange, at: now)
    }
    var wanted = bytes
    switch phase {
    case .range(let range): wanted = range
    case .probe: wanted = 0..<1
    case .suffix, .head, .whole: break
    }
    guard bytes.lowerBound == wanted.lowerBound else {
      let asked = ReadMachine.text(wanted)
      return refused(
        Failure(.otherRange, "the server answered bytes \(asked) with bytes from \(bytes.lowerBound) on"), at: now)
    }
    guard total != nil || context.rules.isAppendOnly else { return refused(Self.withoutSize, at: now) }
    if case .bytes(let length) = head.contentLength, length != bytes.count {
      return .fail(ReadMachine.contradiction(length, bytes))
    }
    let kept = phase == .probe ? 0..<0 : bytes.lowerBound..<min(bytes.upperBound, wanted.upperBound)
    return finish(
      head, size: total ?? bytes.upperBound, isSizeTold: total != nil, acceptsRanges: true,
      taking: kept.count <= Opening.maxBytes ? kept : 0..<0, of: bytes, at: now)
  }

  /// 200 (207 to PROPFIND) and the whole object, or its beginning as far as it is wanted.
  mutating func answeredWhole(_ head: ResponseHead, at now: Int) -> TransferStep {
    let status = context.plan?.method == .propfind ? 207 : 200
    guard head.status == status else { return .fail(context.statusFailure(at: now)) }
    if let portal = portalFailure(head) { return .fail(portal) }
    if let fault = head.fault(context.rules) { return .fail(fault) }
    // Some caches answer only the first request with the whole.
    if case .range = phase, !context.rules.isAppendOnly, head.claimsRanges,
      case .bytes(let size) = head.contentLength, size > context.rules.prefixLimit
    {
      return probe(suspecting: suspectedOfHead, at: now)
    }
    if head.contentLength != .bytes(0) {
      // A server that failed may well have ranges.
      if phase != .whole { context.learn(.ignoresRanges) } else if refusal != 500 { context.learn(.refusesRanges) }
    }
    guard case .bytes(let size) = head.contentLength else {
      // Its end tells how long it is.
      return finish(head, size: nil, acceptsRanges: false, taking: 0..<context.rules.maxWhole, of: 0..<0, at: now)
    }
    // What fits is kept, and so has ranges.
    var kept = 0..<0
    if wantsAll || phase != .probe && size <= min(context.rules.prefixLimit, Opening.maxBytes) {
      kept = 0..<size
    } else if case .range(let range) = phase,
      (context.rules.isAppendOnly ? min(size, range.upperBound) : range.upperBound) <= context.rules.prefixLimit
    {
      kept = range.clamped(to: 0..<size)
    }
    return finish(
      head, size: size, acceptsRanges: size == 0 ? nil : false, taking: kept, of: 0..<size, at: now)
  }

  /// - Parameters:
  ///   - size: `nil`: as many bytes as come.
  ///   - kept: the bytes to take of the body, which has those of `body`.
  private mutating func finish(
    _ head: ResponseHead, size: Int?, isSizeTold: Bool = true, acceptsRanges: Bool?, taking kept: Range<Int> = 0..<0,
    of body: Range<Int> = 0..<0,
    at now: Int
  ) -> TransferStep {
    if phase != .head, let suspectedOfHead { context.learn(suspectedOfHead) }
    if acceptsRanges == true, context.habits.ignoresRanges { context.learn(.honoursRanges) }
    var marks = head.marks(context.rules)
    // A 416 need not carry the tag.
    if head.status == 416, marks.identifier(context.rules) == .unknown, let headMarks { marks = headMarks }
    let identifier = marks.identifier(context.rules)
    let isSettled = head.isSettled(identifier, at: now + (context.habits.clockOffset ?? 0))
    var version = ObjectVersion(identifier, size: size ?? 0, trustsTime: context.rules.judgesByTime && isSettled)
    // What HEAD says of it need not hold for GET.
    if context.rules.acceptsEncoded, phase != .head, head.status != 416 {
      version = version.encoded(as: head.coding ?? "")
    }
    if doubtsHead, version == known { context.learn(.headLies) }
    var found = ObjectDescription(
      version: version, marks: marks, isSettled: isSettled, acceptsRanges: acceptsRanges, route: context.route,
      contentType: head.fields["Content-Type"])
    found.isSizeTold = isSizeTold
    endTellsSize = size == nil
    guard size != nil else {
      guard wantsAll || context.rules.findsSizeByEnd else { return .fail(Self.withoutSize) }
      coming = found
      return .receive(BodyPlan(skip: 0, take: kept.count + 1, rest: nil))
    }
    // What may change unseen is read when it is wanted. What only grows does not change.
    guard isSettled || wantsAll || context.rules.isAppendOnly, !kept.isEmpty else { return .described(found) }
    found.bytes = kept
    let plan = BodyPlan(
      skip: kept.lowerBound - body.lowerBound, take: kept.count, rest: body.upperBound - kept.upperBound)
    // What grows is compared with what came, before it is described.
    guard wantsAll || context.rules.isAppendOnly else { return .open(found, plan) }
    coming = found
    return .receive(plan)
  }

  static let withoutSize = Failure(
    .sizeUnknown,
    "the server does not say how long the object is: ranges of it cannot be read; read it whole, once, with "
      + "rangeio cat or copy, or by readAll in a program")

  /// A portal answers every URL with its page of HTML, which has neither tag nor date. So does `rangeio serve` for its
  /// directories; an object of its has ranges.
  private func portalFailure(_ head: ResponseHead) -> Failure? {
    guard head.isHTML, head.versionIdentifier(context.rules) == .unknown else { return nil }
    guard !head.isOfServe || head.fields["Accept-Ranges"] != nil else { return .listing }
    let path = HTTPText.lower(context.route.origin.path)
    guard ![".html", ".htm", ".xhtml", "/"].contains(where: { path.hasSuffix($0) }) else { return nil }
    return Failure.portal(context.route)
  }
}

extension ResponseHead {
  /// The server says that it has ranges.
  fileprivate var claimsRanges: Bool { fields["Accept-Ranges"].map { HTTPText.areEqual($0, "bytes") } ?? false }
}

extension ObjectVersion {
  /// True if an answer to HEAD that says no length shows this version all the same.
  fileprivate func isNamed(by head: ResponseHead, _ rules: TransferRules) -> Bool {
    head.contentLength == .unsaid && identifier.isStrong && head.versionIdentifier(rules) == identifier
  }
}

extension Failure {
  static let listing = Failure(
    .listing, "this is a directory of rangeio serve: name an object in it, or add ?format=json to read what is there")

  static func portal(_ route: Route) -> Failure {
    Failure(
      .html,
      "\(route.target.origin) answered with a page of HTML in place of the object: "
        + "it may want a login; open the URL in a browser")
  }
}
