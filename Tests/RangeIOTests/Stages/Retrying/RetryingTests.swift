import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Retrying over a source that fails as planned, at exact times of a clock that moves when nothing else can.
struct RetryingTests {
  private typealias Step = ScriptedSource.Step

  /// Retries whose waits are the longest: 100 ms, 200 ms, 400 ms.
  private static func retrying(
    _ attempts: Int = 4, budget: ReadPipeline.RetryBudget = ReadPipeline.RetryBudget(),
    isTransient: (@Sendable (any Error) -> Bool)? = nil
  ) -> ReadPipeline {
    let backoff = Backoff.exponentialBackoff(attempts: attempts)
    guard let isTransient else { return ReadPipeline.retrying(backoff, budget: budget, random: LargestNumbers()) }
    return ReadPipeline.retrying(backoff, budget: budget, isTransient: isTransient, random: LargestNumbers())
  }

  /// Runs `body` with a reader of a source that does what `plan` says.
  private func run(
    _ plan: @escaping @Sendable (Int) -> ScriptedSource.Step,
    through stages: @escaping @Sendable () -> ReadPipeline,
    _ body: @escaping @Sendable (Simulation, RangeReader, ScriptedSource) async throws -> Void
  ) throws {
    for seed in 0..<5 as Range<UInt64> {
      try Simulation.run(seed: seed) { simulation in
        let source = ScriptedSource(time: simulation.time, plan: plan)
        let reader = try await RangeReader(
          source, stages(), configuration: simulation.configuration)
        try await body(simulation, reader, source)
        #expect(simulation.clock.sleeperCount == 0)
      }
    }
  }

  @Test func `what may pass is tried again after the waits drawn`() throws {
    let stage = Noted<ReadPipeline>()
    try run(
      { $0 < 3 ? .fail(ReadError.passing) : .answer },
      through: {
        stage.add(Self.retrying())
        return [stage.all.last!]
      }
    ) { (_, reader, source) async throws in
      #expect(try await reader.isRight(10..<5000))
      #expect(source.times == [.zero, .milliseconds(100), .milliseconds(300), .milliseconds(700)])
      #expect(try await reader.isRight(10..<5000))
    }
    for one in stage.all {
      #expect(one.statistics()?.figures == ["reads": 2, "retries": 3, "recovered": 1])
    }
  }

  @Test func `after as many tries as wished the last error is thrown`() throws {
    let stage = Self.retrying(3)
    try run({ .fail(ReadError(.inputOutput, "\($0)", isTransient: true)) }, through: { [stage] }) {
      (_, reader, source) async throws in
      let error = await #expect(throws: ReadError.self) { try await reader.read(0..<10) }
      #expect(error?.message == "2")
      #expect(source.times == [.zero, .milliseconds(100), .milliseconds(300)])
    }
    #expect(stage.statistics()?.figures == ["reads": 5, "retries": 10, "given up": 5])
  }

  @Test func `what does not pass is not tried again`() throws {
    for error in [ReadError.lasting, ReadError.closed, CancellationError(), Refusal.no] as [any Error] {
      try run({ _ in .fail(error) }, through: { [Self.retrying()] }) { (_, reader, source) async throws in
        await #expect(throws: (any Error).self) { try await reader.read(0..<10) }
        #expect(source.asked.count == 1)
      }
    }
  }

  @Test func `a closed reader and a cancelled read are never tried again, whatever the hook says`() throws {
    for error in [ReadError.closed, CancellationError()] as [any Error] {
      try run({ _ in .fail(error) }, through: { [Self.retrying { _ in true }] }) { (_, reader, source) async throws in
        await #expect(throws: (any Error).self) { try await reader.read(0..<10) }
        #expect(source.asked.count == 1)
      }
    }
  }

  @Test func `opening is tried again like a read, and not after what stays or when it is cancelled`() throws {
    var busy = ReadError(.inputOutput, "busy", isTransient: true)
    busy.retryAfter = .seconds(3)
    for (errors, times) in [
      ([ReadError.passing, busy], [0, 100, 3300]), ([ReadError.lasting], [0]), ([CancellationError()], [0]),
      (Array(repeating: ReadError.passing, count: 9), [0, 100, 300, 700]),
    ] as [([any Error], [Int])] {
      try Simulation.run(seed: 0) { simulation in
        let source = LateOpening(errors, simulation.time)
        let stage = Self.retrying()
        do {
          let reader = try await RangeReader(source, [stage], configuration: simulation.configuration)
          #expect(errors.count == 2)
          #expect(try await reader.isRight(0..<10))
          #expect(stage.statistics()?.figures == ["reads": 1, "retries": 2, "recovered": 1])
        } catch {
          #expect(errors.count != 2 && "\(error)" == "\(errors[times.count - 1])")
        }
        #expect(source.times.all == times.map { .milliseconds($0) })
        #expect(simulation.clock.sleeperCount == 0)
      }
    }
  }

  @Test func `opening that waits for another try ends at once when it is cancelled`() throws {
    try Simulation.run(seed: 0) { simulation in
      let source = LateOpening([ReadError.passing, ReadError.passing], simulation.time)
      let opening = simulation.start {
        try await RangeReader(source, [Self.retrying()], configuration: simulation.configuration)
      }
      try await simulation.clock.sleep(for: .milliseconds(50))
      opening.cancel()
      await #expect(throws: CancellationError.self) { try await opening.value }
      #expect(simulation.clock.now.offset == .milliseconds(50))
      #expect(source.times.all == [.zero])
    }
  }

  @Test func `errors of others are tried again if the hook says so`() throws {
    try run(
      { $0 == 0 ? .fail(Refusal.no) : .answer }, through: { [Self.retrying { $0 is Refusal }] }
    ) { (_, reader, source) async throws in
      #expect(try await reader.isRight(0..<10))
      #expect(source.times == [.zero, .milliseconds(100)])
    }
  }

  @Test func `a source is left alone as long as it asks for`() throws {
    var busy = ReadError(.inputOutput, "busy", isTransient: true)
    busy.retryAfter = .seconds(3)
    try run(
      { [busy] in $0 == 0 ? .fail(busy) : .answer }, through: { [Self.retrying()] }
    ) { (_, reader, source) async throws in
      #expect(try await reader.isRight(0..<10))
      #expect(source.times == [.zero, .milliseconds(3100)])
    }
  }

  @Test func `a read that has a deadline gives up before it, with the last error`() throws {
    try run(
      { _ in .fail(ReadError.passing) }, through: { [ReadPipeline.timeLimit(.milliseconds(350)), Self.retrying(10)] }
    ) { (simulation, reader, source) async throws in
      let error = await #expect(throws: ReadError.self) { try await reader.read(0..<10) }
      #expect(error?.code == .inputOutput)
      // The next would have begun at 700 ms.
      #expect(source.times == [.zero, .milliseconds(100), .milliseconds(300)])
      #expect(simulation.clock.now.offset == .milliseconds(300))
    }
  }

  @Test(arguments: [1, 3, 5]) func `a source that is away for some seconds is waited for by all readers`(away: Int)
    throws
  {
    for seed in testSeeds.prefix(5) {
      try Simulation.run(seed: seed) { simulation in
        let source = ScriptedSource(time: simulation.time) { [clock = simulation.clock] _ in
          clock.now.offset < .seconds(away) ? .fail(ReadError.passing) : .answer
        }
        let stage: ReadPipeline = .retrying(random: TestRandom(seed))
        let reader = try await RangeReader(source, [stage], configuration: simulation.configuration)
        try await withThrowingTaskGroup(of: Bool.self) { group in
          for number in 0..<32 { group.addTask { try await reader.isRight(number * 100..<number * 100 + 50) } }
          for try await isRight in group { #expect(isRight) }
        }
        #expect(simulation.clock.now.offset < .seconds(away + 11), "seed \(seed)")
        // None of them asks all the time.
        #expect(source.asked.count < 32 * 12, "seed \(seed)")
      }
    }
  }

  @Test func `a source that stays away fails after half a minute, not for ever`() throws {
    for seed in testSeeds.prefix(5) {
      try Simulation.run(seed: seed) { simulation in
        let source = ScriptedSource(time: simulation.time) { _ in .fail(ReadError.passing) }
        let stage: ReadPipeline = .retrying(random: TestRandom(seed))
        let reader = try await RangeReader(source, [stage], configuration: simulation.configuration)
        await #expect(throws: ReadError.self) { try await reader.read(0..<10) }
        #expect((.seconds(10) ... .seconds(60)).contains(simulation.clock.now.offset), "seed \(seed)")
      }
    }
  }

  @Test func `opening a source that was never reached is given up soon: its name may be wrong`() throws {
    var unreached = ReadError.passing
    unreached.isUnreached = true
    try Simulation.run(seed: 0) { [unreached] simulation in
      let source = LateOpening(Array(repeating: unreached, count: 20), simulation.time)
      await #expect(throws: ReadError.self) {
        try await RangeReader(source, [Self.retrying(13)], configuration: simulation.configuration)
      }
      #expect(source.times.all == [0, 100, 300, 700, 1500, 3100].map { .milliseconds($0) })
    }
  }

  @Test func `opening is not tried again once the time of a read is over`() throws {
    try Simulation.run(seed: 0) { simulation in
      let source = LateOpening(Array(repeating: ReadError.passing, count: 20), simulation.time)
      await #expect(throws: ReadError.self) {
        try await RangeReader(
          source, [.timeLimit(.seconds(20)), .timeLimit(.seconds(1)), Self.retrying(13), .timeLimit(.milliseconds(1))],
          configuration: simulation.configuration)
      }
      #expect(source.times.all == [0, 100, 300, 700].map { .milliseconds($0) })
    }
  }

  @Test func `with a spent budget errors are thrown at once, until reads succeed again`() throws {
    let budget = ReadPipeline.RetryBudget(allowance: 2, share: 0.5)
    let stage = Self.retrying(budget: budget)
    try Simulation.run(seed: 1) { simulation in
      let isDown = Locked(true)
      let source = ScriptedSource(time: simulation.time) { _ in
        isDown.withLock { $0 } ? .fail(ReadError.passing) : .answer
      }
      let reader = try await RangeReader(source, [stage], configuration: simulation.configuration)
      for _ in 0..<100 { await #expect(throws: ReadError.self) { try await reader.read(0..<10) } }
      #expect(source.asked.count == 102)
      #expect(!budget.allowsRetries)
      isDown.withLock { $0 = false }
      for _ in 0..<6 { #expect(try await reader.isRight(0..<10)) }
      #expect(budget.allowsRetries)
    }
    #expect(
      stage.statistics()?.figures == ["reads": 106, "retries": 2, "refused by the budget": 100])
  }

  @Test func `readers that share a budget spend it together`() throws {
    let budget = ReadPipeline.RetryBudget(allowance: 3)
    try Simulation.run(seed: 1) { simulation in
      var tries = 0
      for _ in 0..<4 {
        let source = ScriptedSource(time: simulation.time) { _ in .fail(ReadError.passing) }
        let reader = try await RangeReader(
          source, [Self.retrying(budget: budget)], configuration: simulation.configuration)
        await #expect(throws: ReadError.self) { try await reader.read(0..<10) }
        tries += source.asked.count
      }
      #expect(tries == 4 + 3)
    }
  }

  @Test func `a read that waits to be tried again is answered at once when it is cancelled`() throws {
    try run({ _ in .fail(ReadError.passing) }, through: { [Self.retrying()] }) {
      (simulation, reader, source) async throws in
      let read = simulation.start { try await reader.read(0..<10) }
      try await simulation.clock.sleep(for: .milliseconds(50))
      read.cancel()
      await #expect(throws: CancellationError.self) { try await read.value }
      #expect(simulation.clock.now.offset == .milliseconds(50))
      #expect(source.asked.count == 1)
    }
  }

  @Test func `a read that waits to be tried again is answered at once when its reader is closed`() throws {
    try run({ _ in .fail(ReadError.passing) }, through: { [Self.retrying()] }) {
      (simulation, reader, source) async throws in
      let read = simulation.start { try await reader.read(0..<10) }
      try await simulation.clock.sleep(for: .milliseconds(50))
      await reader.close()
      let error = await #expect(throws: ReadError.self) { try await read.value }
      #expect(error?.code == .closed)
      #expect(simulation.clock.now.offset == .milliseconds(50))
      #expect(source.asked.count == 1)
    }
  }

  @Test func `a prefetch without a waiter is not tried again`() throws {
    let asking = Asking()
    asking.purpose = .prefetch
    try run({ _ in .fail(ReadError.passing) }, through: { [.stage(asking), Self.retrying()] }) {
      (_, reader, source) async throws in
      await #expect(throws: ReadError.self) { try await reader.read(0..<10) }
      #expect(source.asked.count == 1)
    }
  }

  @Test func `all ranges of a vectored read are tried again together`() throws {
    try run({ $0 == 0 ? .fail(ReadError.passing) : .answer }, through: { [Self.retrying()] }) {
      (_, reader, source) async throws in
      let all = try await reader.read([5..<10, 700..<800])
      #expect(all == [SyntheticSource.bytes(5..<10), SyntheticSource.bytes(700..<800)])
      #expect(source.asked.map(\.ranges) == [[5..<10, 700..<800], [5..<10, 700..<800]])
    }
  }

  @Test func `reads of one block wait together for its retries`() throws {
    let store = MemoryStore(limit: .mebibytes(1))
    try Simulation.run(seed: 3) { simulation in
      let source = ScriptedSource(time: simulation.time) { $0 < 2 ? .fail(ReadError.passing) : .answer }
      let reader = try await RangeReader(
        source,
        [.caching(store, blockSize: .kibibytes(4)), Self.retrying()],
        configuration: simulation.configuration)
      let reads = (0..<20).map { number in simulation.start { try await reader.isRight(number..<number + 100) } }
      for read in reads { #expect(try await read.value) }
      #expect(source.times == [.zero, .milliseconds(100), .milliseconds(300)])
      #expect(store.isQuiet)
    }
  }
}

/// A source that can be described only after some errors, and which notes when it was asked.
private final class LateOpening: RangeSource {
  private let base = SyntheticSource(byteCount: 100_000)
  private let errors: [any Error]
  private let time: ReadClock
  let times = Noted<Duration>()

  init(_ errors: [any Error], _ time: ReadClock) {
    self.errors = errors
    self.time = time
  }

  func describe() async throws -> SourceDescription {
    let number = times.all.count
    times.add(ReadClock.Instant(nanoseconds: 0).duration(to: time.now))
    if number < errors.count { throw errors[number] }
    return try await base.describe()
  }

  func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
    try await base.read(range, of: source)
  }
}
