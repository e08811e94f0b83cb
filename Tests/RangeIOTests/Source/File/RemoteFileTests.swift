import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Files of which a server is asked what they are: no thread of Swift's waits for it.
struct RemoteFileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// The kernel's calls for a file on a server, with those noted that a task's thread made.
  private final class Server: Sendable {
    struct Calls {
      var all: Set<String> = []
      var withinTasks: Set<String> = []
    }
    let calls = Locked(Calls())
    /// Runs within each look at the file.
    let onLook: @Sendable () -> Void

    init(onLook: @escaping @Sendable () -> Void = {}) { self.onLook = onLook }

    private func note(_ call: String) {
      let isTask = withUnsafeCurrentTask { $0 != nil }
      calls.withLock { calls in
        calls.all.insert(call)
        if isTask { calls.withinTasks.insert(call) }
      }
    }

    var syscalls: Syscalls {
      let system = Syscalls.system.call
      return Syscalls(
        .init(
          open: {
            self.note("open")
            return system.open($0)
          },
          reopen: {
            self.note("reopen")
            return system.reopen($0)
          },
          close: {
            self.note("close")
            return system.close($0)
          },
          status: {
            self.note("status")
            self.onLook()
            return system.status($0, &$1)
          },
          read: {
            self.note("read")
            return system.read($0, $1, $2)
          },
          readResident: {
            self.note("readResident")
            return system.read($0, $1, $2)
          },
          readScattered: { descriptor, vectors, offset, isResident in
            self.note(isResident ? "readResident" : "readScattered")
            return system.readScattered(descriptor, vectors, offset, isResident)
          },
          isRemote: { _ in
            self.note("isRemote")
            return true
          },
          advise: { _, _, _, _ in self.note("advise") }))
    }
  }

  @Test(arguments: TestEngine.cached, [false, true])
  func `nothing that may ask a server runs on a thread of Swift's`(
    _ engine: FileSource.Engine, _ isAppendOnly: Bool
  ) async throws {
    let (path, bytes) = try await directory.file(count: 3_000_000)
    let looked = Promise<Void>()
    let isWatching = Locked(false)
    let server = Server { if isWatching.withLock({ $0 }) { looked.resolve(.success(())) } }
    var configuration = TestEngine.configuration(engine, syscalls: server.syscalls)
    configuration.isAppendOnly = isAppendOnly
    let source = FileSource(path, configuration: configuration)
    let first = try await source.describe()
    let description = try await source.describe()
    #expect(description === first)
    for range in [0..<100, 5..<2_500_000] {
      #expect(try await source.read(range, of: description) == Bytes(bytes[range]))
    }
    let ranges = [0..<1000, 4096..<70_000, 100_000..<1_400_000]
    #expect(try await source.read(ranges, of: description) == ranges.map { Bytes(bytes[$0]) })
    let grid = try #require(BlockGrid(blockSize: 65_536))
    let blocks = try await source.read(grid.pieces(of: 0..<1_000_000).map(\.range), of: description)
    #expect(Bytes(concatenating: blocks) == Bytes(bytes[0..<1_000_000]))
    #expect(source.answer(0..<100, of: description).value == nil, "the file would have to be looked at")
    source.advise(.willNeed, 0..<1000, of: description)
    source.advise(.dontNeed, 0..<1000, of: description)
    #expect(try await source.renew() === description)
    isWatching.withLock { $0 = true }
    let waiting = Task { try await source.waitForChange(after: description) }
    try await looked.value()
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    await source.close()
    let calls = server.calls.withLock { $0 }
    #expect(calls.withinTasks.isEmpty, "\(calls.withinTasks)")
    #expect(calls.all.isSuperset(of: ["open", "status", "isRemote", "advise", "close"]))
    #expect(!calls.all.contains("readResident"))
  }

  @Test func `a source that is dropped has its file closed by another thread`() async throws {
    let path = try await directory.file(count: 1000).path
    let closed = Promise<Bool>()
    let syscalls = Syscalls(
      .init(
        close: {
          let isTask = withUnsafeCurrentTask { $0 != nil }
          closed.resolve(.success(isTask))
          return Syscalls.system.call.close($0)
        }, isRemote: { _ in true }))
    do {
      let source = FileSource(path, configuration: TestEngine.configuration(.positional, syscalls: syscalls))
      _ = try await source.describe()
    }
    #expect(try await closed.value() == false)
  }

  @Test func `a read is cancelled at once while its server is asked what the file is`() async throws {
    let (path, bytes) = try await directory.file(count: 10_000)
    let gate = Gate()
    let isHanging = Locked(false)
    let server = Server { if isHanging.withLock({ $0 }) { gate.pass() } }
    let configuration = TestEngine.configuration(syscalls: server.syscalls, threads: IOThreads(limit: 8))
    let reader = try await RangeReader(FileSource(path, configuration: configuration))
    #expect(try await reader.read(0..<10) == Bytes(bytes[0..<10]))
    isHanging.withLock { $0 = true }
    let reading = (0..<4).map { number in Task { try await reader.read(number..<number + 10) } }
    let refreshing = Task { try await reader.refresh() }
    await gate.arrival(5)
    for read in reading { read.cancel() }
    refreshing.cancel()
    for read in reading { await #expect(throws: CancellationError.self) { try await read.value } }
    await #expect(throws: CancellationError.self) { _ = try await refreshing.value }
    isHanging.withLock { $0 = false }
    gate.open()
    #expect(try await reader.read(0..<10) == Bytes(bytes[0..<10]))
    await reader.close()
  }

  @Test func `a server that hangs holds up no disk`() async throws {
    let (path, bytes) = try await directory.file(count: 10_000)
    let gate = Gate()
    let isHanging = Locked(false)
    let server = Server { if isHanging.withLock({ $0 }) { gate.pass() } }
    let threads = IOThreads(limit: 1)
    let configuration = TestEngine.configuration(syscalls: server.syscalls, threads: threads)
    let remote = try await RangeReader(FileSource(path, configuration: configuration))
    let local = try await RangeReader(
      FileSource(
        path,
        configuration: TestEngine.configuration(
          syscalls: Syscalls(.init(readResident: { _, _, _ in -Int(EAGAIN) })), threads: threads)))
    isHanging.withLock { $0 = true }
    let stuck = Task { try await remote.read(0..<10) }
    await gate.arrival()
    #expect(try await local.read(0..<100) == Bytes(bytes[0..<100]))
    gate.open()
    #expect(try await stuck.value == Bytes(bytes[0..<10]))
    await local.close()
    await remote.close()
  }

  @Test func `a change on a server is seen by the look that goes with the read`() async throws {
    let (path, bytes) = try await directory.file(count: 10_000)
    let reader = try await RangeReader(
      FileSource(path, configuration: TestEngine.configuration(syscalls: Server().syscalls)))
    #expect(try await reader.read(0..<100) == Bytes(bytes[0..<100]))
    try write([1, 2, 3], to: path)
    let alone = await #expect(throws: ReadError.self) { try await reader.read(0..<3) }
    #expect(alone?.code == .sourceChanged)
    let several = await #expect(throws: ReadError.self) { try await reader.read([0..<1, 2..<3]) }
    #expect(several?.code == .sourceChanged)
    await reader.close()
  }

  #if os(Linux)
    @Test func `file systems of this machine are known, and what is made up is not`() throws {
      for (path, isRemote) in [("/dev/shm", false), ("/proc", true)] {
        let descriptor = Syscalls.system.call.open(FilePath(path))
        try #require(descriptor >= 0)
        #expect(Syscalls.system.call.isRemote(CInt(descriptor)) == isRemote)
        _ = Syscalls.system.call.close(CInt(descriptor))
      }
      #expect(Syscalls.system.call.isRemote(-1), "what cannot be told may be anywhere")
    }
  #endif
}
