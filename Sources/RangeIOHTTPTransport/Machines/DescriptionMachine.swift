/// Finds out what an object is: its size and its version.
///
/// Asks with HEAD, and where that is refused or says too little, with a GET of the first byte. Always begins at the URL
/// that the user gave. Events in, actions out; exactly one event follows an action.
struct DescriptionMachine: Hashable, Sendable {
  /// What to do next.
  enum Action: Hashable, Sendable {
    /// Drop the body of the last answer, then send this.
    case send(RequestPlan)
    /// Collect up to 16 KiB of the body and ask the authority; then ``DescriptionMachine/judged(_:at:)``.
    case judge
    /// Do it; then ``DescriptionMachine/mended(at:)`` or ``DescriptionMachine/mendFailed(_:at:)``.
    case mend(Mend)
    case finish(ObjectDescription)
    case fail(Failure)
  }

  /// What is being asked.
  enum Phase: Hashable, Sendable {
    case head
    /// GET of the first byte.
    case probe
    /// GET of all, for the length in its head.
    case whole
  }

  private let origin: ObjectURL
  private let passesCaches: Bool
  private var repeats = 0
  var context: RequestContext
  var phase: Phase
  /// What HEAD showed of the version, if it was answered with 200.
  var headMarks: VersionMarks?
  /// Whether HEAD said that the object has no bytes.
  var saidEmpty = false
  /// Learnt if GET succeeds where HEAD did not.
  var suspectedOfHead: Habits.Lesson?

  /// - Parameters:
  ///   - passesCaches: whether caches on the way are to ask the origin.
  ///   - skipsHead: whether to begin with GET, which habits may ask for too.
  init(
    _ origin: ObjectURL, rules: TransferRules, habits: Habits, passesCaches: Bool = false, skipsHead: Bool = false
  ) {
    self.origin = origin
    self.passesCaches = passesCaches
    context = RequestContext(Route(origin: origin), rules, habits)
    phase = skipsHead || habits.skipsHead ? .probe : .head
  }

  /// What was learnt so far; to be kept whatever comes out.
  var lessons: [Habits.Lesson] { context.lessons }

  /// The first event.
  mutating func start(at now: Int) -> Action {
    context.route = Route(origin: origin)
    return .send(
      context.begin(
        phase == .head ? .head : .get, range: phase == .probe ? 0..<1 : nil, passesCaches: passesCaches, at: now))
  }

  /// A head came. Its body is not wanted, unless the action is ``Action/judge``.
  mutating func received(_ head: ResponseHead, at now: Int) -> Action {
    context.received(head, at: now)
    return context.isForAuthority ? .judge : answered(head, at: now)
  }

  /// The authority has judged.
  mutating func judged(_ verdict: Verdict, at now: Int) -> Action {
    guard let head = context.head else { preconditionFailure("a verdict comes after an answer") }
    switch verdict {
    case .fail(let failure): return .fail(failure)
    case .mend(let mend) where context.permits(mend): return .mend(mend)
    case .mend, .none: return answered(head, at: now)
    }
  }

  /// What was to be mended is.
  mutating func mended(at now: Int) -> Action { start(at: now) }

  /// It cannot be mended; `nil`: the status of the answer says why.
  mutating func mendFailed(_ failure: Failure?, at now: Int) -> Action {
    .fail(failure ?? context.statusFailure(at: now))
  }

  /// There was no head.
  mutating func failed(_ fault: TransportFault, at now: Int) -> Action {
    let mayPass = fault.isCut || (fault.mayBeLeftOver && repeats < TransportFault.mostLeftOver)
    guard mayPass, repeats < context.rules.cuts, let plan = context.plan else { return .fail(fault.failure) }
    repeats += 1
    return .send(plan)
  }

  private mutating func answered(_ head: ResponseHead, at now: Int) -> Action {
    // A store that has no body to say it in: the GET will tell.
    let leadsNowhere = phase == .head && head.fields["Location"] == nil
    if Redirects.isRedirect(head.status), !leadsNowhere {
      switch context.follow(at: now) {
      case .success(let plan): return .send(plan)
      case .failure(let failure): return .fail(failure)
      }
    }
    if context.asksCredentials() { return .mend(.credentials) }
    switch phase {
    case .head: return answeredHead(head, at: now)
    case .probe: return answeredProbe(head, at: now)
    case .whole: return answeredWhole(head, at: now)
    }
  }
}

/// What a ``DescriptionMachine`` found.
public struct ObjectDescription: Hashable, Sendable {
  /// The size in bytes.
  public var size: Int { version.size }
  /// The version.
  public let version: ObjectVersion
  /// All that the answer showed of it.
  let marks: VersionMarks
  /// Whether another change would show in the version.
  public let isSettled: Bool
  /// Whether ranges are served; `nil`: not known yet.
  public let acceptsRanges: Bool?
  /// Where requests went in the end.
  public let route: Route
}
