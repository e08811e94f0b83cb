#if HTTP
  internal import RangeIO

  /// One GET of a whole object that is read forward once, by any number of reads that come nearly in its order: for servers
  /// without ranges.
  ///
  /// While no read needs more of it, the rest of the body stays with the server, and the connection open. A minute without a
  /// read ends both; two seconds, where other requests wait for a connection.
  final class ForwardBody: Watched {
    private static let maxRest = Duration.seconds(60)
    private static let minRest = Duration.seconds(2)
    /// After so many bytes that were at hand, others get the thread.
    private static let bytesInOneGo = 256 << 10

    fileprivate struct State {
      var window: ForwardWindow
      /// Lets the body, or the next request for it, run on, if it waits.
      var resume: (@Sendable () -> Void)?
      var waiters: [Promise<Void>] = []
      var outcome: Result<Void, any Error>?
      var task: Task<Void, Never>?
      var lastUse = Watch.now
      /// The account to which the bytes that are here are charged.
      var memory: SourceMemory.Part?
    }
    private let core: ObjectCore
    private let state: Locked<State>

    /// - Parameters:
    ///   - start: the first byte that is wanted.
    ///   - behind: how much of what was read stays for reads that come late.
    init(_ core: ObjectCore, reaching start: Int, keeping behind: Int = ForwardWindow.maxBehind) {
      self.core = core
      state = Locked(State(window: ForwardWindow(reaching: start, keeping: behind)))
    }

    /// Begins to read all bytes of what `snapshot` describes. Call it, or the other one, once.
    func start(_ snapshot: RemoteObject.Snapshot) {
      let (route, habits) = core.learnt.withLock { ($0.route, $0.habits) }
      var rules = core.rules
      // After a cut what was there comes again, however much that is.
      rules.prefixLimit = .max
      let size = snapshot.version.size
      start(
        ReadMachine(0..<size, of: snapshot.version, route: route, rules: rules, habits: habits), sharing: snapshot.pin)
    }

    /// Begins to read what `machine` takes.
    func start(_ machine: some TransferMachine, sharing pin: VersionPin? = nil) {
      let sink = BodySink({ [self] in push($0) }, pausing: { [self] in pause($0) })
      let transfer = Transfer(machine, core, into: sink, until: .max, sharing: pin) { [self] in try await untilWanted()
      }
      core.watch.add(self)
      let memory = SourceMemory.Part { [weak self] in self?.dropBytes() }
      state.withLock { $0.memory = memory }
      let task = core.background.start { [self] in
        do {
          try await transfer.run()
          ended(.success(()))
        } catch {
          ended(.failure(error))
        }
      }
      let isOver = state.withLock { state in
        state.task = task
        return state.outcome != nil
      }
      if isOver { task.cancel() }
    }

    enum Beginning: Equatable {
      /// The read has this number, and the body stays for it.
      case served(Int)
      /// It would be, had the body not failed.
      case failed
      case no
    }

    /// Begins a read of `range`, if it can be served. Each that is served has to be read.
    func begin(_ range: Range<Int>) -> Beginning {
      state.withLock { state in
        guard state.window.reaches(range.lowerBound) else { return .no }
        // Of a body that has failed only what has come is served: what lacks some of it asks for all anew.
        guard !state.hasFailed || range.upperBound <= state.window.position else { return .failed }
        state.lastUse = Watch.now
        return .served(state.window.begin(range))
      }
    }

    /// True if a read that begins at `start` can be served, by another body if this one has failed.
    func reaches(_ start: Int) -> Bool { state.withLock { $0.window.reaches(start) } }

    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    /// The first byte that has not come.
    var position: Int { state.withLock { $0.window.position } }

    /// No read is under way.
    var isIdle: Bool { state.withLock { $0.window.isIdle } }

    /// Passes on the bytes of a read that has begun, of so many. Where many are at hand, lets others have the thread now and
    /// then.
    ///
    /// - Returns: how many; less than all if the body is too far on by now, or ends before.
    nonisolated(nonsending) func read(
      _ number: Int, _ wanted: Int, until deadline: Int64, _ receive: (Bytes) throws -> Void
    ) async throws -> Int {
      defer { end(number) }
      var (count, inOneGo) = (0, 0)
      while count < wanted {
        try Task.checkCancellation()
        if inOneGo >= Self.bytesInOneGo {
          inOneGo = 0
          guard Watch.now < deadline else { throw TransportFault.deadline.failure }
          await Task.yield()
        }
        switch try next(number) {
        case .bytes(let bytes):
          try receive(bytes)
          count += bytes.count
          inOneGo += bytes.count
        case .wait(let answer):
          inOneGo = 0
          try await core.wait(for: answer, until: deadline, orThrow: TransportFault.deadline.failure)
        case .end: return count
        }
      }
      return count
    }

    private func end(_ number: Int) {
      let (resume, memory, count) = state.withLock { state in
        state.lastUse = Watch.now
        state.window.end(number)
        // It may have been the slowest, for which the body waits.
        return (state.takeResume(), state.memory, state.window.count)
      }
      memory?.hold(count)
      resume?()
    }

    private enum Step {
      case bytes(Bytes)
      case wait(Promise<Void>)
      case end
    }

    private func next(_ number: Int) throws -> Step {
      let (step, resume) = try state.withLock { state -> (Step, (@Sendable () -> Void)?) in
        if let bytes = state.window.take(number) { return (.bytes(bytes), state.takeResume()) }
        switch state.outcome {
        case .failure(let error): throw error
        case .success: return (.end, nil)
        case nil: break
        }
        let answer = Promise<Void>()
        state.waiters.append(answer)
        return (.wait(answer), state.takeResume())
      }
      resume?()
      return step
    }

    // MARK: the body

    private func push(_ bytes: Bytes) {
      let (waiters, memory, count) = state.withLock { state in
        state.window.push(bytes)
        return (state.takeWaiters(), state.memory, state.window.count)
      }
      memory?.hold(count)
      for waiter in waiters { waiter.resolve(.success(())) }
    }

    /// Sources hold too much. What readers lack stays, and so does the body: the next read may follow.
    private func dropBytes() { state.withLock { $0.window.keepNothingBehind() } }

    /// Returns true if the body is to wait; `resume` is then called once.
    private func pause(_ resume: @escaping @Sendable () -> Void) -> Bool {
      let (waits, replaced) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
        guard state.outcome == nil, !state.window.wantsMore else { return (false, nil) }
        defer { state.resume = resume }
        return (true, state.resume)
      }
      replaced?()
      return waits
    }

    /// Returns when a read wants more than is here: a body that has broken is not asked for again before.
    private func untilWanted() async throws {
      let answer = Promise<Void>()
      if pause({ answer.resolve(.success(())) }) { try await core.waiting.wait(for: answer) }
    }

    private func ended(_ outcome: Result<Void, any Error>) {
      let (waiters, resume) = state.withLock { state in
        if state.outcome == nil { state.outcome = outcome }
        defer { state.resume = nil }
        return (state.takeWaiters(), state.resume)
      }
      resume?()
      for waiter in waiters { waiter.resolve(.success(())) }
    }

    // MARK: watched

    func check(at now: Int64) {
      let rest = state.withLock { $0.window.isIdle ? now - $0.lastUse : 0 }
      guard rest > Self.minRest.nanoseconds else { return }
      if rest > Self.maxRest.nanoseconds || core.clients.othersWait { stopIfIdle() }
    }

    /// Ends the body, and reads that lack some of it.
    func stop() { finish(state.withLock { $0.stop() }) }

    /// Ends the body if no read is under way.
    func stopIfIdle() {
      if let rest = state.withLock({ $0.window.isIdle ? $0.stop() : nil }) { finish(rest) }
    }

    private func finish(_ rest: State.Rest) {
      core.watch.remove(self)
      rest.memory?.hold(0)
      rest.resume?()
      for waiter in rest.waiters { waiter.resolve(.success(())) }
      // Last: it ends by that, and its outcome stands.
      rest.task?.cancel()
    }
  }

  extension ForwardBody.State {
    /// The waiters and resources of a stopped body, to be released without the lock.
    fileprivate struct Rest {
      let waiters: [Promise<Void>]
      let resume: (@Sendable () -> Void)?
      let task: Task<Void, Never>?
      let memory: SourceMemory.Part?
    }

    /// Drops the bytes and says so in one step, also if all has come: a read that saw only the first would take what it has
    /// for all.
    fileprivate mutating func stop() -> Rest {
      window.forget()
      if !hasFailed { outcome = .failure(ReadError.closed) }
      defer { (resume, memory) = (nil, nil) }
      return Rest(waiters: takeWaiters(), resume: resume, task: task, memory: memory)
    }

    fileprivate var hasFailed: Bool { if case .failure = outcome { true } else { false } }

    fileprivate mutating func takeWaiters() -> [Promise<Void>] {
      defer { waiters = [] }
      return waiters
    }

    fileprivate mutating func takeResume() -> (@Sendable () -> Void)? {
      guard window.wantsMore else { return nil }
      defer { resume = nil }
      return resume
    }
  }
#endif
