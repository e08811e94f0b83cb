import RangeIOTesting
import Synchronization
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Files that one call overwrites while they are opened. The kernel stamps such a write at its start: the file then has the
/// size and the times of its new version, and some of its old bytes.
struct LongWriteTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  enum Keeping: CaseIterable {
    case memory, secondReads, tiers, disk, diskOnly, readAhead

    func store(_ disk: DiskConfiguration) async throws -> any ChunkStore {
      switch self {
      case .memory, .secondReads, .readAhead: MemoryStore(limit: .mebibytes(8))
      case .tiers: TieredStore(.init(memory: .mebibytes(2), compressed: .mebibytes(8)))
      case .disk: try await TieredStore(memory: .mebibytes(2), disk: disk)
      case .diskOnly: try await TieredStore(disk: disk)
      }
    }

    func pipeline(_ store: any ChunkStore) -> ReadPipeline {
      switch self {
      case .memory, .tiers, .disk, .diskOnly: .caching(store)
      case .secondReads: .caching(store, onSecondRead: true)
      case .readAhead: [.readAhead(), .caching(store)]
      }
    }
  }

  /// A writer that began `age` ago, by one call, and has stopped in its middle.
  private final class StoppedWriter: Sendable {
    let start = FileTime(seconds: 1_800_000_000, nanoseconds: 123_456_789)
    let age = Locked(Duration.milliseconds(100))

    var syscalls: Syscalls {
      Syscalls(
        .init(
          status: { [self] in
            let result = Syscalls.kernelStatus($0, &$1)
            ($1.modified, $1.changed) = (start, start)
            return result
          },
          wallClock: { [self] in
            (start.seconds * 1_000_000_000 + Int64(start.nanoseconds) + age.withLock { $0 }.nanoseconds, 4_000_000)
          }))
    }
  }

  @Test(arguments: Keeping.allCases)
  func `what is read in the middle of a write is served, and not kept in any tier`(_ keeping: Keeping) async throws {
    let (path, old) = try await directory.file(count: 1 << 20)
    let new = [UInt8](SyntheticSource.bytes(0..<1 << 20, version: 1))
    let writer = StoppedWriter()
    let source = FileSource(path, configuration: TestEngine.configuration(syscalls: writer.syscalls))
    var disk = DiskConfiguration(directory: directory.path("spill"), limit: .mebibytes(8))
    (disk.keepsFastSources, disk.freeSpaceFloor) = (true, .bytes(0))
    let store = try await keeping.store(disk)
    let reader = try await RangeReader(source, keeping.pipeline(store))
    let ranges = [300_000..<310_000, 0..<1 << 20, 131_072..<131_073]
    for _ in 0..<3 {
      reader.advise(.willNeed, 0..<1 << 20)
      for range in ranges { #expect(try await reader.read(range) == Bytes(old[range])) }
      for (range, bytes) in zip(ranges, try await reader.read(ranges)) { #expect(bytes == Bytes(old[range])) }
    }
    for range in ranges { #expect(reader.cached(range) == nil) }
    // The writer goes on.
    try write(new, to: path, truncating: false)
    for age in [100, 249] {
      writer.age.withLock { $0 = .milliseconds(age) }
      for range in ranges { #expect(try await reader.read(range) == Bytes(new[range])) }
      for try await piece in reader.stream(0..<4096) { #expect(piece == Bytes(new[0..<4096])) }
      for range in ranges { #expect(reader.cached(range) == nil) }
    }
    let tiers = store as? TieredStore
    try await tiers?.flush()
    if let tier = tiers?.counts().disk { #expect(tier.blocks == 0) }
    writer.age.withLock { $0 = .milliseconds(250) }
    for _ in 0..<3 { for range in ranges { #expect(try await reader.read(range) == Bytes(new[range])) } }
    try await tiers?.flush()
    if keeping == .diskOnly { #expect(try #require(tiers?.counts().disk).blocks > 0) }
    if keeping != .diskOnly {
      #expect(reader.cached(ranges[0]) == Bytes(new[ranges[0]]), "it is kept once the file has rested")
    }
    await reader.close()
    try await tiers?.close()
  }

  @Test func `a reader that has rested with its file is as quick as one that was opened later`() async throws {
    let (path, bytes) = try await directory.file(count: 100_000)
    let writer = StoppedWriter()
    let source = FileSource(path, configuration: TestEngine.configuration(syscalls: writer.syscalls))
    let reader = try await RangeReader(source, [.caching(MemoryStore(limit: .mebibytes(8)))])
    let opened = reader.source
    #expect(!opened.isSettled)
    _ = try await reader.read(0..<10)
    writer.age.withLock { $0 = .milliseconds(250) }
    #expect(try await reader.read(0..<10) == Bytes(bytes[0..<10]))
    #expect(reader.source === opened && opened.isSettled && !reader.core.hasMoved.load(ordering: .relaxed))
    await reader.close()
  }

  @Test func `a time of modification that was set says nothing of a write`() {
    let second: Int64 = 1_000_000_000
    func isSettled(modified: Int64, changed: Int64) -> Bool {
      var status = FileStatus()
      status.modified = FileTime(nanosecondsSince1970: modified)
      status.changed = FileTime(nanosecondsSince1970: changed)
      return FileVersion(status).isSettled(at: 100 * second, tick: 4_000_000)
    }
    let (recent, rested, old) = (100 * second - 249_999_999, 100 * second - 250_000_000, 10 * second + 1)
    #expect(!isSettled(modified: recent, changed: recent) && isSettled(modified: rested, changed: rested))
    #expect(isSettled(modified: old, changed: recent), "as archive tools set it after writing; or another mode")
    #expect(!isSettled(modified: recent, changed: old), "it cannot be, so it is not trusted")
    #expect(isSettled(modified: 200 * second, changed: old) && !isSettled(modified: 200 * second, changed: recent))
    #expect(!isSettled(modified: 200 * second, changed: 200 * second))
  }
}
