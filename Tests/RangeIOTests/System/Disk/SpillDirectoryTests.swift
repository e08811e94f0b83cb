import Foundation
import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What every disk does with directories.
@Suite struct SpillDirectoryTests {
  private let disks: DisksUnderTest

  init() throws { disks = try DisksUnderTest() }

  @Test(arguments: DiskUnderTest.Kind.allCases) func `names are listed as often as asked`(kind: DiskUnderTest.Kind)
    throws
  {
    let directory = disks[kind].directory
    let names = Set((0..<300).map { "file \($0)" })
    for name in names { _ = try directory.create(name) }
    for _ in 0..<2 {
      let listed = try directory.names()
      #expect(listed.count == 300)
      #expect(Set(listed) == names)
    }
  }

  @Test(arguments: DiskUnderTest.Kind.allCases) func `a file is made only where nothing has its name`(
    kind: DiskUnderTest.Kind
  ) throws {
    let disk = disks[kind]
    let directory = disk.directory
    let file = try directory.create("new")
    #expect(
      try file.status()
        == DiskStatus(kind: .file, size: 0, allocatedSize: 0, owner: disk.user, mode: 0o600, linkCount: 1))
    #expect(throws: Errno.fileExists) { try directory.create("new") }
    try disk.makeLink("link", to: "elsewhere")
    #expect(throws: Errno.fileExists) { try directory.create("link") }
    #expect(Set(try directory.names()) == ["new", "link"])
  }

  @Test(arguments: DiskUnderTest.Kind.allCases) func `a link is neither opened nor followed`(kind: DiskUnderTest.Kind)
    throws
  {
    let disk = disks[kind]
    let directory = disk.directory
    try directory.create("real").write([1, 2, 3])
    try disk.makeLink("link", to: "real")
    #expect(throws: Errno.tooManySymbolicLinkLevels) { try directory.open("link", writing: false) }
    #expect(throws: Errno.tooManySymbolicLinkLevels) { try directory.open("link", writing: true) }
    #expect(throws: Errno.self) { try directory.openDirectory("link") }
    #expect(try directory.status(of: "link").kind == .other)
    #expect(try directory.status(of: "real").size == 3)
    try directory.remove("link")
    #expect(try directory.names() == ["real"])
  }

  @Test(arguments: DiskUnderTest.Kind.allCases) func `what is no file can be opened without waiting, and tells`(
    kind: DiskUnderTest.Kind
  ) throws {
    let disk = disks[kind]
    let directory = disk.directory
    if let temporary = disk.temporary {
      try #require(mkfifo(temporary.path("fifo"), 0o600) == 0)
      #expect(try directory.open("fifo", writing: false).status().kind == .other)
      #expect(try directory.open("fifo", writing: true).status().kind == .other)
    }
    try directory.makeDirectory("below")
    #expect(try directory.open("below", writing: false).status().kind == .directory)
    #expect(throws: Errno.isDirectory) { try directory.open("below", writing: true) }
  }

  @Test(arguments: DiskUnderTest.Kind.allCases) func `a file that is opened for reading cannot be written`(
    kind: DiskUnderTest.Kind
  ) throws {
    let directory = disks[kind].directory
    try directory.create("file").write([1, 2, 3])
    let file = try directory.open("file", writing: false)
    #expect(try file.bytes(10) == [1, 2, 3])
    #expect(throws: Errno.badFileDescriptor) { try file.write([4]) }
    try directory.open("file", writing: true).write([4])
    #expect(try file.bytes(10) == [4, 2, 3])
  }

  @Test(arguments: DiskUnderTest.Kind.allCases) func `renaming replaces`(kind: DiskUnderTest.Kind) throws {
    let directory = disks[kind].directory
    try directory.create("a").write([1])
    try directory.create("b").write([2])
    try directory.rename("a", to: "b")
    #expect(try directory.names() == ["b"])
    #expect(try directory.open("b", writing: false).bytes(9) == [1])
    #expect(throws: Errno.noSuchFileOrDirectory) { try directory.rename("a", to: "c") }
  }

  @Test(arguments: DiskUnderTest.Kind.allCases) func `a removed file lives until it is closed`(kind: DiskUnderTest.Kind)
    throws
  {
    let directory = disks[kind].directory
    let file = try directory.create("file")
    try file.write([1, 2])
    try directory.remove("file")
    #expect(try file.status().linkCount == 0)
    #expect(try file.bytes(9) == [1, 2])
    #expect(throws: Errno.noSuchFileOrDirectory) { try directory.remove("file") }
  }

  @Test(arguments: DiskUnderTest.Kind.allCases) func `directories are made, opened and removed`(
    kind: DiskUnderTest.Kind
  ) throws {
    let directory = disks[kind].directory
    try directory.makeDirectory("below")
    #expect(throws: Errno.fileExists) { try directory.makeDirectory("below") }
    let below = try directory.openDirectory("below")
    #expect(try below.status().mode == 0o700)
    _ = try below.create("file")
    #expect(throws: Errno.directoryNotEmpty) { try directory.removeDirectory("below") }
    #expect(throws: (any Error).self) { try directory.remove("below") }
    try below.remove("file")
    try directory.removeDirectory("below")
    #expect(try directory.names().isEmpty)
  }

  @Test(arguments: DiskUnderTest.Kind.allCases) func `the mode of a directory can be changed`(kind: DiskUnderTest.Kind)
    throws
  {
    let directory = disks[kind].directory
    try directory.setMode(0o755)
    #expect(try directory.status().mode == 0o755)
    try directory.setMode(0o700)
    #expect(try directory.status().mode == 0o700)
  }

  @Test(arguments: ["", ".", "..", "a/b", "/tmp", "../x", "a\0b"]) func `no name leads out of the directory`(
    name: String
  ) throws {
    for kind in DiskUnderTest.Kind.allCases {
      let directory = disks[kind].directory
      #expect(throws: Errno.invalidArgument) { try directory.create(name) }
      #expect(throws: Errno.invalidArgument) { try directory.open(name, writing: false) }
      #expect(throws: Errno.invalidArgument) { try directory.remove(name) }
      #expect(throws: Errno.invalidArgument) { try directory.rename("a", to: name) }
      #expect(throws: Errno.invalidArgument) { try directory.rename(name, to: "a") }
      #expect(throws: Errno.invalidArgument) { try directory.makeDirectory(name) }
      #expect(throws: Errno.invalidArgument) { try directory.openDirectory(name) }
      #expect(throws: Errno.invalidArgument) { try directory.removeDirectory(name) }
      #expect(throws: Errno.invalidArgument) { try directory.status(of: name) }
    }
  }

  @Test(arguments: DiskUnderTest.Kind.allCases) func `the free bytes are some, and syncing succeeds`(
    kind: DiskUnderTest.Kind
  ) throws {
    let directory = disks[kind].directory
    _ = try directory.create("file")
    try directory.sync()
    #expect(try directory.freeByteCount() > 0)
  }

  #if os(Linux)
    @Test func `a file system that tells no sizes is not full`() throws {
      #expect(try SystemDisk().openDirectory("/proc").freeByteCount() == .max)
    }
  #endif
}
