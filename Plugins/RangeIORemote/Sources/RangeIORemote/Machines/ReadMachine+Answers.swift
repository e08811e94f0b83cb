extension ReadMachine {
  mutating func answered(_ head: ResponseHead, at now: Int) -> TransferStep {
    if context.habits.refusesRanges, !asksForWhole, DescriptionMachine.mayRefuseRange.contains(head.status) {
      asksForWhole = true
      return send(at: now)
    }
    switch head.status {
    case 206: return answeredPart(head)
    case 200: return answeredWhole(head)
    case let status where Redirects.isRedirect(status):
      switch context.follow(at: now) {
      case .success(let plan): return .send(plan)
      case .failure(let failure): return .fail(failure)
      }
    case 401 where context.asksCredentials(): return .mend(.credentials)
    case 400, 401, 403, 410:
      // A signed URL that has expired: the origin gives a new one.
      if context.route.isRedirected, !resolvedAgain {
        resolvedAgain = true
        context.route = Route(origin: context.route.origin)
        return send(at: now)
      }
      if head.status == 410 { return doubt(.presence, gone(head)) }
      return head.status == 400 ? refusedPerhapsForTag(at: now) : .fail(context.statusFailure(at: now))
    case 404: return doubt(.presence, gone(head))
    case 412: return doubt(.condition, context.statusFailure(at: now))
    case 501: return refusedPerhapsForTag(at: now)
    case 416: return answeredUnsatisfied(head)
    default: return .fail(context.statusFailure(at: now))
    }
  }

  /// 400 and 501: some servers and gateways refuse a request because it has `If-Match`.
  private mutating func refusedPerhapsForTag(at now: Int) -> TransferStep {
    let failure = context.statusFailure(at: now)
    return context.plan?.ifMatch == nil ? .fail(failure) : doubt(.condition, failure)
  }

  /// 206, or 200 with a range: start, end, total, version and length must all agree.
  private mutating func answeredPart(_ head: ResponseHead) -> TransferStep {
    if let fault = head.fault(context.rules) { return .fail(fault) }
    guard let field = head.contentRange else { return .fail(Self.withoutContentRange) }
    guard case .range(let bytes, let total) = field else { return .fail(Self.invalidContentRange) }
    if let doubt = doubtOfVersion(head, total: total) { return doubt }
    if let failure = otherCoding(head) { return .fail(failure) }
    let wanted = range.lowerBound + taken..<range.upperBound
    guard bytes.lowerBound <= wanted.lowerBound, bytes.upperBound > wanted.lowerBound,
      wanted.lowerBound - bytes.lowerBound <= context.rules.skipLimit
    else {
      return .fail(
        Failure(
          .otherRange,
          "the server answered bytes \(Self.text(wanted)) with bytes \(Self.text(bytes)), "
            + "which is another range"))
    }
    if case .bytes(let length) = head.contentLength, length != bytes.count {
      return .fail(Self.contradiction(length, bytes))
    }
    if context.habits.ignoresRanges { context.learn(.honoursRanges) }
    let end = min(bytes.upperBound, wanted.upperBound)
    return .receive(
      BodyPlan(
        skip: wanted.lowerBound - bytes.lowerBound, take: end - wanted.lowerBound, rest: bytes.upperBound - end))
  }

  /// 200: the whole object. Taken only where that costs little.
  private mutating func answeredWhole(_ head: ResponseHead) -> TransferStep {
    if head.contentRange != nil { return answeredPart(head) }
    if head.isHTML,
      head.marks(context.rules).agreement(with: pin) != .same
        || head.contentLength != .bytes(version.size) && !(pin.isStrong && head.contentLength == .unsaid)
    {
      return .fail(Failure.portal(context.route))
    }
    if let fault = head.fault(context.rules) { return .fail(fault) }
    var total: Int?
    if case .bytes(let length) = head.contentLength { total = length }
    if let doubt = doubtOfVersion(head, total: total, isWhole: true) { return doubt }
    if let failure = otherCoding(head) { return .fail(failure) }
    context.learn(.ignoresRanges)
    let isAll = range.count == version.size && taken <= context.rules.prefixLimit
    guard isAll || range.upperBound <= context.rules.prefixLimit else {
      return .fail(
        Failure(
          .ignoresRanges,
          "the server ignores ranges: it answered \(range.count) bytes at \(range.lowerBound) "
            + "with the whole object (200); download it whole, or read it from a server that serves ranges"))
    }
    // What comes before it, and what is there already, comes too.
    return .receive(
      BodyPlan(
        skip: range.lowerBound + taken, take: range.count - taken, rest: total.map { $0 - range.upperBound }))
  }

  /// The bytes have another coding than the bytes of the opening answer of the same version.
  private func otherCoding(_ head: ResponseHead) -> Failure? {
    let coding = head.coding ?? ""
    guard let described = version.coding, described != coding else { return nil }
    func text(_ coding: String) -> String { coding.isEmpty ? "no encoding" : "the encoding \(coding)" }
    return Failure(
      .contentEncoded,
      "the bytes have \(text(coding)) (Content-Encoding), and had \(text(described)) when the object was opened, under "
        + "the same tag: turn compression off at the server, and at proxies before it")
  }

  private mutating func answeredUnsatisfied(_ head: ResponseHead) -> TransferStep {
    if case .unsatisfied(let total)? = head.contentRange, !isPossible(total) {
      return doubt(.version, stale("with another size, \(total) bytes"))
    }
    return doubt(
      .satisfiable,
      Failure(
        .rangeRefused,
        "the server refused bytes \(Self.text(range)) (416), "
          + "though it says that the object has \(version.size) bytes"))
  }

  static func text(_ range: Range<Int>) -> String { "\(range.lowerBound)-\(range.upperBound - 1)" }

  static let withoutContentRange = Failure(
    .missingContentRange, "the server answered 206 without Content-Range, so its bytes may be any")

  static let invalidContentRange = Failure(
    .invalidContentRange, "the server answered with a Content-Range that names no range of bytes")

  static func contradiction(_ length: Int, _ bytes: Range<Int>) -> Failure {
    Failure(
      .lengthContradicted,
      "the server announced bytes \(text(bytes)) (Content-Range) and a body of \(length) bytes "
        + "(Content-Length)")
  }
}
