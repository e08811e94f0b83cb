import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Locks that this process has on a file which it also reads, as a program does that writes to its database by SQLite.
///
/// The system drops all of them when any descriptor of the file is closed: `fcntl(2)`, *Advisory record locking*.
@Suite(.simulated) struct FileLockTests {
  /// F_OFD_GETLK, which Swift does not import.
  private static let getOthersLock: CInt = {
    #if canImport(Darwin)
      92
    #else
      36
    #endif
  }()

  private static func writeLock() -> flock {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    return lock
  }

  /// The process that has the file locked, as the system tells another who asks for a lock by `descriptor`.
  ///
  /// Locks of open file descriptions conflict with those of their own process too, so nobody else is needed to ask.
  private static func holder(_ descriptor: CInt) throws -> pid_t? {
    var lock = writeLock()
    try #require(fcntl(descriptor, getOthersLock, &lock) == 0, "\(errno)")
    return lock.l_type == Int16(F_UNLCK) ? nil : lock.l_pid
  }

  @Test func `a lock of this process on a file outlives all looks of a reader that turns to new versions`() async throws
  {
    let directory = try TemporaryDirectory()
    let (path, bytes) = (directory.path("file"), [UInt8](SyntheticSource.bytes(0..<5000)))
    try write(bytes, to: path)
    let threads = IOThreads(limit: 1, start: { _, _ in -1 })
    let looks = AwaitedCount()
    var file = TestEngine.configuration(
      .positional,
      syscalls: Syscalls(
        .init(statusOfPath: {
          looks.add()
          return Syscalls.kernelStatusOfPath($0, &$1)
        })), threads: threads)
    file.remoteThreads = threads
    let simulation = Simulation.current!
    file.resting = RestingFiles(simulation.time)
    var configuration = simulation.configuration
    configuration.onChange = .refresh
    let reader = try await RangeReader(
      FileSource(path, configuration: file), [], configuration: configuration)

    let (asking, locked) = (open(path, O_RDWR | O_CLOEXEC), open(path, O_RDWR | O_CLOEXEC))
    try #require(asking >= 0 && locked >= 0)
    #expect(try Self.holder(asking) == nil)
    var lock = Self.writeLock()
    try #require(fcntl(locked, F_SETLK, &lock) == 0)
    #expect(try Self.holder(asking) == getpid())

    for number in 0..<10 {
      // Longer than the intervals in which the reader looks by itself.
      try await simulation.clock.sleep(for: .seconds(17))
      #expect(try await reader.read(0..<5000) == Bytes(bytes))
      #expect(try await reader.refresh() == 5000)
      #expect(try Self.holder(asking) == getpid(), "after \(looks.now) looks, \(number)")
    }
    #expect(looks.now >= 20)
    // What is written to it shows, and still the lock is there.
    try #require(pwrite(locked, [UInt8](repeating: 7, count: 2), 2, 5000) == 2)
    #expect(try await reader.refresh() == 5002)
    #expect(try await reader.read(5000..<5002) == [7, 7])
    #expect(try Self.holder(asking) == getpid(), "after it was written to")

    // The test would see it: any descriptor takes the lock along.
    close(open(path, O_RDONLY | O_CLOEXEC))
    #expect(try Self.holder(asking) == nil)
    await reader.close()
    close(locked)
    close(asking)
  }
}
