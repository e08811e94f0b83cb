/// Finds out what an object is: its size and its version.
///
/// Asks with a GET of some bytes, which come with the description, or with HEAD. Where HEAD is refused or says too little,
/// a GET of the first byte decides. Where a range is refused, a GET of the whole does. Always begins at the URL
/// that the user gave. Events in, actions out; exactly one event follows an action.
struct DescriptionMachine: Hashable, Sendable {
  private let origin: ObjectURL
  private let passesCaches: Bool
  /// Asked for in place of the bytes, if all are wanted.
  private let properties: PropertyRequest?
  /// All bytes are wanted, however many.
  let wantsAll: Bool
  /// The version that was described before: a HEAD that says another is confirmed by GET.
  let known: ObjectVersion?
  private var repeats = 0
  var context: RequestContext
  /// The request under way.
  var phase: Opening
  /// The marks of the version that HEAD showed, if it was answered with 200.
  var headMarks: VersionMarks?
  /// HEAD said that the object has no bytes.
  var saidEmpty = false
  /// Learnt if GET succeeds where HEAD did not.
  var suspectedOfHead: Habits.Lesson?
  /// HEAD showed another version than the one that is known.
  var doubtsHead = false
  /// The status that refused a range, so that all was asked for.
  var refusal: Int?
  /// The description whose bytes are coming.
  var coming: ObjectDescription?
  /// The end of those bytes tells the size.
  var endTellsSize = false

  /// - Parameters:
  ///   - opening: what to begin with. If it is HEAD, habits may have a GET instead.
  ///   - known: the version that was described before; `nil`: none was.
  ///   - passesCaches: whether caches on the way are to ask the origin.
  ///   - properties: asked for in place of the bytes, with the opening ``Opening/whole``.
  init(
    _ origin: ObjectURL, rules: TransferRules, habits: Habits, opening: Opening, known: ObjectVersion? = nil,
    passesCaches: Bool = false, asking properties: PropertyRequest? = nil
  ) {
    self.origin = origin
    self.properties = properties
    self.known = known
    self.passesCaches = passesCaches
    wantsAll = opening == .whole
    context = RequestContext(Route(origin: origin), rules, habits)
    phase = opening == .head && habits.skipsHead ? .probe : opening
  }

  /// The lessons so far, to be kept whatever comes out.
  var lessons: [Habits.Lesson] { context.lessons }

  /// The first event.
  mutating func start(at now: Int) -> TransferStep {
    context.route = Route(origin: origin)
    let plan =
      switch phase {
      case .head: context.begin(.head, passesCaches: passesCaches, at: now)
      case .range(let range): context.begin(.get, range: range, passesCaches: passesCaches, at: now)
      case .suffix(let count): context.begin(.get, suffix: count, passesCaches: passesCaches, at: now)
      case .probe: context.begin(.get, range: 0..<1, passesCaches: passesCaches, at: now)
      case .whole: context.begin(.get, passesCaches: passesCaches, asking: properties, at: now)
      }
    return .send(plan)
  }

  /// A head came. Its body is wanted only with ``TransferStep/receive(_:)`` and ``TransferStep/judge``.
  mutating func received(_ head: ResponseHead, at now: Int) -> TransferStep {
    context.received(head, at: now)
    return context.isForAuthority(isOpening: true) ? .judge : answered(head, at: now)
  }

  /// The authority has judged.
  mutating func judged(_ verdict: RefusalVerdict, at now: Int) -> TransferStep {
    guard let head = context.head else { preconditionFailure("a verdict comes after an answer") }
    switch verdict {
    case .fail(let error): return .fail(Failure(error))
    case .mend(let mend) where context.permits(mend), .mendOrFail(let mend, _) where context.permits(mend):
      return .mend(mend)
    case .mendOrFail(_, let error): return .fail(Failure(error))
    case .mend, .none: return answered(head, at: now)
    }
  }

  /// The mend that was asked for is done.
  mutating func mended(at now: Int) -> TransferStep {
    context.hasMended()
    return start(at: now)
  }

  /// It cannot be mended: the status of the answer says why.
  mutating func mendFailed(at now: Int) -> TransferStep {
    if phase == .head { return probe(suspecting: .refusesHead, at: now) }
    return .fail(context.statusFailure(at: now))
  }

  /// There was no head.
  mutating func failed(_ fault: TransportFault, at now: Int) -> TransferStep {
    // Some applications never answer what they do not know.
    if phase == .head, fault == .headTimeout { return probe(suspecting: .refusesHead, at: now) }
    let mayPass = fault.isCut || (fault.mayBeLeftOver && repeats < TransportFault.maxLeftOver)
    guard mayPass, repeats < context.rules.cuts, let plan = context.plan else { return .fail(fault.failure) }
    repeats += 1
    return .send(plan)
  }

  /// The body that was received ended, after `count` bytes.
  mutating func bodyEnded(_ end: BodyEnd, taken count: Int, at now: Int) -> TransferStep {
    guard let found = coming else { preconditionFailure("a body that was not wanted") }
    coming = nil
    if end == .overran { return .fail(ReadMachine.overran) }
    guard endTellsSize || wantsAll && count < found.size else { return .described(found.with(taken: count)) }
    switch end {
    case .complete where !endTellsSize: return .fail(Self.brokenOff(count))
    case .complete: return .described(found.with(size: count))
    case .fault(let fault) where !fault.isCut || repeats >= context.rules.cuts:
      return .fail(fault == .reset ? Self.brokenOff(count) : fault.failure)
    case .fault:
      repeats += 1
      return start(at: now)
    case .stopped, .overran: return .fail(Self.withoutSize)
    }
  }

  private static func brokenOff(_ count: Int) -> Failure {
    Failure(.reset, "the server closed the connection after \(count) bytes, which are not all: try again")
  }

  private mutating func answered(_ head: ResponseHead, at now: Int) -> TransferStep {
    // A store that has no body to say it in: the GET will tell.
    let leadsNowhere = phase == .head && head.fields["Location"] == nil
    if Redirects.isRedirect(head.status, of: context.plan?.method), !leadsNowhere {
      switch context.follow(at: now) {
      case .success(let plan): return .send(plan)
      case .failure(let failure): return .fail(failure)
      }
    }
    if context.asksCredentials() { return .mend(.credentials) }
    switch phase {
    case .head: return answeredHead(head, at: now)
    case .whole: return answeredWhole(head, at: now)
    case .range, .suffix, .probe: return answeredRange(head, at: now)
    }
  }
}

/// The result of a ``DescriptionMachine``.
struct ObjectDescription: Hashable, Sendable {
  /// The size in bytes.
  var size: Int { version.size }
  /// The version.
  private(set) var version: ObjectVersion
  /// All that the answer showed of it.
  let marks: VersionMarks
  /// Another change would show in the version.
  let isSettled: Bool
  /// True if ranges are served; `nil`: not known yet.
  let acceptsRanges: Bool?
  /// Where requests went in the end.
  let route: Route
  /// The field `Content-Type`.
  var contentType: String?
  /// The bytes that came with it.
  var bytes = 0..<0
  /// The size is what the server says; else as far as the bytes go that it sent.
  var isSizeTold = true
  /// Only the end of all bytes told it.
  private(set) var isSizeByEnd = false

  /// There are bytes, of which no range can be requested.
  var hasNoRanges: Bool { acceptsRanges == false && size > 0 }

  /// No range can be requested, and all bytes come with it.
  var isAllThereIs: Bool { acceptsRanges == false && bytes == 0..<size }

  /// The same with so many bytes from where they begin.
  func with(taken count: Int) -> ObjectDescription {
    var found = self
    found.bytes = bytes.lowerBound..<bytes.lowerBound + count
    return found
  }

  /// The same with all bytes, whose count is the size.
  func with(size: Int) -> ObjectDescription {
    var found = self
    found.version = version.ofSize(size)
    found.bytes = 0..<size
    found.isSizeByEnd = true
    return found
  }
}
