import Foundation
import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Sources that are still being recorded.
struct FollowingTests {
  /// All that a stream hands out, joined; fails when a piece does not lie where the last one ended.
  private func collect(_ stream: ByteStream) async throws -> Int {
    var position = 0
    for try await piece in stream {
      try #require(!piece.isEmpty)
      position += piece.count
    }
    return position
  }

  @Test func `what was cached of a growing file stays cached`() async throws {
    let source = SyntheticSource(byteCount: 100_000, isAppendOnly: true)
    let store = MemoryStore(limit: .mebibytes(4))
    let reader = try await RangeReader(
      source, [.caching(store, blockSize: .kibibytes(4))], configuration: .init(onChange: .follow))
    _ = try await reader.read(0..<100_000)
    let before = source.bytesRead
    for _ in 0..<20 {
      source.grow(by: 1000)
      try await reader.refresh()
      let end = reader.byteCount
      #expect(try await reader.read(0..<end) == source.expected(0..<end))
    }
    // The new bytes once, and what is around them in their blocks at most.
    #expect(source.bytesRead - before <= 20 * 1000 + 20 * 4096)
    #expect(store.sources.count == 1)
    await reader.close()
  }

  @Test func `a stream waits at the end, and ends where it is told to`() throws {
    try Simulation.run(seed: 1) { simulation in
      let source = SyntheticSource(byteCount: 10_000, latency: .milliseconds(1), time: simulation.time)
      var configuration = simulation.configuration
      configuration.onChange = .follow
      let reader = try await RangeReader(source, configuration: configuration)
      let isOver = Locked(false)
      let following = simulation.start {
        try await collect(reader.stream(following: 0..., chunkSize: .bytes(3000)) { isOver.withLock { $0 } })
      }
      for _ in 0..<10 {
        try await simulation.time.sleep(for: .seconds(5))
        source.grow(by: 777)
      }
      isOver.withLock { $0 = true }
      source.grow(by: 23)
      #expect(try await following.value == 10_000 + 7770 + 23)
      await reader.close()
    }
  }

  @Test func `a stream of a file that never rests ends where it is told to`() throws {
    try Simulation.run(seed: 5) { simulation in
      let source = SyntheticSource(byteCount: 1000, latency: .milliseconds(1), time: simulation.time)
      var configuration = simulation.configuration
      configuration.onChange = .follow
      let reader = try await RangeReader(source, configuration: configuration)
      let end = simulation.clock.now.advanced(by: .seconds(5))
      var (position, size) = (0, 1000)
      for try await piece in reader.stream(following: 0..., until: { simulation.clock.now >= end }) {
        position += piece.count
        // Whenever the stream has all, there is more.
        source.grow(by: 10)
        size += 10
        try #require(position < 1_000_000, "it does not end")
      }
      // Nothing is added between the last look and the end.
      #expect(position == size - 10)
      await reader.close()
    }
  }

  @Test func `a stream ends though only one answer said so, and more came meanwhile`() throws {
    try Simulation.run(seed: 6) { simulation in
      let source = SyntheticSource(byteCount: 1000, latency: .milliseconds(1), time: simulation.time)
      var configuration = simulation.configuration
      configuration.onChange = .follow
      let reader = try await RangeReader(source, configuration: configuration)
      let asked = Locked(0)
      var count = 0
      let stream = reader.stream(following: 0...) {
        let number = asked.withLock { asked in
          asked += 1
          return asked
        }
        // The first time there is more just then. Later answers are none of an end.
        if number == 2 { source.grow(by: 500) }
        return number == 2
      }
      for try await piece in stream {
        count += piece.count
        if asked.withLock({ $0 }) > 1 { source.grow(by: 100) }
        try #require(count < 10_000, "it does not end")
      }
      #expect(count >= 1500 && count <= 1600)
      await reader.close()
    }
  }

  @Test func `a stream may begin beyond the end`() throws {
    try Simulation.run(seed: 2) { simulation in
      let source = SyntheticSource(byteCount: 100)
      var configuration = simulation.configuration
      configuration.onChange = .follow
      let reader = try await RangeReader(source, configuration: configuration)
      let first = simulation.start {
        for try await piece in reader.stream(following: 150...) { return piece }
        return Bytes()
      }
      try await simulation.time.sleep(for: .seconds(2))
      source.grow(by: 20)
      try await simulation.time.sleep(for: .seconds(2))
      source.grow(by: 80)
      #expect(try await first.value == source.expected(150..<200))
      await reader.close()
    }
  }

  @Test func `waiting for more ends at once when it is cancelled`() throws {
    try Simulation.run(seed: 3) { simulation in
      var configuration = simulation.configuration
      configuration.onChange = .follow
      let reader = try await RangeReader(SyntheticSource(byteCount: 100), configuration: configuration)
      let following = simulation.start { try await collect(reader.stream(following: 0...)) }
      try await simulation.time.sleep(for: .milliseconds(1500))
      let start = simulation.clock.now
      following.cancel()
      await #expect(throws: CancellationError.self) { _ = try await following.value }
      #expect(start == simulation.clock.now)
      await reader.close()
    }
  }

  @Test func `waiting for more ends at once when the reader is closed`() throws {
    try Simulation.run(seed: 4) { simulation in
      var configuration = simulation.configuration
      configuration.onChange = .follow
      let reader = try await RangeReader(SyntheticSource(byteCount: 100), configuration: configuration)
      let following = simulation.start { try await collect(reader.stream(following: 0...)) }
      try await simulation.time.sleep(for: .milliseconds(1500))
      await reader.close()
      let error = await #expect(throws: ReadError.self) { _ = try await following.value }
      #expect(error?.code == .closed)
    }
  }

  @Test func `a recording that is cut short is another version`() async throws {
    let directory = try TemporaryDirectory()
    let path = try await directory.file(count: 5000).path
    let reader = try await RangeReader(path, onChange: .follow)
    let stream = reader.stream(following: 0...)
    var pieces = stream.makeAsyncIterator()
    #expect(try await pieces.next()?.count == 5000)
    try write(Array(repeating: 0, count: 100), to: path)
    let error = await #expect(throws: ReadError.self) { _ = try await pieces.next() }
    #expect(error?.code == .sourceChanged)
    await reader.close()
  }

  @Test(arguments: [5001, 8000, 300_000])
  func `a recording that was overwritten by a longer file is told from one that grew`(byteCount: Int) async throws {
    let directory = try TemporaryDirectory()
    for bytesAlike in [0, 4096] {
      let (path, old) = try await directory.file(count: 5000)
      let reader = try await follower(path, [])
      #expect(try await reader.read(0..<5000) == Bytes(old))
      // What begins alike, as logs do, differs where the old one ended.
      let other = old[..<bytesAlike] + SyntheticSource.bytes(bytesAlike..<byteCount, version: 9)
      try write(Array(other), to: path)
      for range in [0..<10, 4000..<5000, 4000..<5001] {
        let error = await #expect(throws: ReadError.self) { _ = try await reader.read(range) }
        #expect(error?.code == .sourceChanged)
      }
      await #expect(throws: ReadError.self) { try await reader.refresh() }
      await reader.close()
    }
  }

  @Test func `a recording that was written over and is as long as before has ended, and one that was touched has not`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let (path, old) = try await directory.file(count: 50_000)
    let reader = try await follower(path, [])
    let untouched: [() -> CInt] = [
      { utimensat(AT_FDCWD, path, nil, 0) }, { chmod(path, 0o400) }, { chmod(path, 0o600) },
      { link(path, directory.path("hard")) }, { rename(path, directory.path("moved")) },
      { unlink(directory.path("moved")) },
    ]
    for change in untouched {
      try #require(change() == 0)
      #expect(try await reader.read(0..<50_000) == Bytes(old))
      #expect(try await reader.refresh() == 50_000)
    }
    try write(old.reversed(), to: directory.path("hard"), truncating: false)
    let error = await #expect(throws: ReadError.self) { _ = try await reader.read(20_000..<20_010) }
    #expect(error?.code == .sourceChanged)
    await reader.close()
  }

  @Test func `only a source that says that it grows is followed`() async throws {
    let directory = try TemporaryDirectory()
    let path = try await directory.file(count: 10).path
    let error = await #expect(throws: ReadError.self) {
      _ = try await RangeReader(FileSource(path), configuration: .init(onChange: .follow))
    }
    #expect(error?.code == .invalidConfiguration && error?.message.contains("isAppendOnly") == true)
  }

  /// What the file at `path` holds, as a new follower that keeps in `store` reads it.
  private func contents(_ path: String, _ store: MemoryStore) async throws -> Bytes {
    let reader = try await RangeReader(
      FileSource(path, configuration: .init(isAppendOnly: true)), [.caching(store, blockSize: .kibibytes(4))],
      configuration: .init(onChange: .follow)
    )
    _ = try await reader.read(0...)
    let bytes = try await reader.read(0...)
    await reader.close()
    return bytes
  }

  @Test(arguments: [300, 5000, 9000])
  func `what was kept of a recording that was cut, or of its inode, is not shown as what took its place`(
    byteCount: Int
  ) async throws {
    let directory = try TemporaryDirectory()
    let store = MemoryStore(limit: .mebibytes(4))
    for removes in [false, true] {
      let (path, bytes) = try await directory.file(count: 5000)
      let before = try await RangeReader(
        FileSource(path, configuration: .init(isAppendOnly: true)), [.caching(store, blockSize: .kibibytes(4))],
        configuration: .init(onChange: .follow)
      )
      #expect(try await before.read(0...) == Bytes(bytes))
      if byteCount >= 5000 { await before.close() }
      // As those do who rotate logs: nobody looks while it is cut, and then it is as long as it was, or longer.
      if removes { #expect(unlink(path) == 0) }
      let other = [UInt8](SyntheticSource.bytes(0..<byteCount, version: removes ? 8 : 9))
      try write(other, to: path)
      #expect(try await contents(path, store) == Bytes(other))
      await before.close()
    }
  }

  @Test func `a path is followed with another poll interval`() async throws {
    let directory = try TemporaryDirectory()
    let (path, _) = try await directory.file(count: 100, seed: 1)
    let reader = try await RangeReader(path, onChange: .follow.polling(every: .milliseconds(200)))
    #expect(reader.core.pollInterval == .milliseconds(200))
    await reader.close()
  }

  private func follower(_ path: String, _ pipeline: ReadPipeline) async throws -> RangeReader {
    let configuration = RangeReader.Configuration(onChange: .follow.polling(every: .seconds(3600)))
    return try await RangeReader(
      FileSource(path, configuration: .init(isAppendOnly: true)), pipeline, configuration: configuration)
  }

  /// Ways in which caches lie between readers of one file and one store.
  enum Arrangement: CaseIterable {
    case stageEach, oneStage, decodedBelow, decodedAbove
  }

  /// By what a recording is seen cut, if anybody looks.
  enum Look: CaseIterable {
    case refresh, read, shortRead, wait, none
  }

  @Test(arguments: Arrangement.allCases, Look.allCases)
  func `once a recording was seen cut, what was kept of it is not shown again`(
    arrangement: Arrangement, look: Look
  ) async throws {
    let directory = try TemporaryDirectory()
    let (path, bytes) = try await directory.file(count: 5000)
    let store = MemoryStore(limit: .mebibytes(4))
    let decoding: ReadPipeline = .decoding(name: "flipped", blockSize: .bytes(1000)) { Bytes($1.map { ~$0 }) }
    let isDecoded = arrangement == .decodedAbove || arrangement == .decodedBelow
    let shared: ReadPipeline = .caching(store, blockSize: .kibibytes(4))
    func pipeline() -> ReadPipeline {
      [
        arrangement == .decodedAbove ? decoding : [],
        arrangement == .oneStage ? shared : .caching(store, blockSize: .kibibytes(4)),
        arrangement == .decodedBelow ? decoding : [],
      ]
    }
    func expected(_ bytes: [UInt8]) -> Bytes { Bytes(isDecoded ? bytes.map { ~$0 } : bytes) }
    // Keeps the shared stage open, whatever becomes of the others.
    let elsewhere = try await directory.file("elsewhere", count: 100).path
    let keeping = try await follower(elsewhere, pipeline())
    let (one, other) = (try await follower(path, pipeline()), try await follower(path, pipeline()))
    for reader in [one, other] {
      _ = try await reader.read(0...)
      #expect(try await reader.read(0...) == expected(bytes))
    }
    func expectChange(_ body: () async throws -> Void) async {
      let error = await #expect(throws: ReadError.self) { try await body() }
      #expect(error?.code == .sourceChanged)
    }
    // Of what is decoded, whole blocks are read: those that are there still.
    try write(Array(repeating: 1, count: 1500), to: path)
    switch look {
    case .refresh: await expectChange { try await one.refresh() }
    case .read: await expectChange { _ = try await one.read(0..<50, caching: .bypass) }
    case .shortRead: await expectChange { _ = try await one.read(2000..<3000, caching: .bypass) }
    case .wait:
      var below = one.source
      while let base = below.base { below = base }
      try await one.core.link.source.waitForChange(after: below)
    case .none:
      // Nobody looks while it is cut, and nobody has it open.
      await one.close()
      await other.close()
    }
    let new = [UInt8](SyntheticSource.bytes(0..<8000, version: 9))
    try write(new, to: path)
    for _ in 0..<2 {
      let late = try await follower(path, pipeline())
      _ = try await late.read(0...)
      #expect(try await late.read(0...) == expected(new))
      await late.close()
    }
    if look != .none {
      // The other one has not looked, but what it has to ask for is not of its recording any more.
      let error = await #expect(throws: ReadError.self) {
        _ = try await other.read(0..<5000, caching: .bypass)
      }
      #expect(error?.code == .sourceChanged)
      await one.close()
      await other.close()
    }
    await keeping.close()
  }

  @Test func `only what tells of growth ends the wait for it`() async throws {
    let directory = try TemporaryDirectory()
    let path = try await directory.file(count: 5000).path
    let source = FileSource(path, configuration: .init(isAppendOnly: true))
    let description = try await source.describe()
    let version = try #require(FileSnapshot.of(description)?.version)
    var status = FileStatus()
    (status.device, status.inode, status.size) = (version.device, version.inode, version.size)
    // Another mode, name or time: a recorder renames what it has finished.
    (status.modified, status.changed, status.links) = (version.modified, version.changed, 2)
    status.modified.seconds += 1
    status.changed.seconds += 1
    let lanes = try await source.currentLanes()
    #expect(!source.hasChanged(version, status, lanes))
    #expect(chmod(path, 0o400) == 0)
    #expect(try await source.describe() === description)
    status.size += 1
    #expect(source.hasChanged(version, status, lanes))
    status.size -= 2
    #expect(source.hasChanged(version, status, lanes))
    status.size += 1
    status.inode += 1
    #expect(source.hasChanged(version, status, lanes))
    await source.close()
  }

  @Test func `a recording ends when it is seen cut, or when its last reader closes`() {
    var status = FileStatus()
    (status.device, status.inode) = (UInt64.max, 4711)
    func time(_ nanoseconds: UInt32) -> FileTime { FileTime(seconds: 0, nanoseconds: nanoseconds) }
    func mark(_ end: Int, _ digest: Int) -> AppendOnlyMark {
      AppendOnlyMark(end: end, modified: time(5), changed: time(5), first: digest, last: digest)
    }
    var recording: AppendOnlyFile? = AppendOnlyFile.of(status)
    let number = recording?.number
    #expect(AppendOnlyFile.of(status).number == number && recording?.mark == nil)
    recording?.advance(from: nil, to: mark(100, 1))
    recording?.advance(from: nil, to: mark(300, 2))
    #expect(recording?.mark == mark(100, 1), "one that had nothing before it does not count beside another")
    recording?.advance(from: mark(100, 1), to: mark(200, 3))
    recording?.advance(from: mark(100, 1), to: mark(150, 4))
    #expect(recording?.mark == mark(200, 3), "of two that had the same before them the longer one counts")
    (status.size, status.modified, status.changed) = (200, time(5), time(5))
    #expect(recording?.isSame(status) == true)
    status.modified = time(6)
    #expect(recording?.isSame(status) == false)
    recording?.end()
    status.modified = time(5)
    #expect(recording?.isSame(status) == false && recording?.hasEnded == true)
    var next: AppendOnlyFile? = recording?.next
    #expect(next?.number != number && recording?.next === next && AppendOnlyFile.of(status) === next)
    recording = nil
    #expect(AppendOnlyFile.of(status) === next, "the one that was cut takes nothing along")
    let last = next?.number
    next = nil
    #expect(AppendOnlyFile.of(status).number != last)
    let version = RecordingVersion(recording: 1, size: 100)
    #expect(version.change(to: RecordingVersion(recording: 1, size: 101)) == .extends)
    #expect(version.change(to: RecordingVersion(recording: 1, size: 100)) == .same)
    #expect(version.change(to: RecordingVersion(recording: 1, size: 99)) == .other)
    #expect(version.change(to: RecordingVersion(recording: 2, size: 101)) == .other)
  }

  @Test func `a negative offset is refused`() async throws {
    let reader = try await RangeReader(SyntheticSource(byteCount: 100))
    let error = await #expect(throws: ReadError.self) {
      for try await _ in reader.stream(following: (-1)...) {}
    }
    #expect(error?.code == .rangeNotSatisfiable)
    await reader.close()
  }

  @Test func `a reader that is dropped watches no more`() async throws {
    let directory = try TemporaryDirectory()
    let path = try await directory.file(count: 1000).path
    final class Last: ReadStage {
      let isGone: Promise<Void>
      init(_ isGone: Promise<Void>) { self.isGone = isGone }
      func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse { try await next(request) }
      deinit { isGone.resolve(.success(())) }
    }
    let isGone = Promise<Void>()
    weak var core: ReaderCore?
    do {
      let source = FileSource(path, configuration: .init(isAppendOnly: true))
      let reader = try await RangeReader(source, [.stage(Last(isGone))], configuration: .init(onChange: .follow))
      core = reader.core
      #expect(try await reader.read(0..<10).count == 10)
    }
    try await isGone.value()
    #expect(core == nil)
  }
}
