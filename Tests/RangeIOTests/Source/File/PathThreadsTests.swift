import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Who waits for a server that hangs, and who does not.
struct PathThreadsTests {
  private let directory: TemporaryDirectory
  private let threads = PathThreads { IOThreads(limit: 2) }
  private let localThreads = IOThreads(limit: 2)

  init() throws { directory = try TemporaryDirectory() }

  /// What lies below a directory, as if it were a file system of its own, whose calls can hang.
  private final class FileSystem: Sendable {
    let root: String
    let device: UInt64
    let isRemote: Bool
    let gate = Gate()
    private let isHanging = Locked(false)

    init(_ root: String, device: UInt64, isRemote: Bool) {
      (self.root, self.device, self.isRemote) = (FilePath(root).string, device, isRemote)
    }

    func hang() { isHanging.withLock { $0 = true } }

    func answer() {
      isHanging.withLock { $0 = false }
      gate.open()
    }

    private func ask() { if isHanging.withLock({ $0 }) { gate.pass() } }

    var syscalls: Syscalls {
      Syscalls(
        .init(
          open: {
            self.ask()
            return Syscalls.system.call.open($0)
          },
          status: {
            self.ask()
            let result = Syscalls.kernelStatus($0, &$1)
            $1.device = self.device
            return result
          },
          statusOfPath: {
            let isBelow = $0.string.hasPrefix(self.root)
            if isBelow { self.ask() }
            let result = Syscalls.kernelStatusOfPath($0, &$1)
            $1.device = isBelow ? self.device : 1
            return result
          },
          read: {
            self.ask()
            return Syscalls.system.call.read($0, $1, $2)
          },
          readResident: { _, _, _ in -Int(EAGAIN) },
          isRemote: { _ in self.isRemote }))
    }
  }

  private func fileSystem(_ name: String, device: UInt64, isRemote: Bool) throws -> FileSystem {
    try #require(mkdir(directory.path(name), 0o700) == 0)
    return FileSystem(directory.path(name), device: device, isRemote: isRemote)
  }

  private func source(_ name: String, on fileSystem: FileSystem) throws -> FileSource {
    let path = fileSystem.root + "/" + name
    try write([1, 2, 3, 4], to: path)
    var configuration = TestEngine.configuration(.positional, syscalls: fileSystem.syscalls, threads: localThreads)
    configuration.pathThreads = threads
    return FileSource(path, configuration: configuration)
  }

  /// Opens the file, reads it, and looks at its path.
  private func use(_ source: FileSource) async throws {
    let description = try await source.describe()
    #expect(try await source.read(1..<3, of: description) == [2, 3])
    #expect(try await source.renew().byteCount == 4)
  }

  @Test(.timeLimit(.minutes(15)))
  func `reads and looks that hang on one server delay neither local files nor other servers`() async throws {
    let hung = try fileSystem("hung", device: 7, isRemote: true)
    let other = try fileSystem("other", device: 8, isRemote: true)
    let here = try fileSystem("here", device: 9, isRemote: false)
    let (remote, idle) = (try source("file", on: hung), try source("file", on: here))
    let description = try await remote.describe()
    _ = try await idle.describe()
    hung.hang()
    // More than there are threads, and none is waited for any more.
    let reads = (0..<4).map { _ in Task { _ = try await remote.read(0..<1, of: description) } }
    let looks = (0..<4).map { _ in Task { _ = try await remote.renew() } }
    await hung.gate.arrival(2)
    for task in reads + looks { task.cancel() }
    for task in reads + looks { await #expect(throws: CancellationError.self) { try await task.value } }

    try await use(idle)
    let (first, second) = (try source("new", on: here), try source("new", on: other))
    try await use(first)
    try await use(second)
    await first.close()
    await second.close()
    await idle.close()
    hung.answer()
    await remote.close()
  }

  @Test(.timeLimit(.minutes(15)))
  func `openings on a server of which a file was opened before delay no other opening`() async throws {
    let hung = try fileSystem("hung", device: 7, isRemote: true)
    let here = try fileSystem("here", device: 9, isRemote: false)
    let first = try source("first", on: hung)
    _ = try await first.describe()
    hung.hang()
    let others = try (0..<4).map { try source("\($0)", on: hung) }
    let openings = others.map { source in Task { _ = try await source.describe() } }
    await hung.gate.arrival(2)
    let local = try source("file", on: here)
    try await use(local)
    await local.close()
    hung.answer()
    for opening in openings { try await opening.value }
    for source in others + [first] { await source.close() }
  }

  @Test(.timeLimit(.minutes(15)))
  func `a remote file that another has replaced is closed by its server's threads`() async throws {
    let server = try fileSystem("server", device: 7, isRemote: true)
    let path = server.root + "/file"
    try write([1, 2, 3, 4], to: path)
    let disk = Gate()
    localThreads.submit(IOJob { disk.pass() })
    localThreads.submit(IOJob { disk.pass() })
    await disk.arrival(2)
    let closed = Promise<Void>()
    let calls = server.syscalls.call
    var configuration = TestEngine.configuration(
      .positional,
      syscalls: Syscalls(
        .init(
          release: {
            defer { closed.resolve(.success(())) }
            return Syscalls.system.call.release($0)
          }, status: calls.status, statusOfPath: calls.statusOfPath, isRemote: calls.isRemote)), threads: localThreads)
    configuration.pathThreads = threads
    let source = FileSource(path, configuration: configuration)
    let old = try await source.describe()
    try write([5, 6, 7], to: path + ".new")
    try #require(rename(path + ".new", path) == 0)
    #expect(try await source.renew() !== old)
    try await closed.value()
    disk.open()
    await source.close()
  }

  @Test func `a path is known by the directory where its file system begins`() {
    let server = threads.server(7)
    #expect(threads.server(7) === server && threads.server(8) !== server && threads.opening !== server)
    #expect(threads.threads(toOpen: nil) === threads.opening)
    #expect(threads.threads(toOpen: "/mnt/a/b") === threads.opening)
    let statusOfPath: Syscalls.StatusOfPath = { path, status in
      status.device = path.string.hasPrefix("/mnt") ? 7 : 1
      return 0
    }
    threads.learn("/mnt/./a/b/c", leadsTo: 7, statusOfPath)
    for path: FilePath in ["/mnt/a/b/c", "/mnt/a/d", "/mnt/./d/e", "/mnt"] {
      #expect(threads.threads(toOpen: path) === server, "\(path)")
    }
    for path: FilePath in ["/mnt2/a", "/a", "/", "/mnt/../a", "mnt/a"] {
      #expect(threads.threads(toOpen: path) === threads.opening, "\(path)")
    }
    threads.learnLocal("/mnt/b")
    #expect(threads.threads(toOpen: "/mnt/a/b/c") === threads.opening, "it is local by now")
  }

  @Test func `of a machine with one remote file system only paths are known that were opened`() {
    let statusOfPath: Syscalls.StatusOfPath = { _, status in
      status.device = 7
      return 0
    }
    threads.learn("/a/b", leadsTo: 7, statusOfPath)
    #expect(threads.threads(toOpen: "/a/b") === threads.server(7))
    #expect(threads.threads(toOpen: "/a/c") === threads.opening)
    // A link on a local disk.
    threads.learn("/link", leadsTo: 8) { _, status in
      status.device = 1
      return 0
    }
    #expect(threads.threads(toOpen: "/link") === threads.server(8))
  }

  @Test func `a bounded number of paths is known`() {
    for number in 0..<257 {
      threads.learn(FilePath("/link\(number)"), leadsTo: 7) { _, status in
        status.device = 1
        return 0
      }
    }
    #expect(threads.threads(toOpen: "/link256") === threads.server(7))
    #expect(threads.threads(toOpen: "/link0") === threads.opening)
  }
}
