import CRangeIOSystem
import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

#if os(Linux)
  // Not imported into Swift.
  private let pathOnly: CInt = 0o10_000_000
  #if arch(arm64) || arch(arm)
    private let direct: CInt = 0o200_000
  #else
    private let direct: CInt = 0o40_000
  #endif
#endif

/// Descriptors that others have opened.
struct FileDescriptorTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func refusal(adopting flags: CInt, of path: String) async throws -> ReadError? {
    let descriptor = open(path, flags | O_CLOEXEC)
    try #require(descriptor >= 0)
    let source = FileSource(
      adopting: FileDescriptor(rawValue: descriptor), configuration: TestEngine.configuration())
    do {
      _ = try await source.describe()
      await source.close()
      return nil
    } catch {
      await source.close()
      #expect(fcntl(descriptor, F_GETFD) < 0, "it was ours to close")
      return error as? ReadError
    }
  }

  @Test func `a descriptor that cannot be read from is refused, and the refusal says why`() async throws {
    let path = try await directory.file(count: 10_000).path
    var refused: [(flags: CInt, name: String)] = [(O_WRONLY, "O_WRONLY"), (O_WRONLY | O_APPEND, "O_WRONLY")]
    #if os(Linux)
      refused += [(pathOnly, "O_PATH"), (direct, "O_DIRECT"), (O_RDWR | direct, "O_DIRECT")]
    #endif
    for (flags, name) in refused {
      let error = try await refusal(adopting: flags, of: path)
      #expect(
        error?.code == .unsupportedSource && error?.description.contains(name) == true, "\(name): \(error as Any)")
    }
    for flags in [O_RDONLY, O_RDWR, O_RDWR | O_APPEND, O_RDONLY | O_NONBLOCK] {
      #expect(try await refusal(adopting: flags, of: path) == nil)
    }
  }

  @Test func `waiting for a lease can be cancelled, and keeps no thread of Swift's`() async throws {
    let gate = Gate()
    let isWithinTask = Locked<Bool?>(nil)
    let syscalls = Syscalls(
      .init(
        open: { _ in -Int(EWOULDBLOCK) },
        openWaiting: { _ in
          let isTask = withUnsafeCurrentTask { $0 != nil }
          isWithinTask.withLock { $0 = isTask }
          gate.pass()
          return -Int(ENOENT)
        }))
    let opening = Task {
      _ = try await RangeReader(FileSource("x", configuration: TestEngine.configuration(syscalls: syscalls)))
    }
    await gate.arrival()
    opening.cancel()
    await #expect(throws: CancellationError.self) { try await opening.value }
    #expect(isWithinTask.withLock { $0 } == false)
    gate.open()
  }

  #if os(Linux)
    @Test func `no FIFO is waited for in the place of a leased file`() throws {
      let fifo = directory.path("fifo")
      try #require(mkfifo(fifo, 0o600) == 0)
      #expect(Syscalls.system.call.openWaiting(FilePath(fifo)) == -Int(EWOULDBLOCK))
      #expect(Syscalls.system.call.openWaiting(FilePath(directory.path("missing"))) == -Int(ENOENT))
    }

    @Test func `a directory that was opened by its path alone is a directory`() async throws {
      let error = try await refusal(adopting: pathOnly | O_DIRECTORY, of: directory.path)
      #expect(error?.code == .unsupportedSource)
    }

    @Test func `a file that is leased to a writer is opened when he has let go of it`() async throws {
      let (path, bytes) = try await directory.file(count: 10_000)
      let holder = open(path, O_RDWR | O_CLOEXEC)
      try #require(holder >= 0)
      defer { close(holder) }
      // By a signal that means nothing to a process that does not ask for it.
      let (setSignal, setLease): (CInt, CInt) = (10, 1024)
      try #require(fcntl(holder, setSignal, SIGWINCH) == 0)
      try #require(fcntl(holder, setLease, CInt(F_WRLCK)) == 0)
      let waits = Locked(0)
      let syscalls = Syscalls(
        .init(openWaiting: { path in
          waits.withLock { $0 += 1 }
          _ = fcntl(holder, setLease, CInt(F_UNLCK))
          return Syscalls.system.call.openWaiting(path)
        }))
      let reader = try await RangeReader(FileSource(path, configuration: TestEngine.configuration(syscalls: syscalls)))
      #expect(try await reader.read(0...) == Bytes(bytes))
      #expect(waits.withLock { $0 } == 1)
      await reader.close()
    }
  #endif
}
