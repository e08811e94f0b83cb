import Dispatch
import RangeIO
import RangeIOTesting
import Testing

@testable import RangeIOMapped

/// What may wait for a server, or takes long, runs on no thread of Swift's.
struct MappedRemoteTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Calls that a task's thread made, by their names.
  private final class Noted: Sendable {
    let withinTasks = Guarded<[String: Int]>([:])

    func note(_ call: String, _ count: Int = 1) {
      let isTask = withUnsafeCurrentTask { $0 != nil }
      if isTask { withinTasks.withLock { $0[call, default: 0] += count } }
    }

    func configuration(_ slices: MappedSource.Slices, isRemote: Bool) -> MappedSource.Configuration {
      var configuration = MappedSource.Configuration(slices: slices)
      let system = MappedCalls()
      configuration.calls.status = {
        self.note("status")
        return system.status($0, &$1)
      }
      configuration.calls.read = {
        self.note("read", $1.count)
        return system.read($0, $1, $2)
      }
      configuration.calls.readResident = {
        self.note("readResident", $1.count)
        return system.read($0, $1, $2)
      }
      configuration.calls.populate = {
        self.note("populate", $0.count)
        return system.populate($0)
      }
      configuration.calls.isResident = { _ in true }
      configuration.calls.map = {
        self.note("map")
        return system.map($0, $1, &$2)
      }
      configuration.calls.close = {
        self.note("close")
        return system.close($0)
      }
      configuration.calls.isRemote = { _ in
        self.note("isRemote")
        return isRemote
      }
      return configuration
    }
  }

  @Test(arguments: [MappedSource.Slices.zeroCopy, .copied])
  func `nothing that may ask a server runs on a thread of Swift's`(_ slices: MappedSource.Slices) async throws {
    let (path, bytes) = try directory.file(count: 300_000)
    try await settle(path)
    let noted = Noted()
    let source = MappedSource(path, configuration: noted.configuration(slices, isRemote: true))
    let description = try await source.describe()
    #expect(try await source.read(5..<200_000, of: description) == bytes[5..<200_000])
    #expect(try await source.read([0..<10, 50..<90], of: description) == [bytes[0..<10], bytes[50..<90]])
    #expect(source.ready(0..<100, of: description) == nil)
    source.advise(.willRead, 0..<1000, of: description)
    #expect(try await source.renew() === description)
    await source.close()
    let calls = noted.withinTasks.withLock { $0 }
    #expect(calls.isEmpty, "\(calls)")
  }

  @Test(arguments: [MappedSource.Slices.zeroCopy, .copied])
  func `many ranges keep their caller no longer than one does`(_ slices: MappedSource.Slices) async throws {
    let (path, bytes) = try directory.file(count: 12 << 20)
    try await settle(path)
    let noted = Noted()
    let source = MappedSource(path, configuration: noted.configuration(slices, isRemote: false))
    let description = try await source.describe()
    let ranges = (0..<48).map { $0 * 262_144..<($0 + 1) * 262_144 }
    let all = try await source.read(ranges, of: description)
    #expect(Bytes(concatenating: all) == bytes)
    #expect(try await source.read(0..<12 << 20, of: description) == bytes)
    let calls = noted.withinTasks.withLock { $0 }
    #expect(calls["readResident", default: 0] <= 262_144)
    #expect(calls["populate", default: 0] <= 4 << 20)
    #expect(calls["read"] == nil)
    await source.close()
  }

  @Test(.timeLimit(.minutes(15)))
  func `a server that hangs delays no opening, no page of a local file and no look at its path`() async throws {
    let (path, bytes) = try directory.file(count: 100_000)
    let (hung, _) = try directory.file("hung", count: 100_000)
    try await settle(path)
    let server = DispatchSemaphore(value: 0)
    let isHanging = Guarded(false)
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    let ask: @Sendable () -> Void = {
      guard isHanging.withLock({ $0 }) else { return }
      arrived.yield()
      server.wait()
    }
    var configuration = MappedSource.Configuration()
    configuration.calls.isRemote = { _ in true }
    configuration.calls.statusOfPath = {
      ask()
      return MappedCalls().statusOfPath($0, &$1)
    }
    configuration.calls.populate = {
      ask()
      return MappedCalls().populate($0)
    }
    let remote = MappedSource(hung, configuration: configuration)
    let description = try await remote.describe()
    isHanging.withLock { $0 = true }
    // As many as there are threads of any kind, and more.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<70 {
        group.addTask { _ = try await remote.read(0..<4096, of: description) }
        group.addTask { _ = try await remote.renew() }
      }
      var coming = arrivals.makeAsyncIterator()
      for _ in 0..<16 { await coming.next() }
      var local = MappedSource.Configuration()
      local.calls.isResident = { _ in false }
      let source = MappedSource(path, configuration: local)
      let opened = try await source.describe()
      #expect(try await source.read(0..<50_000, of: opened) == bytes[0..<50_000])
      #expect(try await source.renew() === opened)
      await source.close()
      isHanging.withLock { $0 = false }
      for _ in 0..<140 { server.signal() }
      try await group.waitForAll()
    }
    await remote.close()
  }
}
