import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct MemoryMeterTests {
  private let system: FakeSystem
  private static let cg = "/sys/fs/cgroup"

  init() throws {
    system = try FakeSystem(["/proc/self/mountinfo": FakeSystem.mounts, "/proc/self/cgroup": "0::/pod/app\n"])
  }

  private var meter: MemoryMeter { MemoryMeter(system.files) }

  @Test func `the used part is what is charged without page cache that can be dropped`() throws {
    try system.setGroup(Self.cg + "/pod/app", max: "1000", current: 900, inactiveFile: 300)
    #expect(meter.read() == MemoryReading(used: 0.6))
    #expect(meter.limit == 1000)
  }

  @Test func `the tighter one of max and high counts`() throws {
    try system.setGroup(Self.cg + "/pod/app", max: "1000", high: "800", current: 400)
    #expect(meter.read().used == 0.5)
    #expect(meter.limit == 800)
    try system.setGroup(Self.cg + "/pod/app", high: "500", current: 400)
    #expect(meter.read().used == 0.8)
    #expect(meter.limit == 500)
  }

  @Test func `a group above that is fuller than our own is what counts`() throws {
    try system.setGroup(Self.cg + "/pod/app", max: "1000", current: 100)
    try system.setGroup(Self.cg + "/pod", max: "1600", current: 1200)
    #expect(meter.read().used == 0.75)
    #expect(meter.limit == 1000)
    try system.setGroup(Self.cg + "/pod", max: "200", current: 100)
    #expect(meter.read().used == 0.5)
    #expect(meter.limit == 200)
  }

  @Test func `a group without the controller leaves the word to those above it`() throws {
    try system.set(Self.cg + "/pod/app/cgroup.procs", "1\n")
    try system.setGroup(Self.cg + "/pod", max: "400", current: 100)
    #expect(meter.read().used == 0.25)
  }

  @Test func `what is left counts page cache that the kernel would drop, and half of what was used lately`() throws {
    #expect(meter.left() == nil)
    let (app, stat) = (Self.cg + "/pod/app", Self.cg + "/pod/app/memory.stat")
    try system.setGroup(app, max: "1000", current: 900)
    for (text, free) in [
      ("inactive_file 300\nactive_file 400\n", 600), ("inactive_file 3000\n", 1000), ("anon 5\n", 100),
      ("inactive_file \(Int.max)\nactive_file \(Int.max)\n", 1000),
    ] {
      try system.set(stat, text)
      #expect(meter.left() == MemoryLeft(limit: 1000, free: free), "\(text)")
    }
    // The group that has less to spare counts.
    let mebibyte = 1 << 20
    try system.setGroup(Self.cg + "/pod", max: "\(80 * mebibyte)", current: 7 * mebibyte)
    #expect(meter.left() == MemoryLeft(limit: 1000, free: 1000))
    try system.setGroup(Self.cg + "/pod", max: "\(8 * mebibyte)", current: 9 * mebibyte)
    #expect(meter.left()?.spare == 2 - mebibyte - mebibyte - 8 * mebibyte / 6)
    try system.set("/proc/self/mountinfo", "35 31 0:32 / /cg/memory rw - cgroup cgroup rw,memory\n")
    try system.set("/proc/self/cgroup", "4:memory:/docker/7\n0::/\n")
    try system.setOldGroup("/cg/memory/docker/7", limit: 2000, usage: 900, inactiveFile: 400)
    #expect(meter.left() == MemoryLeft(limit: 2000, free: 1500))
  }

  @Test func `without a limit nothing is known of its use`() throws {
    try system.setGroup(Self.cg + "/pod/app", current: 100)
    #expect(meter.read() == MemoryReading())
    #expect(meter.limit == nil)
  }

  @Test func `more cache than charge, a limit of nothing and a missing account of cache do no harm`() throws {
    try system.setGroup(Self.cg + "/pod/app", max: "1000", current: 100, inactiveFile: 300)
    #expect(meter.read().used == 0)
    try system.setGroup(Self.cg + "/pod/app", max: "0", current: 100)
    #expect(try #require(meter.read().used) >= 1)
    try system.setGroup(Self.cg + "/pod/app", max: "1000", current: 100)
    try system.remove(Self.cg + "/pod/app/memory.stat")
    #expect(meter.read().used == 0.1)
  }

  @Test func `version 1 counts with the files of its own`() throws {
    try system.set("/proc/self/mountinfo", "35 31 0:32 / /cg/memory rw - cgroup cgroup rw,memory\n")
    try system.set("/proc/self/cgroup", "4:memory:/docker/7\n0::/\n")
    try system.setOldGroup("/cg/memory/docker/7", limit: 2000, usage: 900, inactiveFile: 400)
    try system.setOldGroup("/cg/memory/docker", limit: FakeSystem.unlimited, usage: 5000)
    #expect(meter.read().used == 0.25)
    #expect(meter.limit == 2000)
    try system.setOldGroup("/cg/memory/docker", limit: 1000, usage: 500)
    #expect(meter.read().used == 0.5)
    #expect(meter.limit == 1000)
  }

  @Test func `version 1 tells of a limit above the mount`() throws {
    try system.set("/proc/self/mountinfo", "35 31 0:32 /docker/7 /cg/memory rw - cgroup cgroup rw,memory\n")
    try system.set("/proc/self/cgroup", "4:memory:/docker/7\n")
    try system.setOldGroup("/cg/memory", limit: FakeSystem.unlimited, usage: 300, limitAbove: 600)
    #expect(meter.read().used == 0.5)
    #expect(meter.limit == 600)
  }

  @Test(arguments: [FakeSystem.unlimited, 9_223_372_036_854_710_272, .max])
  func `the huge numbers of version 1 are no limit`(limit: Int) throws {
    try system.set("/proc/self/mountinfo", "35 31 0:32 / /cg/memory rw - cgroup cgroup rw,memory\n")
    try system.set("/proc/self/cgroup", "4:memory:/\n")
    try system.setOldGroup("/cg/memory", limit: limit, usage: 300)
    #expect(meter.read() == MemoryReading())
    #expect(meter.limit == nil)
  }

  @Test func `with both versions memory is where it is limited, and lost time where version 2 is`() throws {
    try system.set(
      "/proc/self/mountinfo",
      """
      35 31 0:32 / /cg/memory rw - cgroup cgroup rw,memory
      36 31 0:33 / /cg/unified rw - cgroup2 cgroup2 rw
      """)
    try system.set("/proc/self/cgroup", "4:memory:/a\n0::/b\n")
    try system.setOldGroup("/cg/memory/a", limit: 1000, usage: 500)
    try system.set("/cg/unified/b/memory.pressure", FakeSystem.stalls(some: "20.00", full: "10.00"))
    #expect(meter.read() == MemoryReading(used: 0.5, someStalled: 0.2, allStalled: 0.1))
  }

  @Test func `of the lost time of system and group the larger counts`() throws {
    try system.set("/proc/pressure/memory", FakeSystem.stalls(some: "20.00", full: "1.00"))
    #expect(meter.read() == MemoryReading(someStalled: 0.2, allStalled: 0.01))
    try system.set(Self.cg + "/pod/app/memory.pressure", FakeSystem.stalls(some: "10.00", full: "5.00"))
    try system.set(Self.cg + "/pod/memory.pressure", FakeSystem.stalls(some: "90.00", full: "90.00"))
    #expect(meter.read() == MemoryReading(someStalled: 0.2, allStalled: 0.05))
  }

  @Test func `a process that is moved is found in its new group`() throws {
    let meter = meter
    try system.setGroup(Self.cg + "/pod/app", max: "1000", current: 500)
    try system.setGroup(Self.cg + "/other", max: "1000", current: 700)
    #expect(meter.read().used == 0.5)
    try system.set("/proc/self/cgroup", "0::/other\n")
    #expect(meter.read().used == 0.7)
  }

  @Test func `a system without any of the files is one of which nothing is known`() throws {
    let meter = MemoryMeter(try FakeSystem().files)
    #expect(meter.read() == MemoryReading())
    #expect(meter.limit == nil)
  }

  @Test(arguments: ["", "\n", "max", "-5\n", "12 34\n", "1000\n2000\n", "\0\0\0", "0x10\n", "1e3\n"])
  func `a limit that makes no sense is none`(text: String) throws {
    try system.setGroup(Self.cg + "/pod/app", max: text, current: 500)
    #expect(meter.read() == MemoryReading())
  }

  @Test func `directories in the place of files tell nothing`() throws {
    for file in ["/proc/pressure/memory", Self.cg + "/pod/app/memory.max"] { try system.set(file + "/inside", "1") }
    #expect(meter.read() == MemoryReading())
  }

  @Test func `a file that cannot be read tells nothing, and no descriptor stays open`() throws {
    try system.setGroup(Self.cg + "/pod/app", max: "1000", current: 500)
    let open = Locked(0)
    let syscalls = Syscalls(
      .init(
        open: { path in
          let result = Syscalls.system.call.open(path)
          if result >= 0 { open.withLock { $0 += 1 } }
          return result
        },
        close: { descriptor in
          open.withLock { $0 -= 1 }
          return Syscalls.system.call.close(descriptor)
        },
        read: { _, _, _ in -Int(Errno.ioError.rawValue) }))
    #expect(MemoryMeter(SystemFiles(root: system.files.root, syscalls: syscalls)).read() == MemoryReading())
    #expect(open.withLock { $0 } == 0)
  }

  @Test func `of a long file no more is read than the limit`() throws {
    try system.set("/long", [UInt8](repeating: UInt8(ascii: "1"), count: 100_000))
    #expect(system.files.text("/long")?.bytes.count == 64 * 1024)
    #expect(system.files.text("/long", limit: 10)?.bytes.count == 10)
  }
}
