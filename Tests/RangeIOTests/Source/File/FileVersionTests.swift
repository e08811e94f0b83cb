import RangeIOTesting
import Synchronization
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

#if canImport(Glibc)
  import Glibc
#endif

struct FileVersionTests {
  private func version(size: Int = 100, modified: Int64 = 5, changed: Int64 = 5, inode: UInt64 = 1) -> FileVersion {
    var status = FileStatus()
    status.inode = inode
    status.size = size
    status.modified = FileTime(nanosecondsSince1970: modified)
    status.changed = FileTime(nanosecondsSince1970: changed)
    return FileVersion(status)
  }

  @Test func `only growth of the same file extends it`() {
    let old = version()
    #expect(old.change(to: version()) == .same)
    #expect(old.change(to: version(size: 101, modified: 6, changed: 6)) == .extends)
    #expect(old.change(to: version(size: 101, inode: 2)) == .other)
    #expect(old.change(to: version(size: 99, modified: 6)) == .other)
    #expect(old.change(to: version(modified: 6)) == .other)
    #expect(old.change(to: version(changed: 6)) == .other)
    struct Foreign: SourceValidator {
      func change(to newer: any SourceValidator) -> SourceChange { .same }
    }
    #expect(old.change(to: Foreign() as any SourceValidator) == .other)
  }

  @Test func `a version is settled once a later change would show`() {
    let second: Int64 = 1_000_000_000
    let fine = version(changed: 10 * second + 123)
    #expect(!fine.isSettled(at: 10 * second + 123, tick: 4_000_000))
    #expect(!fine.isSettled(at: 10 * second + 123 + 4_000_000, tick: 4_000_000))
    #expect(fine.isSettled(at: 10 * second + 123 + 4_000_001, tick: 4_000_000))
    #expect(!fine.isSettled(at: 9 * second, tick: 4_000_000), "the clock was set back")
    let coarse = version(changed: 10 * second)
    #expect(!coarse.isSettled(at: 12 * second, tick: 4_000_000), "a file system that stores whole seconds")
    #expect(coarse.isSettled(at: 12 * second + 1, tick: 4_000_000))
  }
}

/// What a read does when the file changes under it.
struct FileChangeTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func expectChanged(_ body: () async throws -> Void) async {
    await #expect { try await body() } throws: { ($0 as? ReadError)?.code == .sourceChanged }
  }

  @Test func `what was appended can be read`() async throws {
    let (path, bytes) = try await directory.file(count: 5000)
    let reader = try await RangeReader(path, engine: TestEngine.current)
    let more = [UInt8](repeating: 7, count: 3000)
    try write(more, to: path, at: 5000, truncating: false)
    #expect(try await reader.read(0..<5000) == Bytes(bytes))
    #expect(try await reader.read(4999..<5001) == Bytes([bytes[4999], 7]))
    #expect(reader.byteCount == 8000)
    try write(more, to: path, at: 8000, truncating: false)
    #expect(try await reader.read(suffix: 3000) == Bytes(more))
    #expect(try await reader.read(10_999...) == [7])
    #expect(try await reader.refresh() == 11_000)
    await reader.close()
  }

  @Test func `a file that shrank is another`() async throws {
    let (path, _) = try await directory.file(count: 3_000_000)
    let reader = try await RangeReader(path, engine: TestEngine.current)
    try #require(truncate(path, 1000) == 0)
    await expectChanged { _ = try await reader.read(0..<10) }
    await expectChanged { _ = try await reader.read(500..<2000) }
    await expectChanged { _ = try await reader.read(0..<3_000_000) }
    await expectChanged { _ = try await reader.read([0..<1, 5..<6]) }
    await expectChanged { _ = try await reader.refresh() }
    await expectChanged { for try await _ in reader.stream(0..<3_000_000) {} }
    await reader.close()
  }

  @Test func `a file that was rewritten is another`() async throws {
    let (path, bytes) = try await directory.file(count: 5000)
    let reader = try await RangeReader(path, engine: TestEngine.current)
    try write(bytes.reversed(), to: path, truncating: false)
    await expectChanged { _ = try await reader.read(0..<10) }
    await reader.close()
  }

  @Test func `a file whose path was given to another is another`() async throws {
    let (path, _) = try await directory.file(count: 5000)
    let reader = try await RangeReader(path, engine: TestEngine.current)
    let (other, _) = try await directory.file("other", count: 5000)
    try #require(rename(other, path) == 0)
    await expectChanged { _ = try await reader.read(0..<10) }
    let again = try await RangeReader(path, engine: TestEngine.current)
    #expect(again.source.id != reader.source.id)
    await again.close()
    await reader.close()
  }

  @Test func `a file that was removed is another, one that was opened without a name is not`() async throws {
    let (path, bytes) = try await directory.file(count: 2_500_000)
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    let reader = try await RangeReader(path, engine: TestEngine.current)
    try #require(unlink(path) == 0)
    await expectChanged { _ = try await reader.read(0..<10) }
    await reader.close()
    let nameless = try await RangeReader(adopting: .init(rawValue: descriptor), engine: TestEngine.current)
    #expect(try await nameless.read(0..<2_500_000) == Bytes(bytes))
    await nameless.close()
  }

  @Test func `a change in the middle of a read is seen after it`() async throws {
    let (path, bytes) = try await directory.file(count: 100_000)
    let changes = Atomic<Bool>(false)
    let change: @Sendable () -> Void = {
      if changes.exchange(false, ordering: .relaxed) {
        try? write(bytes.reversed(), to: path, truncating: false)
      }
    }
    // Between the bytes that are read and the look at the version the file is rewritten.
    let syscalls = Syscalls(
      read: {
        defer { change() }
        return Syscalls.system.read($0, $1, $2)
      },
      readResident: {
        defer { change() }
        return Syscalls.system.readResident($0, $1, $2)
      })
    guard TestEngine.current != .dispatchIO else { return }  // which makes its system calls itself
    let source = FileSource(path, configuration: TestEngine.configuration(syscalls: syscalls))
    let reader = try await RangeReader(source)
    #expect(try await reader.read(0..<1000) == Bytes(bytes[0..<1000]))
    changes.store(true, ordering: .relaxed)
    await expectChanged { _ = try await reader.read(0..<1000) }
    await reader.close()
  }

  @Test func `a version within the clock's tick is served, and looked at again`() async throws {
    let (path, bytes) = try await directory.file(count: 1000)
    let isYoung = Atomic<Bool>(true)
    let looks = Atomic<Int>(0)
    let syscalls = Syscalls(
      status: {
        looks.wrappingAdd(1, ordering: .relaxed)
        return Syscalls.kernelStatus($0, &$1)
      },
      wallClock: {
        let (now, tick) = Syscalls.system.wallClock()
        return (now, isYoung.load(ordering: .relaxed) ? 3_600_000_000_000 : tick)
      })
    let reader = try await RangeReader(
      FileSource(path, configuration: TestEngine.configuration(syscalls: syscalls)))
    #expect(!reader.source.isSettled)
    let before = looks.load(ordering: .relaxed)
    #expect(try await reader.read(0..<10) == Bytes(bytes[0..<10]))
    #expect(looks.load(ordering: .relaxed) == before + 2, "once before the read, once after")
    isYoung.store(false, ordering: .relaxed)
    #expect(try await reader.read(0..<10) == Bytes(bytes[0..<10]))
    #expect(reader.source.isSettled)
    let settled = looks.load(ordering: .relaxed)
    #expect(try await reader.read(0..<10) == Bytes(bytes[0..<10]))
    #expect(looks.load(ordering: .relaxed) == settled + 1, "once after the read")
    await reader.close()
  }

  @Test func `a hundred readers of a growing file never see a wrong byte`() async throws {
    let path = directory.path("growing")
    try write([], to: path)
    let target = 400_000
    let writer = Task.detached {
      var offset = 0
      while offset < target {
        let count = min(997, target - offset)
        try write(Array(SyntheticSource.bytes(offset..<offset + count)), to: path, at: offset, truncating: false)
        offset += count
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask {
          let reader = try await RangeReader(path, engine: TestEngine.current)
          var offset = 0
          while offset < target {
            let end = try await reader.refresh()
            #expect(try await reader.read(offset..<end) == SyntheticSource.bytes(offset..<end))
            offset = end
            await Task.yield()
          }
          await reader.close()
        }
      }
      try await group.waitForAll()
    }
    try await writer.value
  }
}
