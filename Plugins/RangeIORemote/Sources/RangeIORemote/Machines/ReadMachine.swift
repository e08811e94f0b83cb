/// Reads one range of a known version of an object.
///
/// Checks the whole head of an answer before a byte of its body is believed, goes on after a cut from where it stopped,
/// and never mixes versions. Body bytes do not pass through it, only their counts. Events in, actions out; exactly one
/// event follows an action, and none after ``TransferStep/finish`` and ``TransferStep/fail(_:)``.
///
/// It ends: redirects in a row, answers without progress, stalls, mends and descriptions are bounded, and all that can
/// happen more often brings 16 KiB of the range.
struct ReadMachine: Hashable, Sendable {
  let range: Range<Int>
  /// The version as it was described.
  let version: ObjectVersion
  /// The best mark of that version that was seen: in its description, or in an answer whose bytes were taken. All later
  /// answers must show it.
  ///
  /// All reads of a description share one: set it before each event, and keep it after.
  var pin: ObjectVersion.Identifier
  var context: RequestContext
  /// The bytes of the range that are there.
  private(set) var taken: Int
  /// Caches on the way are to ask the origin.
  var passesCaches = false
  /// Which doubts a description has been asked about.
  var doubted: Set<Doubt> = []
  /// The versions that answers showed, of an object that only grows, where they are not the one that was described.
  var moved: Set<ObjectVersion> = []
  /// The doubt that a description is to decide.
  var open: Doubt?
  /// Requests ask for all of the object, since ranges are refused.
  var asksForWhole = false
  /// An answer after a redirect made the read begin at the origin again, since the last progress.
  var resolvedAgain = false
  private var body: BodyPlan?
  /// Answers in a row without progress.
  private var fruitless = 0
  /// Bytes since the last progress.
  private var recent = 0
  /// Bodies that stalled since the last progress.
  private var stalls = 0
  private var slowBodies = 0

  /// - Parameters:
  ///   - range: not empty, and within the size of `version`.
  ///   - route: as it was after the description or the last read.
  ///   - taken: how many bytes of it are there already.
  init(
    _ range: Range<Int>, of version: ObjectVersion, taken: Int = 0, route: Route, rules: TransferRules, habits: Habits
  ) {
    precondition(!range.isEmpty && range.lowerBound >= 0 && range.upperBound <= version.size, "no such range")
    self.range = range
    self.version = version
    self.taken = taken
    pin = version.identifier
    context = RequestContext(route, rules, habits)
  }

  /// The version that is read, as far as is known.
  var pinned: ObjectVersion { ObjectVersion(pin, size: version.size) }
  /// To be kept after the read, also after one that failed, which begins at the origin again.
  var route: Route { context.route }
  /// The lessons so far, to be kept whatever comes out.
  var lessons: [Habits.Lesson] { context.lessons }

  /// The first event.
  mutating func start(at now: Int) -> TransferStep { send(at: now) }

  /// Asks for what is missing.
  mutating func send(at now: Int) -> TransferStep {
    .send(
      context.begin(
        .get, range: asksForWhole ? nil : range.lowerBound + taken..<range.upperBound,
        version: context.rules.isAppendOnly ? .unknown : pin,
        passesCaches: passesCaches, at: now))
  }

  /// A head came. Its body is wanted only with ``TransferStep/receive(_:)`` and ``TransferStep/judge``.
  mutating func received(_ head: ResponseHead, at now: Int) -> TransferStep {
    context.received(head, at: now)
    return concluded(context.isForAuthority(isOpening: false) ? .judge : answered(head, at: now))
  }

  /// The authority has judged.
  mutating func judged(_ verdict: RefusalVerdict, at now: Int) -> TransferStep {
    guard let head = context.head else { preconditionFailure("a verdict comes after an answer") }
    switch verdict {
    case .fail(let error): return concluded(.fail(Failure(error)))
    case .mend(let mend) where context.permits(mend), .mendOrFail(let mend, _) where context.permits(mend):
      return .mend(mend)
    case .mendOrFail(_, let error): return concluded(.fail(Failure(error)))
    case .mend, .none: return concluded(answered(head, at: now))
    }
  }

  /// The mend that was asked for is done.
  mutating func mended(at now: Int) -> TransferStep {
    context.hasMended()
    return send(at: now)
  }

  /// It cannot be mended: the status of the answer says why.
  mutating func mendFailed(at now: Int) -> TransferStep { concluded(.fail(context.statusFailure(at: now))) }

  /// There was no head.
  mutating func failed(_ fault: TransportFault, at now: Int) -> TransferStep {
    let mayPass = fault.isCut || (fault.mayBeLeftOver && fruitless < TransportFault.maxLeftOver)
    guard mayPass, fruitless < context.rules.cuts else { return concluded(.fail(fault.failure)) }
    fruitless += 1
    return send(at: now)
  }

  /// A body that was received ended, after `count` wanted bytes.
  mutating func bodyEnded(_ end: BodyEnd, taken count: Int, at now: Int) -> TransferStep {
    guard let body, count >= 0, count <= body.take else { preconditionFailure("more was taken than was planned") }
    self.body = nil
    taken += count
    note(count)
    return concluded(next(after: end, at: now))
  }

  /// The description that was asked for is there, or cannot be had.
  mutating func described(_ result: Result<ObjectDescription, Failure>, at now: Int) -> TransferStep {
    guard let doubt = open else { preconditionFailure("a description without a question") }
    open = nil
    return concluded(decide(doubt, by: result, at: now))
  }

  private mutating func next(after end: BodyEnd, at now: Int) -> TransferStep {
    if end == .overran {
      return .fail(Self.overran)
    }
    if taken == range.count { return .finish }
    if fruitless > context.rules.cuts { return .fail(tooManyCuts) }
    guard case .fault(let fault) = end else { return send(at: now) }
    switch fault {
    case .closedWithoutNotify where context.head?.isFramed == false: return .fail(fault.failure)
    case .reset, .goAway, .streamReset, .closedWithoutNotify, .leftOver, .tls: return send(at: now)
    case .stalled:
      stalls += 1
      return stalls > context.rules.stalls ? .fail(fault.failure) : send(at: now)
    case .tooSlow:
      slowBodies += 1
      return slowBodies > context.rules.stalls ? .fail(fault.failure) : send(at: now)
    default: return .fail(fault.failure)
    }
  }

  private mutating func note(_ count: Int) {
    recent += count
    if recent >= TransferRules.progress {
      recent = 0
      fruitless = 0
      stalls = 0
      resolvedAgain = false
      context.gotOn()
    } else {
      fruitless += 1
    }
  }

  private mutating func concluded(_ action: TransferStep) -> TransferStep {
    switch action {
    case .receive(let plan):
      body = plan
      if let head = context.head, !context.rules.isAppendOnly {
        pin = pin.strengthened(by: head.marks(context.rules), context.rules)
      }
    // Where redirects led may be the reason: a portal, a mirror that is down. The next read asks the origin.
    case .fail: context.route = Route(origin: context.route.origin)
    default: break
    }
    return action
  }

  static let overran = Failure(
    .lengthContradicted, "the server sent more bytes than the head of its answer promised")

  private var tooManyCuts: Failure {
    Failure(
      .tooManyCuts,
      "the server cut its answers \(fruitless) times in a row, "
        + "with \(taken) of \(range.count) bytes: try again later")
  }
}
