import RangeIOTesting
import Synchronization
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

struct FileVersionTests {
  private func version(size: Int = 100, modified: Int64 = 5, changed: Int64 = 5, inode: UInt64 = 1) -> FileVersion {
    var status = FileStatus()
    status.inode = inode
    status.size = size
    status.modified = FileTime(nanosecondsSince1970: modified)
    status.changed = FileTime(nanosecondsSince1970: changed)
    return FileVersion(status)
  }

  @Test func `size, times and inode tell versions apart, and none extends another`() {
    let old = version()
    #expect(old.change(to: version()) == .same)
    #expect(old.change(to: version(size: 101, modified: 6, changed: 6)) == .other)
    #expect(old.change(to: version(size: 101)) == .other)
    #expect(old.change(to: version(inode: 2)) == .other)
    #expect(old.change(to: version(size: 99, modified: 6)) == .other)
    #expect(old.change(to: version(modified: 6)) == .other)
    #expect(old.change(to: version(changed: 6)) == .other)
    struct Foreign: SourceDescription.Validator {
      func change(to newer: any SourceDescription.Validator) -> SourceDescription.Change { .same }
    }
    #expect(old.change(to: Foreign() as any SourceDescription.Validator) == .other)
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

/// What tells files of images apart that are mounted in turn, in one place and with one inode, size and stamps.
struct FileIdentityTests {
  @Test func `files of two file systems are two sources, whatever else they have in common`() async throws {
    let directory = try TemporaryDirectory()
    let path = try await directory.file(count: 100).path
    var ids: [String] = []
    for fileSystem in [UInt64(1), 2, 1] {
      let calls = Syscalls(.init(fileSystem: { _ in fileSystem }))
      for isAppendOnly in [false, true] {
        var configuration = TestEngine.configuration(syscalls: calls)
        configuration.isAppendOnly = isAppendOnly
        let source = FileSource(path, configuration: configuration)
        ids.append(try await source.describe().id)
        await source.close()
      }
    }
    #expect(ids[0] != ids[2] && ids[1] != ids[3] && ids[0] == ids[4] && ids[1] == ids[5])
  }

  @Test func `a version whose times are of whole seconds is not written down`() {
    var status = FileStatus()
    (status.modified, status.changed) = (FileTime(seconds: 9, nanoseconds: 0), FileTime(seconds: 9, nanoseconds: 0))
    #expect(FileVersion(status).persistentForm == nil)
    status.changed.nanoseconds = 1
    #expect(FileVersion(status).persistentForm != nil)
  }
}

/// What explains that the time of status change is another.
struct FileSightingTests {
  private func at(_ nanoseconds: UInt32) -> FileTime { FileTime(seconds: 0, nanoseconds: nanoseconds) }

  private func status(_ change: (inout FileStatus) -> Void = { _ in }) -> FileStatus {
    var status = FileStatus()
    (status.size, status.modified, status.changed, status.mode) = (100, at(5), at(5), 0o100600)
    change(&status)
    return status
  }

  private func isAccepted(name: String? = "/file", _ change: (inout FileStatus) -> Void) -> Bool {
    var sighting = FileSighting(status(), name: "/file")
    return sighting.accepts(status(change), name: name)
  }

  @Test func `size and time of modification decide`() {
    #expect(!isAccepted { $0.size = 101 })
    #expect(!isAccepted { $0.size = 99 })
    #expect(!isAccepted { $0.modified = at(6) })
    #expect(!isAccepted { ($0.modified, $0.changed, $0.mode) = (at(6), at(6), 0o100400) })
    #expect(!isAccepted { $0.inode = 7 })
    #expect(!isAccepted { $0.device = 7 })
  }

  @Test func `mode, owner, group, links and name explain another time of status change, and nothing else does`() {
    #expect(isAccepted { _ in })
    #expect(!isAccepted { $0.changed = at(6) })
    #expect(isAccepted { ($0.changed, $0.mode) = (at(6), 0o100400) })
    #expect(isAccepted { ($0.changed, $0.owner) = (at(6), 7) })
    #expect(isAccepted { ($0.changed, $0.group) = (at(6), 7) })
    #expect(isAccepted { ($0.changed, $0.links) = (at(6), 2) })
    #expect(isAccepted { ($0.changed, $0.links) = (at(6), 0) })
    #expect(isAccepted(name: "/other") { $0.changed = at(6) })
    #expect(!isAccepted(name: nil) { $0.changed = at(6) }, "the system does not say how it is called")
  }

  @Test func `an explanation explains one change`() {
    var sighting = FileSighting(status(), name: "/file")
    func accepts(_ name: String, _ change: (inout FileStatus) -> Void) -> Bool {
      sighting.accepts(status(change), name: name)
    }
    #expect(accepts("/file") { ($0.changed, $0.mode) = (at(6), 0o100400) })
    #expect(!accepts("/file") { ($0.changed, $0.mode) = (at(7), 0o100400) })
    #expect(accepts("/moved") { ($0.changed, $0.mode) = (at(7), 0o100400) })
    #expect(!accepts("/moved") { ($0.changed, $0.mode) = (at(8), 0o100400) })
    #expect(accepts("/moved (deleted)") { ($0.changed, $0.mode, $0.links) = (at(8), 0o100400, 0) })
    #expect(!accepts("/moved (deleted)") { ($0.changed, $0.mode, $0.links) = (at(9), 0o100400, 0) })
    #expect(sighting.version == FileVersion(status()), "it is the version that it was")
    #expect(sighting.renamings == 2)
  }
}

/// What a read does when the file changes under it.
struct FileChangeTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func expectChanged(_ body: () async throws -> Void) async {
    await #expect { try await body() } throws: { ($0 as? ReadError)?.code == .sourceChanged }
  }

  private func expectLonger(_ body: () async throws -> Void) async {
    await #expect { try await body() } throws: {
      guard let error = $0 as? ReadError else { return false }
      return error.code == .sourceChanged && error.message.contains(".follow")
    }
  }

  @Test func `a file that became longer is another, and the error names the way to follow it`() async throws {
    let (path, _) = try await directory.file(count: 5000)
    let reader = try await RangeReader(TestEngine.file(path))
    try write([UInt8](repeating: 7, count: 3000), to: path, at: 5000, truncating: false)
    await expectLonger { _ = try await reader.read(0..<10) }
    await expectLonger { _ = try await reader.read(4999..<5001) }
    await expectLonger { _ = try await reader.read([0..<1, 5..<6]) }
    await expectLonger { _ = try await reader.read(suffix: 10) }
    await expectLonger { try await reader.refresh() }
    await expectLonger { for try await _ in reader.stream() {} }
    #expect(reader.byteCount == 5000)
    await reader.close()
  }

  @Test func `a file that is overwritten by a longer one is never read as if it had grown`() async throws {
    let (path, old) = try await directory.file(count: 4096)
    let reader = try await RangeReader(TestEngine.file(path))
    for _ in 0..<3 { #expect(try await reader.read(0..<4096) == Bytes(old)) }
    try write(Array(SyntheticSource.bytes(0..<8192, version: 9)), to: path)
    // Half of it is cached.
    await expectLonger { _ = try await reader.read(0..<8192) }
    await reader.close()
  }

  @Test func `a stream of a file that is overwritten by a longer one does not go on in that`() async throws {
    for policy in [RangeReader.ChangePolicy.fail, .refresh] {
      // Longer than what a stream looks ahead.
      let (path, old) = try await directory.file("\(policy == .fail)", count: 16 << 20)
      let reader = try await RangeReader(path, engine: TestEngine.current, onChange: policy)
      var pieces = reader.stream(chunkSize: .kibibytes(64)).makeAsyncIterator()
      #expect(try await pieces.next() == Bytes(old[..<65_536]))
      try write(Array(SyntheticSource.bytes(0..<(17 << 20), version: 9)), to: path)
      var position = 65_536
      await expectChanged {
        while let piece = try await pieces.next() {
          // A value of its own: of two pieces that differ the testing library would tell how, byte by byte, for minutes.
          let isOld = piece == Bytes(old[position..<min(old.count, position + piece.count)])
          #expect(isOld, "at \(position)")
          position += piece.count
        }
      }
      #expect(position < old.count)
      await reader.close()
    }
  }

  @Test func `a file that shrank is another`() async throws {
    let (path, _) = try await directory.file(count: 3_000_000)
    let reader = try await RangeReader(TestEngine.file(path))
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
    let reader = try await RangeReader(TestEngine.file(path))
    try write(bytes.reversed(), to: path, truncating: false)
    await expectChanged { _ = try await reader.read(0..<10) }
    await reader.close()
  }

  @Test func `what leaves every byte as it was ends no reader`() async throws {
    let (path, bytes) = try await directory.file(count: 2_500_000)
    let reader = try await RangeReader(TestEngine.file(path))
    let stream = reader.stream(chunkSize: .kibibytes(64))
    var pieces = stream.makeAsyncIterator()
    _ = try await pieces.next()
    let (hard, moved, other) = (
      directory.path("hard"), directory.path("moved"), try await directory.file("other", count: 9).path
    )
    let changes: [() -> CInt] = [
      { chmod(path, 0o400) }, { link(path, hard) }, { unlink(hard) }, { chmod(path, 0o600) }, { rename(path, moved) },
      { rename(moved, path) }, { getuid() == 0 ? chown(path, 1, 1) : 0 }, { rename(other, path) },
    ]
    for change in changes {
      try #require(change() == 0)
      #expect(try await reader.read(100..<3100) == Bytes(bytes[100..<3100]))
      #expect(try await reader.read([0..<9, 2_400_000..<2_400_001]) == [Bytes(bytes[..<9]), [bytes[2_400_000]]])
      #expect(try await reader.refresh() == 2_500_000)
    }
    var count = 65_536
    while let piece = try await pieces.next() {
      #expect(piece == Bytes(bytes[count..<count + piece.count]))
      count += piece.count
    }
    #expect(count == 2_500_000)
    await reader.close()
  }

  @Test func `another time of status change that nothing explains is another version, and the error says so`()
    async throws
  {
    let (path, bytes) = try await directory.file(count: 5000)
    let reader = try await RangeReader(TestEngine.file(path))
    try #require(chmod(path, 0o640) == 0)
    #expect(try await reader.read(0..<10) == Bytes(bytes[..<10]))
    // Rewritten, and its time of modification set back, as archive tools do.
    var before = stat()
    try #require(stat(path, &before) == 0)
    try write(bytes.reversed(), to: path, truncating: false)
    try #require(utimensat(AT_FDCWD, path, [before.st_atim, before.st_mtim], 0) == 0)
    let error = await #expect(throws: ReadError.self) { _ = try await reader.read(0..<10) }
    #expect(error?.code == .sourceChanged)
    #expect(error?.message.contains("status was changed") == true)
    await expectChanged { try await reader.refresh() }
    await reader.close()
  }

  @Test func `a file that was removed is read on, and one that was opened without a name is read`() async throws {
    let (path, bytes) = try await directory.file(count: 2_500_000)
    let descriptor = systemOpen(path, O_RDONLY | O_CLOEXEC)
    let reader = try await RangeReader(TestEngine.file(path))
    try #require(unlink(path) == 0)
    #expect(try await reader.read(0..<2_500_000) == Bytes(bytes))
    await reader.close()
    let nameless = try await RangeReader(
      FileSource(adopting: .init(rawValue: descriptor), configuration: TestEngine.configuration()))
    #expect(try await nameless.read(0..<2_500_000) == Bytes(bytes))
    await nameless.close()
  }

  @Test func `readers of a file that was rewritten learn of it without a thread that waits`() async throws {
    let (path, bytes) = try await directory.file(count: 5000)
    let threads = IOThreads(limit: 1)
    let configuration = TestEngine.configuration(.automatic, threads: threads)
    var readers: [RangeReader] = []
    for _ in 0..<64 { readers.append(try await RangeReader(FileSource(path, configuration: configuration))) }
    try write(bytes.reversed(), to: path, truncating: false)
    // The only thread is busy elsewhere: the bytes are in the page cache, and nothing else needs it.
    let gate = Gate()
    threads.submit(IOJob { gate.pass() })
    await gate.arrival()
    for reader in readers { await expectChanged { _ = try await reader.read(0..<10) } }
    gate.open()
    for reader in readers { await reader.close() }
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
      .init(
        read: {
          defer { change() }
          return Syscalls.system.call.read($0, $1, $2)
        },
        readResident: {
          defer { change() }
          return Syscalls.system.call.readResident($0, $1, $2)
        }))
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
      .init(
        status: {
          looks.wrappingAdd(1, ordering: .relaxed)
          return Syscalls.kernelStatus($0, &$1)
        },
        wallClock: {
          let (now, tick) = Syscalls.system.call.wallClock()
          return (now, isYoung.load(ordering: .relaxed) ? 3_600_000_000_000 : tick)
        }))
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
          let reader = try await RangeReader(path, engine: TestEngine.current, onChange: .follow)
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
