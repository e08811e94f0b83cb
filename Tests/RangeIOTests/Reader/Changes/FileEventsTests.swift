import Foundation
import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Every event that may befall a file, under every policy, cached and not, between reads and in their midst: no answer is
/// of two versions, and each ends as the table says.
struct FileEventsTests {
  private static let policies: [RangeReader.ChangePolicy] = [.fail, .refresh, .follow]

  /// 10,000 when stress is asked for; some hundreds else.
  private static let runs = TestScale.isStress ? TestScale.seeds : max(96, TestScale.seeds / 25)

  @Test func `whatever happens to a file, each answer is of one version, as the table of events and policies says`()
    async throws
  {
    var figures = Figures()
    // In portions, of which all files are written first: then all are settled after one tick of the kernel's clock.
    let portion = 480
    for first in stride(from: 0, to: Self.runs, by: portion) {
      let directory = try TemporaryDirectory()
      let seeds = first..<min(Self.runs, first + portion)
      let scripts = try seeds.map { number in
        let seed = TestScale.firstSeed + number
        let event = FileEvent.allCases[seed % FileEvent.allCases.count]
        return try FileScript(event, directory.path("\(seed)"), seed: UInt64(seed))
      }
      try await settle(directory.path("\(TestScale.firstSeed + seeds.upperBound - 1)"))
      for (number, script) in zip(seeds, scripts) {
        let seed = TestScale.firstSeed + number
        var run = EventRun(script, Self.policies[seed / 16 % 3], isCached: seed / 48 % 2 == 0, seed: seed)
        try await run.go()
        figures.add(run.figures)
      }
    }
    #expect(figures.answers > Self.runs && figures.changes > Self.runs / 4, "\(figures)")
  }

  struct Figures {
    var answers = 0
    var changes = 0

    mutating func add(_ other: Figures) {
      answers += other.answers
      changes += other.changes
    }
  }
}

/// A clock whose sleeps are over at once.
private struct HastyClock: Clock {
  typealias Instant = ContinuousClock.Instant
  var now: Instant { .now }
  var minimumResolution: Duration { .zero }
  func sleep(until deadline: Instant, tolerance: Duration?) async throws { try Task.checkCancellation() }
}

/// One reader of one file that one event befalls.
private struct EventRun {
  let script: FileScript
  let policy: RangeReader.ChangePolicy
  let isCached: Bool
  let seed: Int
  var random: TestRandom
  var figures = FileEventsTests.Figures()

  init(_ script: FileScript, _ policy: RangeReader.ChangePolicy, isCached: Bool, seed: Int) {
    (self.script, self.policy, self.isCached, self.seed) = (script, policy, isCached, seed)
    random = TestRandom(UInt64(seed) &+ 77)
  }

  private var seen: FileEvent.Seen { script.event.seen(by: policy) }
  private var name: Comment { "seed \(seed): \(script.event), \(policy), cached: \(isCached)" }

  mutating func go() async throws {
    var configuration = RangeReader.Configuration(onChange: policy.polling(every: .seconds(3600)))
    configuration.streamWindow = 4096
    var file = TestEngine.configuration(syscalls: script.syscalls)
    file.isAppendOnly = policy == .follow
    // Nothing is written while a step is not under way.
    file.resting = RestingFiles(ReadClock(HastyClock()))
    let (store, isCached) = (MemoryStore(limit: .mebibytes(1)), self.isCached)
    let reader = try await RangeReader(
      FileSource(script.path, configuration: file), [isCached ? .caching(store, blockSize: .kibibytes(4)) : []],
      configuration: configuration)
    for _ in 0..<random.below(3) { try await act(reader) }
    script.set(isRunning: true)
    for _ in 0..<4 + random.below(6) {
      script.maybeStep(oneIn: 3)
      try await act(reader)
    }
    script.finish()
    for _ in 0..<random.below(3) { try await act(reader) }
    try await end(reader)
    await reader.close()
  }

  // MARK: acting

  /// Reads something in one way or another, and compares it.
  private mutating func act(_ reader: RangeReader) async throws {
    let lower = random.below(FileScript.byteCount)
    let upper = min(FileScript.byteCount, lower + 1 + random.below(9000))
    do {
      switch random.below(6) {
      case 0:
        let ranges = [lower..<upper, 0..<64, 20_000..<20_100]
        let all = try await reader.read(ranges)
        compare(zip(ranges, all).map { ($0.0.lowerBound, $0.1) })
      case 1:
        var pieces: [Bytes] = []
        for try await piece in reader.stream(lower..<upper, chunkSize: .bytes(3000)) { pieces.append(piece) }
        compare([(lower, Bytes(concatenating: pieces))])
      case 2:
        var pieces: [Bytes] = []
        for try await piece in reader.stream(chunkSize: .bytes(3000)) { pieces.append(piece) }
        compare([(0, Bytes(concatenating: pieces))])
      case 3: try await reader.refresh()
      case 4: compare([(lower, try await reader.read(lower..<upper, caching: .bypass))])
      default: compare([(lower, try await reader.read(lower..<upper))])
      }
    } catch let error as ReadError where error.code == .sourceChanged {
      // A stream that was under way does not turn.
      #expect(seen == .changed || seen == .turned, "\(name): \(error)")
      figures.changes += 1
    } catch let error as ReadError where error.code == .rangeNotSatisfiable && policy == .refresh {
      // It was short just then.
      #expect(seen == .turned, "\(name): \(error)")
    }
  }

  /// What was answered at once has to be of one version, and of one that may be seen.
  private mutating func compare(_ parts: [(offset: Int, bytes: Bytes)]) {
    figures.answers += 1
    let all = script.history
    let allowed: [[UInt8]] =
      switch seen {
      case .same, .changed: [all[0]]
      case .grown: [all[all.count - 1]]
      case .turned: all
      }
    let isOfOne = allowed.contains { version in
      parts.allSatisfy { offset, bytes in
        offset + bytes.count <= version.count && version[offset..<offset + bytes.count].elementsEqual(bytes)
      }
    }
    #expect(isOfOne, "\(name): \(parts.map { ($0.offset, $0.bytes.count) })")
  }

  // MARK: the end

  /// Everything has happened: what the table says.
  private mutating func end(_ reader: RangeReader) async throws {
    let last = script.history[script.history.count - 1]
    switch seen {
    case .same: try await expect(reader, script.history[0])
    case .grown, .turned: try await expect(reader, last)
    case .changed:
      // Not root: nobody gave the file away.
      let looks: [() async throws -> Void] = [
        { _ = try await reader.refresh() }, { _ = try await reader.read(0..<64, caching: .bypass) },
        { for try await _ in reader.stream(8000..<9000) {} }, { _ = try await reader.read([0..<1, 24_000..<24_001]) },
      ]
      for (number, look) in looks.enumerated() where number < 2 || !isCached {
        let error = await #expect(throws: ReadError.self, name) { try await look() }
        #expect(error?.code == .sourceChanged, "\(name): look \(number)")
      }
    }
  }

  private func expect(_ reader: RangeReader, _ contents: [UInt8]) async throws {
    #expect(try await reader.refresh() == contents.count, name)
    #expect(try await reader.read(0..<contents.count) == Bytes(contents), name)
    #expect(try await reader.read(0..<contents.count, caching: .bypass) == Bytes(contents), name)
    var count = 0
    for try await piece in reader.stream(chunkSize: .bytes(5000)) {
      #expect(piece == Bytes(contents[count..<count + piece.count]), name)
      count += piece.count
    }
    #expect(count == contents.count, name)
  }
}
