import CRangeIOSystem
import Synchronization
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Long reads that are no longer wanted, on the threads that wait for the disk.
struct AbandonedReadTests {
  private let directory: TemporaryDirectory
  private static let byteCount = 200 << 20

  init() throws { directory = try TemporaryDirectory() }

  enum Way: CaseIterable {
    case positional, direct, directUnaligned, scattered, scatteredDirect, several, refusedDirect
  }

  /// A disk that hangs in its first call, and notes what it is asked for. It writes nothing: no page of the memory is
  /// touched.
  private final class Disk: Sendable {
    let gate = Gate()
    private let counts = Locked<[Int]>([])
    private let closed = Locked(0)

    /// The number of descriptors that were closed.
    var closings: Int { closed.withLock { $0 } }

    var asked: [Int] { counts.withLock { $0 } }

    private func read(_ count: Int) -> Int {
      counts.withLock { $0.append(count) }
      gate.pass()
      return count
    }

    func syscalls(direct: Bool) -> Syscalls {
      Syscalls(
        .init(
          reopenDirect: { direct ? Syscalls.system.call.reopen($0) : -Int(Errno.invalidArgument.rawValue) },
          directAlignment: { _ in DirectAlignment(memory: 4096, offset: 4096)! },
          close: { descriptor in
            self.closed.withLock { $0 += 1 }
            return Syscalls.system.call.close(descriptor)
          },
          read: { _, buffer, _ in self.read(buffer.count) },
          readResident: { _, _, _ in -Int(Errno.resourceTemporarilyUnavailable.rawValue) },
          readScattered: { _, vectors, _, isResident in
            isResident
              ? -Int(Errno.resourceTemporarilyUnavailable.rawValue) : self.read(vectors.reduce(0) { $0 + $1.iov_len })
          }))
    }
  }

  private func source(_ way: Way, _ disk: Disk) async throws -> (FileSource, SourceDescription) {
    let path = try directory.sparseFile(byteCount: Self.byteCount)
    try await settle(path)
    let isDirect = [.direct, .directUnaligned, .scatteredDirect, .refusedDirect].contains(way)
    var configuration = FileSource.Configuration(
      engine: isDirect ? .direct : .automatic, blockSize: .mebibytes(1))
    configuration.syscalls = disk.syscalls(direct: way != .refusedDirect)
    let source = FileSource(path, configuration: configuration)
    return (source, try await source.describe())
  }

  private func read(_ way: Way, _ source: FileSource, _ description: SourceDescription) async throws -> Int {
    let whole = 0..<Self.byteCount
    switch way {
    case .positional, .direct, .refusedDirect: return try await source.read(whole, of: description).count
    case .directUnaligned: return try await source.read(1..<Self.byteCount - 1, of: description).count
    case .several:
      let halves = [0..<Self.byteCount / 2, Self.byteCount / 2..<Self.byteCount]
      return try await source.read(halves, of: description).reduce(0) { $0 + $1.count }
    case .scattered, .scatteredDirect:
      let grid = BlockGrid(blockSize: 1 << 20)!
      return try await source.read(grid.pieces(of: whole).map(\.range), of: description).reduce(0) { $0 + $1.count }
    }
  }

  @Test(arguments: Way.allCases) func `no call asks for more than 16 MiB, and all of them for everything`(_ way: Way)
    async throws
  {
    let disk = Disk()
    disk.gate.open()
    let (source, description) = try await source(way, disk)
    let count = try await read(way, source, description)
    #expect(count == (way == .directUnaligned ? Self.byteCount - 2 : Self.byteCount))
    #expect(disk.asked.allSatisfy { $0 <= 16 << 20 } && disk.asked.reduce(0, +) == Self.byteCount)
    await source.close()
  }

  @Test(arguments: Way.allCases) func `a cancelled read ends with the call under way`(_ way: Way) async throws {
    let disk = Disk()
    let (source, description) = try await source(way, disk)
    let reading = Task { try await read(way, source, description) }
    await disk.gate.arrival()
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    disk.gate.open()
    // Returns when nothing uses the descriptor any more.
    await source.close()
    #expect(disk.asked.count <= (way == .several ? 2 : 1), "\(disk.asked)")
  }

  @Test(arguments: Way.allCases) func `closing ends a read with the call under way`(_ way: Way) async throws {
    let disk = Disk()
    let (source, description) = try await source(way, disk)
    let reading = Task { try await read(way, source, description) }
    await disk.gate.arrival()
    let closing = Task { await source.close() }
    let error = await #expect(throws: ReadError.self) { try await reading.value }
    #expect(error?.code == .closed)
    disk.gate.open()
    await closing.value
    #expect(disk.asked.count <= (way == .several ? 2 : 1), "\(disk.asked)")
  }

  @Test func `closing again waits until the file is closed`() async throws {
    let disk = Disk()
    let (source, description) = try await source(.positional, disk)
    let closingsBefore = disk.closings
    let reading = Task { try await read(.positional, source, description) }
    await disk.gate.arrival()
    let first = Task { await source.close() }
    await #expect(throws: ReadError.self) { try await reading.value }
    let second = Task {
      await source.close()
      return disk.closings
    }
    // Time to return too early.
    for _ in 0..<100 { await Task.yield() }
    disk.gate.open()
    #expect(await second.value > closingsBefore)
    await first.value
  }
}
