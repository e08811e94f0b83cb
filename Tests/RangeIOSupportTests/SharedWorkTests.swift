import RangeIO
import RangeIOSupport
import Testing

/// Work that many ask for at a time.
@Suite(.timeLimit(.minutes(5))) struct SharedWorkTests {
  private struct NoSuchThing: Error {}

  /// Work that ends when the test says so, and counts.
  private final class Gate: Sendable {
    private struct State {
      var begun = 0
      var cancelled = 0
      var waiting: [Promise<Int>] = []
    }
    private let state = Locked(State())

    /// How often it has begun, and how often it was cancelled.
    var counts: (begun: Int, cancelled: Int) { state.withLock { ($0.begun, $0.cancelled) } }

    func work() async throws -> Int {
      let answer = Promise<Int>()
      state.withLock { state in
        state.begun += 1
        state.waiting.append(answer)
      }
      do { return try await answer.value() } catch {
        if error is CancellationError { state.withLock { $0.cancelled += 1 } }
        throw error
      }
    }

    /// Ends the work that has begun.
    func open(_ result: Result<Int, any Error>) {
      for one in state.withLock({ $0.waiting }) { one.resolve(result) }
    }
  }

  /// Lets all that can go on do so until `condition` holds.
  private func until(_ condition: () -> Bool) async { while !condition() { await Task.yield() } }

  @Test(arguments: [true, false]) func `many who ask share one work, its result and its error`(fails: Bool) async {
    let (work, gate) = (SharedWork<Int, Int>(), Gate())
    await withTaskGroup(of: Int?.self) { group in
      for number in 0..<96 { group.addTask { try? await work.value(for: number % 3) { try await gate.work() } } }
      await until { work.counts == (3, 96) && gate.counts.begun == 3 }
      gate.open(fails ? .failure(NoSuchThing()) : .success(5))
      for await value in group { #expect(value == (fails ? nil : 5)) }
    }
    #expect(work.counts == (0, 0) && gate.counts == (3, 0))
  }

  @Test func `one who is cancelled is answered at once, and the last one ends the work`() async throws {
    let (work, gate) = (SharedWork<Int, Int>(), Gate())
    @Sendable func ask() async throws -> Int { try await work.value(for: 1) { try await gate.work() } }
    let (one, other) = (Task { try await ask() }, Task { try await ask() })
    await until { work.counts == (1, 2) && gate.counts.begun == 1 }
    one.cancel()
    await #expect(throws: CancellationError.self) { try await one.value }
    #expect(work.counts == (1, 1) && gate.counts.cancelled == 0)
    other.cancel()
    await #expect(throws: CancellationError.self) { try await other.value }
    #expect(work.counts == (0, 0))
    await until { gate.counts.cancelled == 1 }
    // One who comes now does not get what was given up.
    let next = Task { try await ask() }
    await until { gate.counts.begun == 2 }
    gate.open(.success(5))
    #expect(try await next.value == 5)
  }

  @Test func `work that outlives its waiters brings what it brings`() async throws {
    let (work, gate) = (SharedWork<Int, Int>(outlivesWaiters: true), Gate())
    let found = Locked(0)
    let keeping: SharedWork<Int, Int>.Work = {
      let value = try await gate.work()
      found.withLock { $0 = value }
      return value
    }
    let one = Task { try await work.value(for: 1, keeping) }
    await until { gate.counts.begun == 1 }
    one.cancel()
    await #expect(throws: CancellationError.self) { try await one.value }
    work.start(1, keeping)
    #expect(work.counts == (1, 0))
    gate.open(.success(7))
    await until { work.counts == (0, 0) }
    #expect(found.withLock { $0 } == 7 && gate.counts == (1, 0))
  }

  @Test func `work that a caller does goes on alone when all who wait have left`() async throws {
    let work = SharedWork<Int, Int>()
    #expect(work.join(1) == nil)
    for isCancelled in [false, true] {
      let wait = try #require(work.join(1))
      let task = Task { try await wait.value() }
      if isCancelled { task.cancel() } else { wait.leave() }
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    // Nothing begins beside it, and who comes later gets its result.
    let late = try #require(work.join(1))
    #expect(work.counts.works == 1)
    work.end(1, .success(5))
    #expect(try await late.value() == 5 && work.counts == (0, 0))
    #expect(work.join(1) == nil)
  }

  @Test func `a task that is cancelled already asks for nothing`() async {
    let (work, gate) = (SharedWork<Int, Int>(), Gate())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await work.value(for: 1) { try await gate.work() }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(gate.counts.begun == 0)
  }

  @Test func `a wait of the caller's own ends when it says so`() async {
    let (work, gate) = (SharedWork<Int, Int>(), Gate())
    await #expect(throws: NoSuchThing.self) {
      try await work.value(for: 1, { try await gate.work() }, waiting: { _ in throw NoSuchThing() })
    }
    #expect(work.counts == (0, 0))
  }

  @Test func `work that hangs is cancelled by the next who asks, and all get the result of the new one`() async throws {
    let (hanging, gate, uptime) = (Gate(), Gate(), Guarded(Duration.zero))
    let work = SharedWork<Int, Int>(outlivesWaiters: false, patience: .seconds(90)) { uptime.withLock { $0 } }
    let early = Task { try await work.value(for: 1) { try await hanging.work() } }
    await until { hanging.counts.begun == 1 }
    uptime.withLock { $0 = .milliseconds(89_999) }
    work.start(1) { try await gate.work() }
    #expect(hanging.counts.cancelled == 0 && gate.counts.begun == 0)
    uptime.withLock { $0 = .seconds(90) }
    work.start(1) { try await gate.work() }
    let late = Task { try await work.value(for: 1) { try await hanging.work() } }
    await until { gate.counts.begun == 1 && hanging.counts.cancelled == 1 && work.counts == (1, 2) }
    gate.open(.success(2))
    #expect(try await early.value == 2)
    #expect(try await late.value == 2)
  }

  @Test func `closing fails all waits with its error, and cancels the work`() async throws {
    let (work, gate) = (SharedWork<Int, Int>(outlivesWaiters: true), Gate())
    let task = Task { try await work.value(for: 1) { try await gate.work() } }
    await until { gate.counts.begun == 1 }
    work.close(with: NoSuchThing())
    await #expect(throws: NoSuchThing.self) { try await task.value }
    await until { gate.counts.cancelled == 1 }
    await #expect(throws: NoSuchThing.self) { try await work.value(for: 2) { try await gate.work() } }
    work.start(3) { try await gate.work() }
    #expect(work.closedWith is NoSuchThing && gate.counts.begun == 1 && work.counts == (0, 0))
  }

  @Test func `work that its owner has dropped is cancelled`() async {
    let gate = Gate()
    do {
      let work = SharedWork<Int, Int>(outlivesWaiters: true)
      work.start(1) { try await gate.work() }
      await until { gate.counts.begun == 1 }
    }
    await until { gate.counts.cancelled == 1 }
  }

  @Test(arguments: [true, false]) func `what one caller does comes to all who wait, once`(fails: Bool) async {
    let work = SharedWork<Int, Int>()
    #expect(work.join(7) == nil)
    guard let one = work.join(7), let other = work.join(7), let gone = work.join(7) else { return #expect(Bool(false)) }
    gone.leave()
    work.end(7, fails ? .failure(NoSuchThing()) : .success(1))
    work.end(7, .success(9))
    for wait in [one, other] {
      let found = try? await wait.value()
      #expect(found == (fails ? nil : 1))
    }
    await #expect(throws: CancellationError.self) { try await gone.value() }
    #expect(work.counts == (0, 0))
  }
}
