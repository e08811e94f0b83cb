import Foundation
import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Readers that turn to new versions, and files that change under all kinds of readers.
struct RefreshingTests {
  /// A reader that turns to new versions, and keeps what it reads.
  private static func refreshingReader(
    _ source: some RangeSource, _ simulation: Simulation
  ) async throws -> RangeReader {
    var configuration = simulation.configuration
    configuration.onChange = .refresh
    return try await RangeReader(source, [.caching(MemoryStore(limit: .mebibytes(4)))], configuration: configuration)
  }

  @Test func `a read after a change is of the new version, and nothing of the old one is kept`() async throws {
    let source = SyntheticSource(byteCount: 100_000)
    let store = MemoryStore(limit: .mebibytes(4))
    let reader = try await RangeReader(source, [.caching(store)], configuration: .init(onChange: .refresh))
    _ = try await reader.read(0..<10)
    source.rewrite()
    // Of the cache, which cannot know; then of the source, which does.
    _ = try await reader.read(0..<10)
    #expect(try await reader.read(70_000..<70_010) == source.expected(70_000..<70_010))
    #expect(try await reader.read(0..<10) == source.expected(0..<10))
    #expect(store.sources.count == 1)
    await reader.close()
  }

  @Test func `a change is noticed between reads`() throws {
    try Simulation.run(seed: 1) { simulation in
      let source = SyntheticSource(byteCount: 1000)
      let reader = try await Self.refreshingReader(source, simulation)
      _ = try await reader.read(0..<1000)
      source.rewrite()
      try await simulation.time.sleep(for: .seconds(3))
      #expect(try await reader.read(0..<1000) == source.expected(0..<1000))
      await reader.close()
    }
  }

  @Test func `a range that the new version does not hold is refused with its size`() async throws {
    let directory = try TemporaryDirectory()
    let path = try await directory.file(count: 10_000).path
    let reader = try await RangeReader(path, onChange: .refresh)
    _ = try await reader.read(0..<10)
    try write(Array(repeating: 7, count: 100), to: path)
    let error = await #expect(throws: ReadError.self) { _ = try await reader.read(5000..<5010) }
    #expect(error?.code == .rangeNotSatisfiable)
    #expect(try await reader.read(0..<100) == Bytes(repeatElement(7, count: 100)))
    #expect(reader.byteCount == 100)
    await reader.close()
  }

  @Test func `a stream that is under way does not turn to another version`() async throws {
    let source = SyntheticSource(byteCount: 4 << 20)
    let reader = try await RangeReader(source, configuration: .init(onChange: .refresh))
    var pieces = reader.stream(chunkSize: .kibibytes(64)).makeAsyncIterator()
    let first = try await pieces.next()
    #expect(first == source.expected(0..<65536))
    let old = source.expected(0..<4 << 20)
    source.rewrite()
    var position = 65536
    let error = await #expect(throws: ReadError.self) {
      while let piece = try await pieces.next() {
        #expect(piece == old.slice(position..<position + piece.count))
        position += piece.count
      }
    }
    #expect(error?.code == .sourceChanged)
    var again = reader.stream(chunkSize: .kibibytes(64)).makeAsyncIterator()
    #expect(try await again.next() == source.expected(0..<65536))
    await reader.close()
  }

  @Test(arguments: [150, 2000]) func `what is counted from the end is counted from that of the version read`(
    byteCount: Int
  ) async throws {
    // It says nothing of growing, so that nobody looks at it before a read.
    let source = ChangingSource(byteCount: 1000)
    let configuration = RangeReader.Configuration(onChange: .refresh.polling(every: .seconds(3600)))
    let all = 0..<byteCount
    for number in 0..<4 {
      let reader = try await RangeReader(source, configuration: configuration)
      #expect(reader.byteCount == 1000)
      source.become(byteCount)
      switch number {
      case 0: #expect(try await reader.read(suffix: 100) == source.expected(byteCount - 100..<byteCount))
      case 1: #expect(try await reader.read(100...) == source.expected(100..<byteCount))
      case 2: #expect(try await Self.all(reader.stream(chunkSize: .bytes(64))) == source.expected(all))
      default: #expect(try await Self.all(reader.stream(suffix: 70)) == source.expected(byteCount - 70..<byteCount))
      }
      #expect(reader.byteCount == byteCount)
      #expect(reader.statistics().failures == 0)
      await reader.close()
      source.become(1000)
    }
  }

  private static func all(_ stream: ByteStream) async throws -> Bytes {
    var pieces: [Bytes] = []
    for try await piece in stream { pieces.append(piece) }
    return Bytes(concatenating: pieces)
  }

  @Test func `a stream that follows is of one version to its end, though its reader turns to others`() async throws {
    for more in [0, 50] {
      let source = SyntheticSource(byteCount: 100)
      let reader = try await RangeReader(source, configuration: .init(onChange: .refresh))
      var pieces = reader.stream(following: 0...).makeAsyncIterator()
      #expect(try await pieces.next() == source.expected(0..<100))
      source.rewrite()
      source.grow(by: more)
      let error = await #expect(throws: ReadError.self) { _ = try await pieces.next() }
      #expect(error?.code == .sourceChanged)
      #expect(try await reader.read(0..<100 + more) == source.expected(0..<100 + more))
      await reader.close()
    }
  }

  @Test func `looks that fail end nothing`() throws {
    try Simulation.run(seed: 2) { simulation in
      let source = ChangingSource(byteCount: 1000)
      let reader = try await Self.refreshingReader(source, simulation)
      _ = try await reader.read(0..<1000)
      source.change { $0.failures = 7 }
      try await simulation.time.sleep(for: .seconds(20))
      source.become(1000)
      try await simulation.time.sleep(for: .seconds(3))
      #expect(try await reader.read(0..<1000) == source.expected(0..<1000))
      // One look a second or two, and not as fast as they fail.
      #expect(source.looks < 60)
      await reader.close()
    }
  }

  @Test func `a source is not looked at without pause, whatever the interval`() throws {
    try Simulation.run(seed: 3) { simulation in
      let source = ChangingSource(byteCount: 1000)
      var configuration = simulation.configuration
      configuration.onChange = .refresh.polling(every: .zero)
      let reader = try await RangeReader(source, configuration: configuration)
      try await simulation.time.sleep(for: .seconds(1))
      #expect((100...1001).contains(source.looks), "\(source.looks)")
      await reader.close()
    }
  }

  @Test func `reads that fail are counted, whatever fails, and those that turn are not`() async throws {
    let source = ChangingSource(byteCount: 1000)
    let configuration = RangeReader.Configuration(onChange: .refresh.polling(every: .seconds(3600)))
    let reader = try await RangeReader(source, configuration: configuration)
    _ = try? await reader.read(5000..<5001)
    #expect(reader.statistics().failures == 1)
    source.become(500)
    _ = try? await reader.read(600..<601)
    #expect(reader.statistics().failures == 2, "the new version is too short")
    source.become(1000)
    source.change { $0.failures = 1 }
    _ = try? await reader.read(0..<1)
    #expect(reader.statistics().failures == 3, "it could not be looked at")
    _ = try await reader.read(0..<1)
    #expect(reader.statistics().failures == 3)
    var pieces = reader.stream(0..<1000, chunkSize: .bytes(10)).makeAsyncIterator()
    source.become(1000)
    _ = try? await pieces.next()
    await reader.close()
  }

  @Test func `one look is enough for many ranges`() async throws {
    let source = ChangingSource(byteCount: 100_000)
    source.change { $0.isSettled = false }
    let reader = try await RangeReader(source)
    let before = source.looks
    let ranges = (0..<1000).map { $0 * 100..<$0 * 100 + 10 }
    #expect(try await reader.read(ranges) == ranges.map { source.expected($0) })
    #expect(source.looks - before <= 2)
    await reader.close()
  }

  @Test func `a source that changes faster than it is read is given up`() async throws {
    let source = RestlessSource()
    let reader = try await RangeReader(source, configuration: .init(onChange: .refresh))
    let error = await #expect(throws: ReadError.self) { _ = try await reader.read(0..<10) }
    #expect(error?.code == .sourceChanged)
    await reader.close()
  }

  /// Is another version at every look.
  private final class RestlessSource: RangeSource {
    private let looks = Locked(0)
    func describe() async throws -> SourceDescription {
      let number = looks.withLock { looks in
        looks += 1
        return looks
      }
      return SourceDescription(id: "restless", validator: Number(number: number), byteCount: 100)
    }
    func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      throw ReadError(.sourceChanged, "made up")
    }
    struct Number: SourceDescription.Validator {
      let number: Int
      func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change {
        (newer as? Number)?.number == number ? .same : .other
      }
    }
  }

  // MARK: sources in the distance

  /// Takes 20 ms for an answer, and counts how often it is asked what it is.
  private final class FarSource: RangeSource {
    struct State {
      var looks = 0
      var version = 1
      var isDown = false
    }
    let state = Locked(State())

    func describe() async throws -> SourceDescription {
      let (version, isDown) = state.withLock { state in
        state.looks += 1
        return (state.version, state.isDown)
      }
      if isDown { throw ReadError(.inputOutput, "it is down", isTransient: true) }
      return SourceDescription(
        id: "far", validator: RestlessSource.Number(number: version), byteCount: 100_000,
        traits: .with { $0.cost.latency = .milliseconds(20) })
    }

    func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes {
      let (version, isDown) = state.withLock { ($0.version, $0.isDown) }
      if isDown { throw ReadError(.inputOutput, "it is down", isTransient: true) }
      guard (source.validator as? RestlessSource.Number)?.number == version else {
        throw ReadError(.sourceChanged, "it was replaced")
      }
      return Bytes(repeatElement(UInt8(version), count: range.count))
    }
  }

  @Test func `a stream asks a source in the distance no more often than a read does`() throws {
    try Simulation.run(seed: 1) { simulation in
      let source = FarSource()
      var configuration = simulation.configuration
      configuration.onChange = .refresh.polling(every: .seconds(3600))
      let reader = try await RangeReader(
        source, [.caching(MemoryStore(limit: .mebibytes(4)))], configuration: configuration)
      func streamed(_ range: ByteRange) async throws -> Bytes {
        try await reader.stream(range).collect(upTo: .mebibytes(1))
      }
      for _ in 0..<5 { #expect(try await streamed(0..<60_000) == Bytes(repeatElement(1, count: 60_000))) }
      #expect(source.state.withLock { $0.looks } == 1)
      // A change that it meets is looked at by the next one.
      source.state.withLock { $0.version = 2 }
      let error = await #expect(throws: ReadError.self) { _ = try await streamed(70_000..<80_000) }
      #expect(error?.code == .sourceChanged)
      #expect(try await streamed(0..<60_000) == Bytes(repeatElement(2, count: 60_000)))
      await reader.close()
    }
  }

  @Test func `a stream of what is cached needs no source that is down`() throws {
    try Simulation.run(seed: 1) { simulation in
      let source = FarSource()
      let reader = try await Self.refreshingReader(source, simulation)
      _ = try await reader.read(0..<100_000)
      source.state.withLock { $0.isDown = true }
      try await simulation.time.sleep(for: .seconds(10))
      let bytes = try await reader.stream(0..<100_000).collect(upTo: .mebibytes(1))
      #expect(bytes == Bytes(repeatElement(1, count: 100_000)))
      await reader.close()
    }
  }

  // MARK: real files

  /// Contents of a version in which each 8 bytes say which version it is, and where.
  private static func contents(_ version: Int, count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for word in 0..<count / 8 {
      withUnsafeBytes(of: UInt64(version << 32 | word).littleEndian) { bytes.append(contentsOf: $0) }
    }
    return bytes
  }

  /// The version that all of `bytes` are of; nil if they are of several, or not where they belong.
  private static func version(_ bytes: Bytes, at offset: Int) -> Int? {
    var found: Int?
    for place in stride(from: 0, to: bytes.count, by: 8) {
      guard let word = bytes.integer(at: place, as: UInt64.self, .littleEndian) else { return nil }
      guard Int(word & 0xFFFF_FFFF) == (offset + place) / 8 else { return nil }
      let version = Int(word >> 32)
      guard found == nil || found == version else { return nil }
      found = version
    }
    return found
  }

  private static let byteCount = 64 << 10

  @Test(arguments: [RangeReader.ChangePolicy.fail, .refresh])
  func `a file that is replaced by another under its name never yields mixed versions`(
    policy: RangeReader.ChangePolicy
  ) async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("file")
    try await changing(policy, path) { version in
      try write(Self.contents(version, count: Self.byteCount), to: directory.path("next"))
      try #require(rename(directory.path("next"), path) == 0)
    }
  }

  @Test(arguments: [RangeReader.ChangePolicy.fail, .refresh])
  func `a file that is rewritten in place, a tick later, never yields mixed versions`(
    policy: RangeReader.ChangePolicy
  ) async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("file")
    try await changing(policy, path) { version in
      if version > 1 { try await settle(path) }
      try write(Self.contents(version, count: Self.byteCount), to: path, truncating: false)
    }
  }

  /// Changes a file again and again while it is read in ranges, vectors and streams, and compares.
  private func changing(
    _ policy: RangeReader.ChangePolicy, _ path: String,
    _ change: @escaping @Sendable (_ version: Int) async throws -> Void
  ) async throws {
    let runs = TestScale.isStress ? 1000 : 100
    try await change(1)
    let store = MemoryStore(limit: .mebibytes(1))
    let isOver = Locked(false)
    let seen = Locked(Set<Int>())
    let looks = AwaitedCount()
    // Odd while a change is under way: a file that is opened in the midst of a write is half of one version as it lies there.
    let changes = Locked(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask { @Sendable in
          var random = TestRandom(UInt64(number))
          let configuration = RangeReader.Configuration(onChange: policy.polling(every: .milliseconds(5)))
          func open() async throws -> RangeReader {
            while true {
              let before = changes.withLock { $0 }
              let reader = try await RangeReader(
                FileSource(path), [number.isMultiple(of: 2) ? .caching(store, blockSize: .kibibytes(4)) : []],
                configuration: configuration)
              if before.isMultiple(of: 2), changes.withLock({ $0 }) == before { return reader }
              await reader.close()
            }
          }
          var reader = try await open()
          while !isOver.withLock({ $0 }) {
            // Reads that are at hand never suspend.
            await Task.yield()
            defer { if !number.isMultiple(of: 2) { looks.add() } }
            do {
              let lower = random.below(Self.byteCount / 8 - 1) * 8
              let upper = min(Self.byteCount, lower + 8 + random.below(3000) * 8)
              let bytes: [(Int, Bytes)]
              switch random.below(4) {
              case 0:
                let ranges = [lower..<upper, 0..<64, Self.byteCount - 64..<Self.byteCount]
                bytes = Array(zip(ranges.map(\.lowerBound), try await reader.read(ranges)))
              case 1:
                var pieces: [Bytes] = []
                for try await piece in reader.stream(lower..<upper, chunkSize: .bytes(800)) { pieces.append(piece) }
                bytes = [(lower, Bytes(concatenating: pieces))]
              default: bytes = [(lower, try await reader.read(lower..<upper))]
              }
              // All of one read, vector or stream are of one version.
              let versions = bytes.map { Self.version($0.1, at: $0.0) }
              #expect(Set(versions).count == 1 && versions[0] != nil, "mixed: \(versions)")
              if let version = versions[0] { _ = seen.withLock { $0.insert(version) } }
              // One that does not turn goes on with a file that was replaced.
              guard policy == .fail, random.below(16) == 0 else { continue }
            } catch let error as ReadError where error.code == .sourceChanged {
              guard policy == .fail else { continue }
            }
            await reader.close()
            reader = try await open()
          }
          // One that refreshes turns to the last one; one that does not may go on with the file that it opened, as a whole.
          do {
            if policy == .refresh { try await reader.refresh() }
            let last = try await reader.read(0..<8, caching: .bypass)
            let version = Self.version(last, at: 0)
            #expect(policy == .refresh ? version == runs + 1 : version != nil)
          } catch let error as ReadError where error.code == .sourceChanged && policy == .fail {}
          await reader.close()
        }
      }
      group.addTask { @Sendable in
        for version in 2..<runs + 2 {
          changes.withLock { $0 += 1 }
          try await change(version)
          changes.withLock { $0 += 1 }
          // Those who read past the cache have looked at it, or met its change.
          await looks.reaches(looks.now + 3)
        }
        isOver.withLock { $0 = true }
      }
      try await group.waitForAll()
    }
    #expect(seen.withLock { $0.count } > runs / 10)
  }

  @Test func `a file that is gone is read on, and one that comes under its name is found`() async throws {
    let directory = try TemporaryDirectory()
    let (path, bytes) = try await directory.file(count: 5000, seed: 1)
    let configuration = RangeReader.Configuration(onChange: .refresh.polling(every: .seconds(3600)))
    let reader = try await RangeReader(FileSource(path), configuration: configuration)
    _ = try await reader.read(0..<100)
    try FileManager.default.removeItem(atPath: path)
    #expect(try await reader.refresh() == 5000)
    #expect(try await reader.read(0..<5000) == Bytes(bytes))
    let next = try await directory.file("file", count: 6000, seed: 2)
    #expect(try await reader.refresh() == 6000)
    #expect(try await reader.read(0..<100) == Bytes(next.bytes[..<100]))
    await reader.close()
  }

  @Test func `a file is not opened to see whether its name leads to it still`() async throws {
    let directory = try TemporaryDirectory()
    let path = try await directory.file(count: 5000, seed: 1).path
    let openings = Locked(0)
    let counting = Syscalls(
      .init(open: { path in
        openings.withLock { $0 += 1 }
        return Syscalls.system.call.open(path)
      }))
    // Closing any descriptor of a file drops all POSIX locks that the process has on it: SQLite's, for instance.
    let source = FileSource(path, configuration: TestEngine.configuration(syscalls: counting))
    let first = try await source.describe()
    for _ in 0..<10 { #expect(try await source.renew() === first) }
    #expect(openings.withLock { $0 } == 1)
    let next = try await directory.file("next", count: 7000, seed: 2)
    try #require(rename(next.path, path) == 0)
    #expect(try await source.renew().byteCount == 7000)
    #expect(openings.withLock { $0 } == 2)
    await source.close()
  }

  @Test func `two who look at once open one file`() async throws {
    let directory = try TemporaryDirectory()
    let path = try await directory.file(count: 5000, seed: 1).path
    let openings = Locked(0)
    let gate = Gate()
    let waiting = Syscalls(
      .init(open: { path in
        let number = openings.withLock { openings in
          openings += 1
          return openings
        }
        if number > 1 { gate.pass() }
        return Syscalls.system.call.open(path)
      }))
    let source = FileSource(path, configuration: TestEngine.configuration(syscalls: waiting))
    _ = try await source.describe()
    let next = try await directory.file("next", count: 7000, seed: 2)
    try #require(rename(next.path, path) == 0)
    async let one = source.renew()
    async let other = source.renew()
    await gate.arrival(2)
    gate.open()
    for description in try await [one, other] {
      #expect(try await source.read(0..<7000, of: description) == Bytes(next.bytes))
    }
    await source.close()
  }

  #if os(Linux)
    @Test func `the first file is let go of once another is read, and its room on the disk with it`() async throws {
      let directory = try TemporaryDirectory()
      let path = try await directory.file(count: 5000, seed: 1).path
      let isLetGo = Promise<Void>()
      let closings = AwaitedCount()
      let telling = Syscalls(
        .init(
          close: { descriptor in
            defer { closings.add() }
            return Syscalls.system.call.close(descriptor)
          },
          release: { descriptor in
            defer { isLetGo.resolve(.success(())) }
            return Syscalls.system.call.release(descriptor)
          }))
      let source = FileSource(path, configuration: TestEngine.configuration(syscalls: telling))
      let first = try await source.describe()
      #expect(try await source.read(0..<5000, of: first).count == 5000)
      for seed in UInt64(2)...4 {
        let next = try await directory.file("next", count: 7000, seed: seed)
        try #require(rename(next.path, path) == 0)
        let now = try await source.renew()
        #expect(try await source.read(0..<7000, of: now) == Bytes(next.bytes))
        if seed == 2 { try await isLetGo.value() }
        let error = await #expect(throws: ReadError.self) { _ = try await source.read(0..<10, of: first) }
        #expect(error?.code == .sourceChanged)
      }
      // The system shows paths without doubled separators.
      let real = (path: path.replacing("//", with: "/"), directory: directory.path.replacing("//", with: "/"))
      func opened() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
          try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
        }.filter { $0.hasPrefix(real.directory) }
      }
      // A thread that has read may hold its file for a moment longer.
      var seen = closings.now
      while try opened().contains(where: { $0 != real.path }) {
        await closings.reaches(seen + 1)
        seen = closings.now
      }
      // None that was removed; of the present one, a channel has a descriptor of its own.
      let here = try opened()
      #expect((1...2).contains(here.count), "\(here)")
      await source.close()
    }
  #endif
}
