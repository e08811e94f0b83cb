import CRangeIOSystem
import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Times that a file may have and that nanoseconds in 64 bits cannot tell: before 1677 and after 2262.
struct FileTimesTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  static let odd: [FileTime] = [
    .init(seconds: .min, nanoseconds: 0), .init(seconds: .min, nanoseconds: 999_999_999),
    .init(seconds: -9_300_000_000, nanoseconds: 1), .init(seconds: -9_223_372_037, nanoseconds: 145_224_191),
    .init(seconds: -1, nanoseconds: 999_999_999), .init(seconds: 0, nanoseconds: 0),
    .init(seconds: 9_223_372_036, nanoseconds: 854_775_808), .init(seconds: 10_000_000_000, nanoseconds: 5),
    .init(seconds: .max, nanoseconds: 0), .init(seconds: .max, nanoseconds: 999_999_999),
  ]

  @Test(arguments: odd)
  func `a file of any time is opened, read, and looked at again`(_ time: FileTime) async throws {
    let (path, bytes) = try await directory.file(count: 10_000)
    // A recent time first, so that the second look at the file has to tell how old the change is.
    let isOdd = Locked(false)
    let syscalls = Syscalls(
      .init(status: {
        let result = Syscalls.kernelStatus($0, &$1)
        if isOdd.withLock({ $0 }) { ($1.modified, $1.changed) = (time, time) }
        return result
      }))
    let reader = try await RangeReader(
      FileSource(path, configuration: TestEngine.configuration(syscalls: syscalls)))
    #expect(try await reader.read(0..<100) == Bytes(bytes[0..<100]))
    isOdd.withLock { $0 = true }
    let error = await #expect(throws: ReadError.self) { try await reader.read(0..<100) }
    #expect(error?.code == .sourceChanged)
    await reader.close()

    let again = try await RangeReader(
      FileSource(path, configuration: TestEngine.configuration(syscalls: syscalls)))
    #expect(try await again.read(0..<100) == Bytes(bytes[0..<100]))
    let isPast = time < FileTime(nanosecondsSince1970: Syscalls.system.call.wallClock().now)
    #expect(again.source.isSettled == isPast, "what is yet to come is never known to be over")
    #expect(try await again.refresh() == 10_000)
    await again.close()
  }

  @Test func `versions whose times lie apart by all that 64 bits can count are two`() {
    func version(_ modified: FileTime, _ changed: FileTime) -> FileVersion {
      var status = FileStatus()
      (status.inode, status.size, status.modified, status.changed) = (1, 100, modified, changed)
      return FileVersion(status)
    }
    let now = FileTime(seconds: 1_700_000_000, nanoseconds: 5)
    // 2^64 nanoseconds later.
    let later = FileTime(seconds: now.seconds + 18_446_744_073, nanoseconds: now.nanoseconds + 709_551_616)
    #expect(version(now, now).change(to: version(later, now)) == .other)
    #expect(version(now, now).change(to: version(now, later)) == .other)
    let forms = (Self.odd + [now, later]).flatMap { one in
      // Those of whole seconds are not written down.
      (Self.odd + [now, later]).compactMap { version(one, $0).persistentForm }
    }
    #expect(Set(forms).count == forms.count, "on a disk they are told apart as well")
  }

  @Test func `times are ordered, and what lies between two of them is never too much`() {
    for (earlier, later) in zip(Self.odd, Self.odd.dropFirst()) {
      #expect(earlier < later)
      #expect(earlier.duration(to: later) > .zero && later.duration(to: earlier) < .zero)
    }
    let (first, last) = (Self.odd[0], Self.odd[Self.odd.count - 1])
    #expect(first.duration(to: last) > .seconds(Int64.max) && last.duration(to: first) < .seconds(Int64.min))
    for nanoseconds in [Int64.min, -1_000_000_001, -1, 0, 1, 1_999_999_999, .max] {
      let time = FileTime(nanosecondsSince1970: nanoseconds)
      #expect((0..<1_000_000_000).contains(time.nanoseconds))
      #expect(FileTime(seconds: 0, nanoseconds: 0).duration(to: time) == .nanoseconds(nanoseconds))
    }
  }

  #if os(Linux)
    @Test func `what the kernel tells of such a file comes as it is`() throws {
      // In memory, where any time can be kept; a disk's file system may have cut it.
      let path = FilePath("/dev/shm/rangeio-times-\(getpid())-\(UInt32.random(in: 0 ... .max))")
      try write([1, 2, 3], to: path.string)
      defer { unlink(path.string) }
      for seconds in [-9_300_000_000, 10_000_000_000, 1 << 40] {
        let time = timespec(tv_sec: seconds, tv_nsec: 7)
        try #require(utimensat(AT_FDCWD, path.string, [time, time], 0) == 0)
        let status = try FileOpening.open(path, .system).status
        #expect(status.modified == FileTime(seconds: Int64(seconds), nanoseconds: 7))
      }
    }
  #endif
}
