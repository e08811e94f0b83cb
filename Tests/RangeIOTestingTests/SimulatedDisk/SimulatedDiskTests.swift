import RangeIO
import RangeIOTesting
import SystemPackage
import Testing

/// What processes on one simulated disk do to each other, and how much room there is.
@Suite struct SimulatedDiskTests {
  private let disk = SimulatedDisk(capacity: 10 * 4096)

  private func directory(_ process: SimulatedProcess? = nil) throws -> any SpillDirectory {
    let process = process ?? disk.newProcess()
    try process.makeDirectory("/top")
    return try process.openDirectory("/top")
  }

  @Test func `a crash keeps what was written and gives locks back`() throws {
    let (first, second) = (disk.newProcess(), disk.newProcess())
    let directory = try directory(first)
    let mine = try directory.create("file")
    let theirs = try second.openDirectory("/top").open("file", writing: true)
    #expect(try mine.lock(exclusively: true))
    #expect(try !theirs.lock(exclusively: false))
    try mine.write([1, 2, 3])
    first.crash()
    #expect(try theirs.lock(exclusively: true))
    #expect(try theirs.bytes(9) == [1, 2, 3])
    #expect(throws: Errno.badFileDescriptor) { try mine.write([9]) }
    #expect(throws: Errno.badFileDescriptor) { try mine.bytes(1) }
    #expect(throws: Errno.badFileDescriptor) { try mine.unlock() }
    #expect(throws: Errno.badFileDescriptor) { try directory.remove("file") }
    #expect(throws: Errno.badFileDescriptor) { try first.openDirectory("/top") }
    #expect(disk.contents(of: "/top/file") == [1, 2, 3])
  }

  @Test func `closing gives a lock back`() throws {
    let directory = try directory()
    var first: (any SpillFile)? = try directory.create("file")
    let second = try directory.open("file", writing: false)
    #expect(try first?.lock(exclusively: false) == true)
    #expect(try !second.lock(exclusively: true))
    first = nil
    #expect(try second.lock(exclusively: true))
  }

  @Test func `pages set aside and pages written take room, once`() throws {
    let directory = try directory()
    let file = try directory.create("file")
    try file.allocate(3 * 4096 + 1)
    #expect(disk.allocatedByteCount == 4 * 4096)
    #expect(try file.status().allocatedSize == 4 * 4096)
    try file.write(Array(repeating: 1, count: 4 * 4096))
    #expect(disk.allocatedByteCount == 4 * 4096)
    try file.write([1], at: 100 * 4096)
    #expect(disk.allocatedByteCount == 5 * 4096)
    #expect(try directory.freeByteCount() == 5 * 4096)
    try file.truncate(4096)
    #expect(disk.allocatedByteCount == 4096)
  }

  @Test func `beyond the capacity nothing is set aside, and what fits is written`() throws {
    let directory = try directory()
    let file = try directory.create("file")
    #expect(throws: Errno.noSpace) { try file.allocate(10 * 4096 + 1) }
    #expect(disk.allocatedByteCount == 0)
    #expect(throws: Errno.noSpace) { try file.write(Array(repeating: 1, count: 11 * 4096), at: 10) }
    #expect(try file.status().size == 10 * 4096)
    try file.write(Array(repeating: 2, count: 4096), at: 0)
    #expect(throws: Errno.noSpace) { try directory.create("other").write([1]) }
    #expect(try directory.freeByteCount() == 0)
  }

  @Test func `a removed file takes room until it is closed`() throws {
    let directory = try directory()
    var file: (any SpillFile)? = try directory.create("file")
    var again: (any SpillFile)? = try directory.open("file", writing: false)
    try file?.write(Array(repeating: 1, count: 4096))
    try directory.remove("file")
    file = nil
    #expect(disk.allocatedByteCount == 4096)
    #expect(try again?.bytes(1) == [1])
    again = nil
    #expect(disk.allocatedByteCount == 0)
    #expect(disk.files.isEmpty)
  }

  @Test func `a crash frees what was removed and open`() throws {
    let process = disk.newProcess()
    let directory = try directory(process)
    let file = try directory.create("file")
    try file.allocate(4096)
    try directory.remove("file")
    process.crash()
    #expect(disk.allocatedByteCount == 0)
    withExtendedLifetime(file) {}
  }

  @Test func `renaming over a file frees it`() throws {
    let directory = try directory()
    try directory.create("a").write([1])
    try directory.create("b").allocate(5 * 4096)
    try directory.rename("a", to: "b")
    #expect(disk.allocatedByteCount == 4096)
    #expect(disk.files == ["/top/b"])
  }

  @Test func `what belongs to others is theirs`() throws {
    let directory = try directory()
    _ = try directory.create("file")
    disk.setOwner(of: "/top/file", 7)
    #expect(try directory.status(of: "file").owner == 7)
    #expect(throws: Errno.permissionDenied) { try directory.open("file", writing: false) }
    disk.setOwner(of: "/top/file", mode: 0o644)
    _ = try directory.open("file", writing: false)
    #expect(throws: Errno.permissionDenied) { try directory.open("file", writing: true) }
    disk.setOwner(of: "/top", 7)
    #expect(throws: Errno.permissionDenied) { try directory.create("other") }
    #expect(throws: Errno.permissionDenied) { try directory.remove("file") }
    #expect(throws: Errno.notPermitted) { try directory.setMode(0o777) }
    #expect(throws: Errno.permissionDenied) { try disk.newProcess().openDirectory("/top") }
  }

  @Test func `contents can be set, damaged and cut off behind everybody's back`() throws {
    disk.setContents(of: "/top/below/file", [0, 1, 2, 3])
    disk.flipBit(of: "/top/below/file", at: 9)
    #expect(disk.contents(of: "/top/below/file") == [0, 3, 2, 3])
    disk.truncateFile("/top/below/file", to: 2)
    disk.losePower(seed: 1)
    #expect(disk.contents(of: "/top/below/file") == [0, 3])
    disk.setContents(of: "/top/below/file", [9])
    #expect(disk.contents(of: "/top/below/file") == [9])
    #expect(disk.contents(of: "/top/nothing") == nil)
    #expect(disk.files == ["/top/below/file"])
    #expect(disk.allocatedByteCount == 4096)
  }

  @Test func `what is resident is everything, nothing, or unknown`() throws {
    let file = try directory().create("file")
    try file.write([1, 2])
    #expect(try file.residentBytes(9) == [1, 2])
    disk.residency = .nothing
    #expect(try file.residentBytes(9) == [])
    disk.residency = .unknown
    #expect(try file.residentBytes(9) == nil)
  }

  @Test func `a copy has a life of its own`() throws {
    let directory = try directory()
    disk.syncEverything()
    let file = try directory.create("file")
    try file.write([1])
    let copy = disk.copy()
    try file.write([2])
    try directory.remove("file")
    #expect(copy.contents(of: "/top/file") == [1])
    #expect(copy.allocatedByteCount == 4096)
    // What was not durable is not in the copy either.
    let outcomes = Set((0..<100).map { survivor(of: copy, seed: $0) })
    #expect(outcomes == [nil, [], [0], [1]])
    #expect(copy.contents(of: "/top/file") == [1])
  }

  private func survivor(of disk: SimulatedDisk, seed: UInt64) -> [UInt8]? {
    let copy = disk.copy()
    copy.losePower(seed: seed)
    return copy.contents(of: "/top/file")
  }
}
