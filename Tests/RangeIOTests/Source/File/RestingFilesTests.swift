import CRangeIOSystem
import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Those who wait until one file is at rest.
@Suite(.simulated) struct RestingFilesTests {
  private let directory: TemporaryDirectory
  private let clock = Simulation.current!.clock
  private let looks = AwaitedCount()
  private let sleeps = AwaitedCount()

  init() throws { directory = try TemporaryDirectory() }

  /// Counts how often somebody sleeps.
  private struct CountedClock: Clock {
    typealias Instant = ManualClock.Instant
    let clock: ManualClock
    let sleeps: AwaitedCount

    var now: Instant { clock.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
      sleeps.add()
      try await clock.sleep(until: deadline, tolerance: tolerance)
    }
  }

  /// What the wall clock shows when the simulation begins. The kernel stamps the time of status change by a clock of its
  /// own, which is behind this one for as long as the test runs: a version is settled from the beginning.
  private let epoch = Syscalls.system.call.wallClock().now / 1_000_000_000 + 3600

  /// The system's calls, with looks counted, and a wall clock that goes on with the simulation's.
  private var syscalls: Syscalls {
    Syscalls(
      .init(
        status: { [looks] in
          looks.add()
          return Syscalls.kernelStatus($0, &$1)
        }, wallClock: { [epoch, clock] in (epoch * 1_000_000_000 + clock.now.offset.nanoseconds, 4_000_000) }))
  }

  /// Writes the file as if it were `ago` before the simulation's present.
  private func rewrite(_ bytes: [UInt8], _ path: String, ago: Duration = .zero) throws {
    try write(bytes, to: path)
    let (seconds, attoseconds) = (clock.now.offset - ago).components
    // Rounded down.
    let (whole, rest) =
      attoseconds < 0 ? (seconds - 1, attoseconds + 1_000_000_000_000_000_000) : (seconds, attoseconds)
    let time = timespec(tv_sec: Int(epoch + whole), tv_nsec: Int(rest / 1_000_000_000))
    try #require(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
  }

  /// `count` sources that have the file at `path` open. What their threads would do is done at once by who asks for it, so
  /// that one that waits stops the test.
  private func sources(_ count: Int, of path: String) async throws -> [FileSource] {
    let threads = IOThreads(limit: 1, start: { _, _ in -1 })
    var configuration = TestEngine.configuration(.positional, syscalls: syscalls, threads: threads)
    configuration.remoteThreads = threads
    configuration.resting = RestingFiles(ReadClock(CountedClock(clock: clock, sleeps: sleeps)))
    try rewrite([UInt8](repeating: 1, count: 5000), path, ago: .seconds(10))
    var opened: [FileSource] = []
    for _ in 0..<count {
      opened.append(FileSource(path, configuration: configuration))
      _ = try await opened[opened.count - 1].describe()
    }
    return opened
  }

  /// What a reader does under `.refresh` whose read finds the file changed.
  private func turn(_ source: FileSource, _ old: SourceDescription) async throws -> Bytes {
    let error = await #expect(throws: ReadError.self) { _ = try await source.read(10..<4000, of: old) }
    #expect(error?.code == .sourceChanged)
    return try await source.read(10..<4000, of: try await source.renew())
  }

  @Test func `sixty-four readers of one rewritten file wait by one timer, and one look is enough for all`() async throws
  {
    let path = directory.path("file")
    var readers: [(source: FileSource, old: SourceDescription)] = []
    for source in try await sources(64, of: path) { readers.append((source, try await source.describe())) }
    #expect(sleeps.now == 0)
    let new = [UInt8](SyntheticSource.bytes(0..<5000, version: 2))
    try rewrite(new, path)
    let before = looks.now
    let reads = readers.map { source, old in start { try await turn(source, old) } }
    await quiet()
    // No read has ended: the file was written a moment ago.
    #expect(sleeps.now == 1 && clock.sleeperCount == 1, "\(sleeps.now) timers")
    // Four when the read found it changed, and three to tell what it is now.
    #expect(looks.now - before <= 64 * 7, "\(looks.now - before) looks")
    let beforeEnd = looks.now
    for read in reads { #expect(try await read.value == Bytes(new[10..<4000])) }
    #expect(clock.now.offset == .milliseconds(250))
    #expect(sleeps.now == 1, "\(sleeps.now) timers")
    // One for all, and each after its own read.
    #expect(looks.now - beforeEnd == 1 + 64, "\(looks.now - beforeEnd) looks")
    for reader in readers { await reader.source.close() }
  }

  @Test func `a file that is written to all the time is waited for half a second, by one timer at a time`() async throws
  {
    let path = directory.path("file")
    let sources = try await sources(64, of: path)
    try rewrite([2], path, ago: .milliseconds(100))
    let renewals = sources.map { source in start { try await source.renew() } }
    await quiet()
    while clock.sleeperCount > 0 {
      #expect(clock.sleeperCount == 1)
      try rewrite([UInt8](repeating: 3, count: Int(clock.now.offset / .milliseconds(1)) + 1), path)
      clock.advance(by: .milliseconds(10))
      await quiet()
    }
    for renewal in renewals { _ = try await renewal.value }
    #expect(clock.now.offset > .milliseconds(250) && clock.now.offset <= .milliseconds(500), "\(clock.now.offset)")
    #expect(sleeps.now == 2, "timers")
    for source in sources { await source.close() }
  }

  @Test func `who is cancelled or closed while he waits is answered at once, and the others go on`() async throws {
    let path = directory.path("file")
    let sources = try await sources(4, of: path)
    let new = [UInt8](repeating: 2, count: 6000)
    try rewrite(new, path)
    let renewals = sources.map { source in start { try await source.renew() } }
    await quiet()
    #expect(clock.sleeperCount == 1)
    let began = clock.now
    renewals[0].cancel()
    await #expect(throws: CancellationError.self) { _ = try await renewals[0].value }
    await sources[1].close()
    let error = await #expect(throws: ReadError.self) { _ = try await renewals[1].value }
    #expect(error?.code == .closed)
    #expect(clock.now == began && clock.sleeperCount == 1)
    for renewal in renewals[2...] { #expect(try await renewal.value.byteCount == 6000) }
    #expect(sleeps.now == 1)
    for source in sources { await source.close() }
  }

  @Test func `when all have left, nothing is waited for`() async throws {
    let path = directory.path("file")
    let sources = try await sources(3, of: path)
    try rewrite([UInt8](repeating: 2, count: 6000), path)
    let renewals = sources.map { source in start { try await source.renew() } }
    await quiet()
    #expect(clock.sleeperCount == 1)
    for renewal in renewals { renewal.cancel() }
    for renewal in renewals { await #expect(throws: CancellationError.self) { _ = try await renewal.value } }
    await quiet()
    #expect(clock.sleeperCount == 0)
    for source in sources { await source.close() }
  }

  @Test func `where the shared look fails, each looks itself`() async throws {
    let resting = RestingFiles(ReadClock(clock))
    let status = {
      var status = FileStatus()
      status.inode = 4711
      return status
    }()
    let version = FileVersion(status)
    let asked = AwaitedCount()
    let waits = (0..<3).map { _ in
      start {
        let (waiting, gate) = (WaiterRegistry(), ShutdownGate())
        #expect(gate.enter())
        defer { gate.leave() }
        return try await resting.wait(.seconds(1), for: version, in: waiting, gate) {
          asked.add()
          throw ReadError(.inputOutput, "made up")
        }
      }
    }
    for wait in waits {
      let (waited, seen) = try await wait.value
      #expect(seen == nil && waited == .seconds(1))
    }
    #expect(asked.now == 1)
    // Who comes later waits anew, and only for what is left.
    let late = start {
      let gate = ShutdownGate()
      #expect(gate.enter())
      defer { gate.leave() }
      return try await resting.wait(.seconds(1), for: version, in: WaiterRegistry(), gate) { status }
    }
    try await clock.sleep(for: .milliseconds(600))
    let gate = ShutdownGate()
    #expect(gate.enter())
    let joined = try await resting.wait(.seconds(1), for: version, in: WaiterRegistry(), gate) { status }
    gate.leave()
    #expect(joined.waited == .milliseconds(400) && joined.seen == status)
    #expect(try await late.value.seen == status)
  }
}

/// The same on Swift's threads.
struct RestingFilesRaceTests {
  /// A clock on which others go on a few times before a sleep is over.
  private struct YieldingClock: Clock {
    typealias Instant = ContinuousClock.Instant
    var now: Instant { .now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
      for _ in 0..<3 {
        try Task.checkCancellation()
        await Task.yield()
      }
    }
  }

  @Test func `each waiter is answered once, however many begin, end and are cancelled at the same time`()
    async throws
  {
    let resting = RestingFiles(ReadClock(YieldingClock()))
    let (answers, cancellations) = (AwaitedCount(), AwaitedCount())
    let versions = (0..<3).map { inode in
      var status = FileStatus()
      status.inode = UInt64(inode)
      return FileVersion(status)
    }
    for round in 0..<200 {
      let gates = (0..<32).map { _ in ShutdownGate() }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, gate) in gates.enumerated() {
          let task = Task {
            try #require(gate.enter())
            defer { gate.leave() }
            let seen = try await resting.wait(.seconds(1), for: versions[number % 3], in: WaiterRegistry(), gate) {
              await Task.yield()
              if number % 5 == 0 { throw ReadError(.inputOutput, "made up") }
              var status = FileStatus()
              status.inode = UInt64(number % 3)
              return status
            }.seen
            #expect(seen.map { $0.inode == UInt64(number % 3) } ?? true)
          }
          group.addTask {
            do {
              try await task.value
              answers.add()
            } catch is CancellationError {
              cancellations.add()
            }
          }
          if (number + round) % 4 == 0 { task.cancel() }
        }
        try await group.waitForAll()
      }
      // A look may end after the last answer: it was cancelled then.
      for gate in gates {
        #expect(gate.close())
        try await gate.drained()
      }
    }
    #expect(answers.now + cancellations.now == 200 * 32 && answers.now > 200 * 16, "\(answers.now)")
  }
}
