#if HTTP
  internal import RangeIO

  /// Runs a machine: sends what it wants sent, and tells it what came of it.
  ///
  /// The machine sees a head on the event loop, within the client's callback. So one request resumes its reader once.
  ///
  /// Machine, plan and request stay in objects, and what handles them is never inlined: an async function that had them
  /// as variables would keep several copies of each while it waits, 17 KiB a read.
  final class Transfer<Machine: TransferMachine>: Sendable {
    private struct State: Sendable {
      var machine: Machine
      /// The machine's next step; `nil` while a request is under way.
      var step: TransferStep?
      /// The last request.
      var plan: RequestPlan?
      /// The head that an authority is to judge.
      var judged: ResponseHead?
      /// A refusal broke off before its end.
      var refusalBrokeOff = false
    }
    private let core: ObjectCore
    private let state: Locked<State>
    private let sink: BodySink?
    /// Takes the body of a description that is made before all of it has come.
    private let opening: OpeningBody?
    /// In nanoseconds of the watch's clock.
    let deadline: Int64
    /// An additional wait before each request.
    private let hold: (@Sendable () async throws -> Void)?
    /// The route that the machine began with.
    let firstRoute: Route
    /// The best mark of a version, which all its reads share; `nil` for descriptions.
    let pin: VersionPin?
    /// The most bytes of an error's body that are looked at.
    private static var maxErrorBytes: Int { 16_384 }

    /// - Parameters:
    ///   - deadline: in nanoseconds of the watch's clock.
    ///   - hold: what each request waits for besides.
    ///   - opening: of a description: gets the body that comes with it.
    init(
      _ machine: Machine, _ core: ObjectCore, into sink: BodySink?, until deadline: Int64,
      sharing pin: VersionPin? = nil, holding hold: (@Sendable () async throws -> Void)? = nil,
      opening: OpeningBody? = nil
    ) {
      self.hold = hold
      self.opening = opening
      self.pin = pin
      firstRoute = machine.route
      state = Locked(State(machine: machine))
      self.core = core
      self.sink = sink
      self.deadline = deadline
    }

    /// Something of the machine as it is now.
    @inline(never) func look<Value: Sendable>(_ body: (borrowing Machine) -> Value) -> Value {
      state.withLock { body($0.machine) }
    }

    /// The result of a machine for descriptions, after ``run()``.
    var description: ObjectDescription {
      guard case .described(let description) = state.withLock({ $0.step }) else {
        preconditionFailure("a description ends with one")
      }
      return description
    }

    /// Tells the machine what has happened, and keeps what it wants.
    @inline(never) private func tell(_ event: TransferEvent) {
      withState { state, pinned in
        state.step = state.machine.next(after: event, pinned: &pinned, at: WallClock.now)
      }
    }

    /// The state with the mark that all reads of the version share, so that of two first answers one is compared with the
    /// other.
    private func withState<Value>(_ body: (inout State, inout ObjectVersion.Identifier) -> Value) -> Value {
      guard let pin else {
        var none = ObjectVersion.Identifier.unknown
        return state.withLock { body(&$0, &none) }
      }
      return pin.withBest { best in state.withLock { body(&$0, &best) } }
    }

    /// Runs until the machine has finished.
    ///
    /// - Throws: `Failure`; `ReadError` and other errors of credentials; `CancellationError`.
    func run() async throws {
      defer { keepLessons() }
      var credential: CredentialStore.Credential?
      tell(.start)
      while let work = try nextWork() {
        switch work {
        case .send: try await send(&credential)
        case .mend(let mend): try await self.mend(mend, &credential)
        case .describe: try await describeAgain()
        }
      }
    }

    @inline(never) private func keepLessons() { core.learn(look { $0.lessons }) }

    /// The steps that take time.
    private enum Work {
      case send
      case mend(Remedy)
      case describe
    }

    /// The machine's next step that takes time; `nil`: it has finished.
    @inline(never) private func nextWork() throws -> Work? {
      switch state.withLock({ $0.step }) {
      case .send: return .send
      case .mend(let mend): return .mend(mend)
      case .describe: return .describe
      case .described, .finish: return nil
      case .fail(let failure): throw failure
      case .judge, .receive, .open, nil: preconditionFailure("only a head leads to this")
      }
    }

    // MARK: sending

    private func send(_ credential: inout CredentialStore.Credential?) async throws {
      if let hold { try await hold() }
      let request = try await prepare(&credential)
      let outcome = try await core.exchange(request, into: sink, until: deadline) { [self] head in judge(head) }
      try took(outcome, of: request)
    }

    @inline(never) private func took(_ outcome: Exchange.Outcome, of request: WireRequest) throws {
      switch outcome {
      case .noHead(let fault): tell(.fault(fault))
      case .body(let end, let taken):
        if case .fault = end { core.counts.add(1, to: ObjectCore.Count.continued.rawValue) }
        tell(.bodyEnded(end, taken: taken))
      case .follows: break
      case .sinkFailed(let error): throw error
      case .collected(let body, let fault):
        // Its rest may say what helps. Where it breaks off again, it is judged by what there is.
        if let fault, fault.isCut, !state.withLock({ $0.refusalBrokeOff }) {
          state.withLock { $0.refusalBrokeOff = true }
          return tell(.fault(fault))
        }
        let (head, plan) = state.withLock { ($0.judged, $0.plan) }
        guard let head, let plan, let authority = core.authority else { return tell(.judged(.none)) }
        let sent = PreparedRequest(url: request.url, fields: request.fields)
        tell(.judged(authority.judge(head, body: body, of: plan, sent: sent)))
      case .head:
        state.withLock { state in
          guard state.step == nil else { return }
          let failure = Failure(.malformed, "the answer ended before it was judged: try again", isTransient: true)
          state.step = .fail(failure)
        }
      }
    }

    /// Passes `head` to the machine, and returns the use of the answer's body.
    private func judge(_ head: ResponseHead) -> Exchange.BodyUse {
      let now = WallClock.now
      return withState { state, pinned in
        let step = state.machine.next(after: .head(head), pinned: &pinned, at: now)
        switch step {
        case .receive(let plan):
          opening?.restarts()
          return .take(plan)
        case .open(let found, let plan):
          state.step = .described(found)
          guard let opening else { return .none }
          opening.begins(found)
          return .follow(plan, opening)
        case .judge:
          state.judged = head
          return .collect(most: Self.maxErrorBytes)
        default:
          state.step = step
          return step.isContradiction(of: head, to: state.plan) ? .refuse : .none
        }
      }
    }

    // MARK: preparing

    /// The request that the machine wants with all that is added to it: the user's headers, credentials or a signature.
    @inline(never) private func prepare(_ credential: inout CredentialStore.Credential?) async throws -> WireRequest {
      guard beginRequest() else { return request() }
      if let authority = core.authority { return try await signed(by: authority) }
      guard let credentials = core.credentials else { return request() }
      let used = try await credentials.current { [core, deadline] in
        try await core.waitForCredentials($0, until: deadline)
      }
      credential = used
      if let value = used.value { try HeaderFields.check(value, of: "Authorization") }
      return request(authorization: used.value)
    }

    /// Takes the plan from the machine, with the user's headers. Returns whether it may carry credentials.
    @inline(never) private func beginRequest() -> Bool {
      state.withLock { state in
        guard case .send(var plan) = state.step else { preconditionFailure("the machine wants something else") }
        plan.additionalFields = plan.mayCarryCredentials ? core.fieldsForOrigin : core.fieldsForOthers
        state.plan = plan
        state.step = nil
        return plan.mayCarryCredentials
      }
    }

    private var plan: RequestPlan {
      guard let plan = state.withLock({ $0.plan }) else { preconditionFailure("a request has begun") }
      return plan
    }

    @inline(never) private func request(authorization: String? = nil) -> WireRequest {
      let plan = plan
      var fields = plan.fields
      if let authorization { fields.set("Authorization", authorization) }
      return WireRequest(plan, plan.url, fields)
    }

    @inline(never) private func signed(by authority: any RequestAuthority) async throws -> WireRequest {
      let plan = plan
      let prepared = try await core.leavingBehind(until: deadline) { try await authority.prepare(plan) }
      state.withLock { $0.machine.context.sent(to: prepared.url) }
      for field in prepared.fields.all { try HeaderFields.check(field.value, of: field.name) }
      return WireRequest(plan, prepared.url, prepared.fields)
    }

    // MARK: mending

    @inline(never) private func mend(_ mend: Remedy, _ credential: inout CredentialStore.Credential?) async throws {
      if let authority = core.authority {
        try await core.leavingBehind(until: deadline) { try await authority.mend(mend) }
        return tell(.mended)
      }
      guard let credentials = core.credentials, let refused = credential else { return tell(.mendFailed) }
      let other = try await credentials.renewed(after: refused) { [core, deadline] in
        try await core.waitForCredentials($0, until: deadline)
      }
      tell(other == nil ? .mendFailed : .mended)
    }

    // MARK: describing

    /// One new description from the origin, past all caches.
    @inline(never) private func describeAgain() async throws {
      let transfer = core.description(.probe, passesCaches: true, until: deadline)
      do {
        try await transfer.run()
        tell(.described(.success(transfer.description)))
      } catch let failure as Failure {
        tell(.described(.failure(failure)))
      }
    }
  }

  extension TransferStep {
    /// True if an answer that led to this step contradicts its request. Refusals and redirects do not.
    fileprivate func isContradiction(of head: ResponseHead, to plan: RequestPlan?) -> Bool {
      if plan?.method == .head { return head.status == 206 || head.contentRange != nil }
      switch self {
      case .fail, .describe: return head.status < 300 || head.status == 416
      default: return false
      }
    }
  }

  extension WireRequest {
    fileprivate convenience init(_ plan: RequestPlan, _ url: ObjectURL, _ fields: HeaderFields) {
      self.init(
        method: plan.method.rawValue, url: url, fields: fields,
        expected: plan.method == .head ? 0 : plan.range?.count ?? plan.suffix ?? .max,
        body: plan.properties?.body ?? [])
    }
  }

  extension ObjectCore {
    /// A transfer that describes the object.
    ///
    /// - Parameters:
    ///   - known: the version that was described before.
    ///   - sink: gets the bytes that come before the description.
    ///   - body: gets those that come with it, and then after it; `nil`: they are not wanted.
    func description(
      _ opening: Opening, knowing known: ObjectVersion? = nil, passesCaches: Bool = false, into sink: BodySink? = nil,
      opening body: OpeningBody? = nil, until deadline: Int64
    ) -> Transfer<DescriptionMachine> {
      let machine = DescriptionMachine(
        origin, rules: rules, habits: learnt.withLock { $0.habits }, opening: opening, known: known,
        passesCaches: passesCaches)
      return Transfer(machine, self, into: body?.sink ?? sink, until: deadline, opening: body)
    }

    /// The request that asks what the object is: the first time as the user wants, later the cheapest.
    func opening(knowing known: ObjectVersion?) -> Opening {
      guard known != nil else { return Opening(settings.opening) }
      // To a server without ranges a GET is one of the whole.
      let ignoresRanges = learnt.withLock { $0.habits.ignoresRanges }
      return settings.opening == .head || ignoresRanges ? .head : .probe
    }

    /// Keeps what a machine has learnt.
    func learn(_ lessons: [Habits.Lesson]) {
      guard !lessons.isEmpty else { return }
      learnt.withLock { learnt in
        for lesson in lessons { learnt.habits.learn(lesson) }
      }
    }

    /// Keeps a route that a read has found, unless it is the one it began with.
    func learn(_ route: Route, after first: Route) {
      if route != first { learnt.withLock { $0.route = route } }
    }
  }
#endif
