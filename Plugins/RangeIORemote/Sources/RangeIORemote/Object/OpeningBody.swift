#if HTTP
  internal import RangeIO
  internal import Synchronization

  /// The bytes that come with a description, for the first reads of it: on their way after it was made, then in memory.
  ///
  /// It belongs to the object, which ends it when it is closed or gone. No task waits for it: the exchange tells it what comes.
  /// A read that is cancelled leaves it as it is, since the bytes are few and the next reads may want them. When the body
  /// breaks, reads that lack some of it ask for them, as for any others.
  final class OpeningBody: Sendable {
    fileprivate struct State {
      var window = OpeningWindow<Promise<Void>>()
      /// Where the bytes come from, until it ends.
      var exchange: Exchange?
      /// The account to which they are charged.
      var memory: SourceMemory.Part?
    }
    private let core: ObjectCore
    private let state = Locked(State())

    init(_ core: ObjectCore) { self.core = core }

    /// Where the bytes go.
    var sink: BodySink { BodySink { [self] in push($0) } }

    // MARK: the body, on its event loop

    /// A head has come, and with it a body that is waited for before the description is made.
    func restarts() { state.withLock { $0.window.restart() } }

    /// The head has come.
    func begins(_ object: ObjectDescription) {
      state.withLock { state in
        state.window.restart()
        state.window.begin(object.bytes, stays: object.isAllThereIs)
      }
    }

    /// The waiter of `exchange` has gone on, and the body comes.
    func follows(_ exchange: Exchange) { state.withLock { $0.exchange = exchange } }

    /// The next bytes.
    func push(_ bytes: Bytes) {
      for waiter in state.withLock({ $0.window.push(bytes) }) { waiter.resolve(.success(())) }
    }

    /// The body has ended.
    func ended(_ outcome: Exchange.Outcome, _ times: Exchange.Times) {
      core.learnRate(times)
      var isBelieved = true
      if case .body(let end, _) = outcome {
        isBelieved = end != .overran
        if case .fault(let fault) = end, fault != .closed {
          core.counts.add(1, to: ObjectCore.Count.continued.rawValue)
        }
      }
      let (waiters, memory, count) = state.withLock { state in
        state.exchange = nil
        return (state.window.finish(isBelieved: isBelieved), state.memory, state.window.range.count)
      }
      memory?.hold(count)
      for waiter in waiters { waiter.resolve(.success(())) }
    }

    // MARK: the object

    /// All of `bytes` came before the description was made.
    func holds(_ bytes: ArraySlice<UInt8>, from start: Int) {
      state.withLock { state in
        _ = state.window.push(Bytes(Array(bytes)))
        state.window.hold(start..<start + bytes.count, stays: false)
      }
    }

    /// The description is made. Returns `false` if no bytes come with it.
    func isPublished(with object: ObjectDescription) -> Bool {
      state.withLock { state in
        // They came before it, if the head did not begin them.
        if !state.window.hasBegun { state.window.hold(object.bytes, stays: object.isAllThereIs) }
        return !state.window.isOver
      }
    }

    /// Charges the bytes, also those to come: sources that hold too much drop them. Not under a lock of the object.
    func charge() {
      let memory = SourceMemory.Part { [weak self] in self?.stop() }
      let count = state.withLock { state in
        if !state.window.isOver { state.memory = memory }
        return state.window.range.count
      }
      memory.hold(count)
    }

    /// Ends the body and drops its bytes. Reads that wait for some ask for them.
    func stop() { finish(state.withLock { $0.stop() }) }

    private func finish(_ rest: State.Rest) {
      rest.memory?.hold(0)
      for waiter in rest.waiters { waiter.resolve(.success(())) }
      rest.exchange?.leave()
    }

    /// No read needs it any more.
    var isDone: Bool { state.withLock { $0.window.isDone } }

    /// The bytes that are here or come; `nil`: none.
    var atHand: ByteRange? { state.withLock { $0.window.isOver ? nil : $0.window.range } }

    /// The body has not ended, and its rate is not known.
    var isComing: Bool { state.withLock { $0.window.isComing } }

    // MARK: reads

    /// Where the bytes begin, if a read of `range` lacks only those before them.
    func start(within range: ByteRange) -> Int? { state.withLock { $0.window.start(within: range) } }

    /// Passes the first bytes of `range` on, as far as they come with the description, as soon as they are here.
    ///
    /// - Returns: how many; the others have to be requested.
    /// - Throws: `Failure` after `deadline`; `ReadError`; `CancellationError`, at once; what the sink throws.
    nonisolated(nonsending) func read(
      _ range: ByteRange, of snapshot: RemoteObject.Snapshot, into sink: BodySink, until deadline: Int64
    ) async throws -> Int {
      guard let number = begin(range) else { return 0 }
      var taken = 0
      defer { end(number, taken) }
      while true {
        switch next(number) {
        case .bytes(let pieces):
          try Task.checkCancellation()
          guard core.gate.enter() else { throw ReadError.closed }
          defer { core.gate.leave() }
          // An answer to another read may have shown that the version is gone.
          guard !snapshot.pin.isOver else { return 0 }
          for bytes in pieces {
            try bytes.forEachSpan { span throws in try span.withUnsafeBytes { try sink.write($0) } }
            taken += bytes.count
          }
          return taken
        case .wait(let answer):
          try await core.wait(for: answer, until: deadline, orThrow: TransportFault.deadline.failure)
        }
      }
    }

    private enum Step {
      case bytes([Bytes])
      case wait(Promise<Void>)
    }

    /// While the body stands still no read begins to wait for it: a second try of a read would wait for what the first one did.
    private func begin(_ range: ByteRange) -> Int? {
      let late = Watch.now - core.settings.idleTimeout.nanoseconds / 4
      return changed { $0.window.begin(range, waits: !$0.standsStill(since: late)) }
    }

    private func end(_ number: Int, _ taken: Int) { changed { $0.window.end(number, taken: taken) } }

    /// Drops the bytes, if no read needs them after `change`.
    private func changed<Value: Sendable>(_ change: (inout State) -> Value) -> Value {
      let (value, rest) = state.withLock { state in
        let value = change(&state)
        return (value, state.window.isDone ? state.stop() : nil)
      }
      if let rest { finish(rest) }
      return value
    }

    private func next(_ number: Int) -> Step {
      state.withLock { state in
        let answer = Promise<Void>()
        return switch state.window.next(number, answer) {
        case .take(let pieces): .bytes(pieces)
        case .wait: .wait(answer)
        }
      }
    }
  }

  extension OpeningBody.State {
    /// The waiters and resources of a body that is dropped, to be released without the lock.
    fileprivate struct Rest {
      let waiters: [Promise<Void>]
      let exchange: Exchange?
      let memory: SourceMemory.Part?
    }

    /// Nothing has come since then.
    fileprivate func standsStill(since time: Int64) -> Bool {
      exchange.map { $0.since.load(ordering: .relaxed) < time } ?? false
    }

    fileprivate mutating func stop() -> Rest {
      // Where all is here the answer ends by itself, and its connection is kept.
      let left = window.isArriving ? exchange : nil
      defer { (exchange, memory) = (nil, nil) }
      return Rest(waiters: window.finish(isBelieved: false), exchange: left, memory: memory)
    }
  }
#endif
