import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// How often readers look at a source while it changes all the time, and while it does not change.
@Suite(.simulated) struct LookIntervalTests {
  private let simulation = Simulation.current!

  /// A source that tells of each change, or does not, and counts looks.
  private final class TellingSource: RangeSource {
    private struct State {
      var byteCount = 1000
      var looks = 0
    }
    private struct Size: SourceDescription.Validator {
      let byteCount: Int
      func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
        guard let newer = newer as? Size else { return .other }
        return newer.byteCount == byteCount ? .same : newer.byteCount > byteCount ? .extends : .other
      }
    }
    private let state = Locked(State())
    private let changes = Notifier()
    private let tells: Bool
    /// There is no watch to be had, which shows when one is asked for, each time.
    private let hasNoWatch: Bool

    init(tells: Bool = true, hasNoWatch: Bool = false) {
      self.tells = tells
      self.hasNoWatch = hasNoWatch
    }

    var looks: Int { state.withLock { $0.looks } }

    func append(_ count: Int) {
      state.withLock { $0.byteCount += count }
      changes.notify()
    }

    private func description(counting: Bool) -> SourceDescription {
      let byteCount = state.withLock { state in
        if counting { state.looks += 1 }
        return state.byteCount
      }
      return SourceDescription(
        id: "telling", validator: Size(byteCount: byteCount), byteCount: byteCount,
        traits: .with { ($0.mayGrow, $0.isAppendOnly, $0.reportsChanges) = (true, true, tells) })
    }

    func describe() async throws -> SourceDescription { description(counting: true) }

    func waitForChange(after source: SourceDescription) async throws {
      if hasNoWatch { throw ReadError(.resourcesExhausted, "made up: no watch") }
      let answer = changes.listen()
      defer { changes.leave(answer) }
      if source.byteCount != description(counting: false).byteCount { return }
      // One that does not tell of changes never does.
      if tells { try await answer.value() } else { try await Promise<Void>().value() }
    }

    func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes { SyntheticSource.bytes(range) }
  }

  private func reader(_ source: some RangeSource, _ policy: RangeReader.ChangePolicy) async throws -> RangeReader {
    var configuration = simulation.configuration
    configuration.onChange = policy
    return try await RangeReader(source, [], configuration: configuration)
  }

  /// Has `source` grow 3,000 times a second, for so long.
  private func appendAllTheTime(_ source: TellingSource, for duration: Duration) async throws {
    let end = simulation.clock.now.advanced(by: duration)
    while simulation.clock.now < end {
      source.append(10)
      try await simulation.clock.sleep(for: .microseconds(333))
    }
  }

  @Test func `thousands of appends a second cost a reader one look in 20 milliseconds`() async throws {
    let source = TellingSource()
    let reader = try await reader(source, .follow)
    await quiet()
    let before = source.looks
    try await appendAllTheTime(source, for: .seconds(2))
    #expect((90...101).contains(source.looks - before), "\(source.looks - before)")
    // What came last is not forgotten.
    try await simulation.clock.sleep(for: .milliseconds(20))
    await quiet()
    #expect(reader.byteCount == 1000 + 6007 * 10)
    await reader.close()
  }

  @Test func `each stream that follows adds one look in 20 milliseconds at most, and hands out every byte`()
    async throws
  {
    let source = TellingSource()
    let reader = try await reader(source, .follow)
    let counts = (0..<3).map { _ in
      start {
        var count = 0
        for try await piece in reader.stream(following: 0...) {
          count += piece.count
          if count == 1000 + 6007 * 10 { break }
        }
        return count
      }
    }
    await quiet()
    let before = source.looks
    try await appendAllTheTime(source, for: .seconds(2))
    for count in counts { #expect(try await count.value == 1000 + 6007 * 10) }
    #expect(source.looks - before <= 4 * 102, "\(source.looks - before)")
    await reader.close()
  }

  @Test(arguments: [RangeReader.ChangePolicy.refresh, .follow])
  func `a source that tells of changes is looked at once in 16 intervals while it is idle`(
    policy: RangeReader.ChangePolicy
  ) async throws {
    for (tells, looks) in [(true, 10), (false, 160)] {
      let source = TellingSource(tells: tells)
      let reader = try await reader(source, policy)
      await quiet()
      let before = source.looks
      try await simulation.clock.sleep(for: .milliseconds(160_500))
      await quiet()
      #expect(source.looks - before == looks, "tells: \(tells)")
      await reader.close()
    }
  }

  @Test(arguments: [RangeReader.ChangePolicy.refresh, .follow])
  func `where there is no watch to be had, changes are noticed within an interval`(policy: RangeReader.ChangePolicy)
    async throws
  {
    let source = TellingSource(hasNoWatch: true)
    let reader = try await reader(source, policy)
    await quiet()
    let before = source.looks
    try await simulation.clock.sleep(for: .milliseconds(20_500))
    await quiet()
    #expect(source.looks - before == 20)
    await reader.close()
  }

  @Test(arguments: [RangeReader.ChangePolicy.fail, .follow])
  func `however many streams follow, their reader is looked at twice in an interval at most`(
    policy: RangeReader.ChangePolicy
  ) async throws {
    let source = TellingSource(tells: false)
    let reader = try await reader(source, policy)
    let counts = (0..<300).map { _ in
      start {
        var count = 0
        for try await piece in reader.stream(following: 0...) {
          count += piece.count
          if count == 2000 { break }
        }
        return count
      }
    }
    try await simulation.clock.sleep(for: .seconds(5))
    let before = source.looks
    try await simulation.clock.sleep(for: .seconds(20))
    #expect((15...45).contains(source.looks - before), "\(source.looks - before)")
    source.append(1000)
    // Of what came all are told within one more.
    let end = simulation.clock.now.advanced(by: .milliseconds(1100))
    for count in counts { #expect(try await count.value == 2000) }
    #expect(simulation.clock.now <= end)
    await reader.close()
  }

  #if os(Linux)
    @Test func `an idle file is not looked at where the system tells of changes`() async throws {
      let directory = try TemporaryDirectory()
      let looks = AwaitedCount()
      let pathLooks = AwaitedCount()
      // What threads would do is done at once by who asks for it.
      let threads = IOThreads(limit: 1, start: { _, _ in -1 })
      var file = TestEngine.configuration(
        .positional,
        syscalls: Syscalls(
          .init(
            status: {
              looks.add()
              return Syscalls.kernelStatus($0, &$1)
            },
            statusOfPath: {
              pathLooks.add()
              return Syscalls.kernelStatusOfPath($0, &$1)
            })), threads: threads)
      file.remoteThreads = threads
      var readers: [RangeReader] = []
      let path = directory.path("file")
      try write([UInt8](repeating: 1, count: 5000), to: path)
      for _ in 0..<100 { readers.append(try await reader(FileSource(path, configuration: file), .refresh)) }
      await quiet()
      let (before, pathsBefore) = (looks.now, pathLooks.now)
      // Each watches again after a look, and sees by one more that nothing happened between the two.
      for second in 1...48 {
        try await simulation.clock.sleep(for: .seconds(1))
        await quiet()
        #expect(pathLooks.now - pathsBefore == second / 16 * 100, "second \(second)")
        #expect(looks.now - before == second / 16 * 200, "second \(second)")
      }
      for reader in readers { await reader.close() }
    }
  #endif
}
