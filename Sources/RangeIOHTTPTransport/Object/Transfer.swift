#if HTTP
  internal import RangeIO

  /// Runs a machine: sends what it wants sent, and tells it what came of it.
  ///
  /// The machine sees a head on the event loop, within the client's callback. So one request resumes its reader once.
  final class Transfer<Machine: TransferMachine>: Sendable {
    private struct State: Sendable {
      var machine: Machine
      /// What the machine wants after a head whose body it does not want.
      var next: TransferStep?
      /// The head that an authority is to judge.
      var judged: ResponseHead?
    }
    private let core: ObjectCore
    private let state: Locked<State>
    private let sink: BodySink?
    private let deadline: Int64
    /// The most bytes of an error's body that are looked at.
    private static var mostErrorBytes: Int { 16_384 }

    /// - Parameter deadline: in nanoseconds of the watch's clock.
    init(_ machine: Machine, _ core: ObjectCore, into sink: BodySink?, until deadline: Int64) {
      state = Locked(State(machine: machine))
      self.core = core
      self.sink = sink
      self.deadline = deadline
    }

    /// The machine as it is now.
    var machine: Machine { state.withLock { $0.machine } }

    private func next(after event: TransferEvent) -> TransferStep {
      let now = WallClock.now
      return state.withLock { $0.machine.next(after: event, at: now) }
    }

    /// Runs until the machine has finished. Returns the description, if it is a machine for that.
    ///
    /// - Throws: `Failure`; `ReadError` and other errors of credentials; `CancellationError`.
    @discardableResult func run() async throws -> ObjectDescription? {
      defer { core.learn(machine.lessons) }
      var credential: CredentialStore.Credential?
      var step = next(after: .start)
      while true {
        switch step {
        case .send(let plan): step = try await send(plan, &credential)
        case .mend(let mend): step = try await self.mend(mend, &credential)
        case .describe: step = next(after: .described(try await describeAgain()))
        case .described(let description): return description
        case .finish: return nil
        case .fail(let failure): throw failure
        case .judge, .receive: preconditionFailure("only a head leads to this")
        }
      }
    }

    // MARK: sending

    private func send(
      _ plan: RequestPlan, _ credential: inout CredentialStore.Credential?
    ) async throws -> TransferStep {
      let request = try await prepare(plan, &credential)
      let outcome = try await core.exchange(
        request, into: sink, expecting: plan.method == .head ? 0 : plan.range?.count ?? .max, until: deadline
      ) { [self] head in judge(head) }
      switch outcome {
      case .noHead(let fault): return next(after: .fault(fault))
      case .body(let end, let taken):
        if case .fault = end { core.counts.add(1, to: ObjectCore.Count.continued.rawValue) }
        return next(after: .bodyEnded(end, taken: taken))
      case .sinkFailed(let error): throw error
      case .collected(let body):
        let head = state.withLock { $0.judged }
        guard let head, let authority = core.authority else { return next(after: .judged(.none)) }
        let sent = PreparedRequest(url: request.url, fields: request.fields)
        return next(after: .judged(authority.judge(head, body: body, of: plan, sent: sent)))
      case .head:
        let step = state.withLock { state in
          defer { state.next = nil }
          return state.next
        }
        return step ?? .fail(Failure(.malformed, "the answer ended before it was judged: try again", isTransient: true))
      }
    }

    /// What becomes of the body of an answer with `head`.
    private func judge(_ head: ResponseHead) -> Exchange.BodyUse {
      let now = WallClock.now
      return state.withLock { state in
        let step = state.machine.next(after: .head(head), at: now)
        switch step {
        case .receive(let plan): return .take(plan)
        case .judge:
          state.judged = head
          return .collect(most: Self.mostErrorBytes)
        default:
          state.next = step
          return .none
        }
      }
    }

    /// The request of `plan` with all that is added to it: the user's headers, credentials or a signature.
    private func prepare(
      _ plan: RequestPlan, _ credential: inout CredentialStore.Credential?
    ) async throws -> WireRequest {
      var plan = plan
      if plan.mayCarryCredentials { plan.additionalFields = core.settings.headers }
      for (name, value) in [("User-Agent", core.settings.userAgent), ("Accept", "*/*")]
      where plan.additionalFields[name] == nil {
        plan.additionalFields.set(name, value)
      }
      if plan.mayCarryCredentials, let authority = core.authority {
        let complete = plan
        let prepared = try await core.leavingBehind(until: deadline) { try await authority.prepare(complete) }
        for field in prepared.fields.all { try Self.check(field.value, of: field.name) }
        return WireRequest(method: plan.method.rawValue, url: prepared.url, fields: prepared.fields)
      }
      var fields = plan.fields
      if plan.mayCarryCredentials, let credentials = core.credentials {
        let used = try await credentials.current { [core, deadline] in try await core.wait(for: $0, until: deadline) }
        credential = used
        if let value = used.value {
          try Self.check(value, of: "Authorization")
          fields.set("Authorization", value)
        }
      }
      return WireRequest(method: plan.method.rawValue, url: plan.url, fields: fields)
    }

    /// Throws if credentials cannot be sent: a token that was read from a file may still have its line end.
    private static func check(_ value: String, of field: String) throws(Failure) {
      guard !HeaderFields.isValue(value) else { return }
      throw Failure(
        .credentials,
        "what credentials put into the header '\(field)' has a line end or another control character: remove it")
    }

    // MARK: mending

    private func mend(_ mend: Mend, _ credential: inout CredentialStore.Credential?) async throws -> TransferStep {
      if let authority = core.authority {
        do { try await core.leavingBehind(until: deadline) { try await authority.mend(mend) } } catch let failure
          as Failure
        { return next(after: .mendFailed(failure)) }
        return next(after: .mended)
      }
      guard let credentials = core.credentials, let refused = credential else { return next(after: .mendFailed(nil)) }
      let other = try await credentials.renewed(after: refused) { [core, deadline] in
        try await core.wait(for: $0, until: deadline)
      }
      return next(after: other == nil ? .mendFailed(nil) : .mended)
    }

    // MARK: describing

    /// One new description from the origin, past all caches.
    private func describeAgain() async throws -> Result<ObjectDescription, Failure> {
      let machine = DescriptionMachine(
        core.origin, rules: core.settings.rules, habits: core.learnt.withLock { $0.habits }, passesCaches: true,
        skipsHead: true)
      let transfer = Transfer<DescriptionMachine>(machine, core, into: nil, until: deadline)
      do {
        guard let description = try await transfer.run() else {
          preconditionFailure("a description ends with one")
        }
        return .success(description)
      } catch let failure as Failure {
        return .failure(failure)
      }
    }
  }

  extension ObjectCore {
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
