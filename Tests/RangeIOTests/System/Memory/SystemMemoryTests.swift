import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct SystemMemoryTests {
  private let system: FakeSystem

  init() throws {
    system = try FakeSystem(["/proc/self/mountinfo": FakeSystem.mounts, "/proc/self/cgroup": "0::/pod/app\n"])
  }

  @Test func `the machine's memory is the limit where no group has one`() throws {
    #expect(SystemMemory.limit(system.files, physical: 5000) == .bytes(5000))
    try system.setGroup("/sys/fs/cgroup/pod/app")
    #expect(SystemMemory.limit(system.files, physical: 5000) == .bytes(5000))
  }

  @Test func `the strictest of machine and groups is the limit`() throws {
    try system.setGroup("/sys/fs/cgroup/pod/app", max: "3000")
    #expect(SystemMemory.limit(system.files, physical: 5000) == .bytes(3000))
    try system.setGroup("/sys/fs/cgroup/pod", max: "2000", high: "1000")
    #expect(SystemMemory.limit(system.files, physical: 5000) == .bytes(1000))
    #expect(SystemMemory.limit(system.files, physical: 500) == .bytes(500))
  }

  @Test func `a machine that does not tell leaves the word to the groups`() throws {
    #expect(SystemMemory.limit(system.files, physical: 0) == .bytes(.max))
    try system.setGroup("/sys/fs/cgroup/pod/app", max: "3000")
    #expect(SystemMemory.limit(system.files, physical: -95) == .bytes(3000))
  }

  @Test func `a default size is the usual one, or a part of the limit`() {
    #expect(SystemMemory.bounded(.mebibytes(64), toPart: 8, of: .gibibytes(1)) == .mebibytes(64))
    #expect(SystemMemory.bounded(.mebibytes(64), toPart: 8, of: .mebibytes(80)) == .mebibytes(10))
    #expect(SystemMemory.bounded(.bytes(.max), toPart: 1) <= SystemMemory.limit(SystemFiles(), physical: 0))
  }

  @Test func `this very system has some memory, of which a program can take a share`() {
    let limit = SystemMemory.limit
    #expect(limit > .mebibytes(16))
    #expect(limit < .bytes(.max))
    #expect(min(.mebibytes(1), limit / 4) == .mebibytes(1))
  }
}
