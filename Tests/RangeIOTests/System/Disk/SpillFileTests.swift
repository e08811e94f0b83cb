import CRangeIOSystem
import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// What every disk does with files.
@Suite struct SpillFileTests {
  private let disks: DisksUnderTest

  init() throws { disks = try DisksUnderTest() }

  @Test(arguments: DiskUnderTest.Kind.allCases) func `many parts are written one after the other`(
    kind: DiskUnderTest.Kind
  ) throws {
    let directory = disks[kind].directory
    var random = TestRandom(1)
    let file = try directory.create("file")
    let bytes = random.array(5000)
    try bytes.withUnsafeBytes { bytes in
      let parts = (0..<1000).map { UnsafeRawBufferPointer(rebasing: bytes[$0 * 5..<$0 * 5 + 5]) }
      try file.write(parts + [UnsafeRawBufferPointer(start: nil, count: 0)], at: 7)
    }
    #expect(try file.bytes(10_000) == Array(repeating: 0, count: 7) + bytes)
    #expect(try file.bytes(10, at: 5000) == Array(bytes[4993...]))
    #expect(try file.bytes(10, at: 5007).isEmpty)
    #expect(throws: Errno.invalidArgument) { try file.write([1], at: -1) }
  }

  @Test(arguments: DiskUnderTest.Kind.allCases) func `blocks are set aside, and nothing is cut off`(
    kind: DiskUnderTest.Kind
  ) throws {
    let directory = disks[kind].directory
    let file = try directory.create("file")
    try file.allocate(1 << 20)
    let status = try file.status()
    #expect(status.size == 1 << 20)
    #if os(Linux)
      #expect(status.allocatedSize == 0 || status.allocatedSize >= 1 << 20)
    #endif
    try file.allocate(1 << 10)
    #expect(try file.status().size == 1 << 20)
    try file.truncate(100)
    #expect(try file.status().size == 100)
    try file.truncate(200)
    #expect(try file.bytes(300) == Array(repeating: 0, count: 200))
  }

  @Test(arguments: DiskUnderTest.Kind.allCases) func `what was just written is in memory, or the system cannot tell`(
    kind: DiskUnderTest.Kind
  ) throws {
    let directory = disks[kind].directory
    let file = try directory.create("file")
    try file.write([1, 2, 3])
    file.beginWriting(3, at: 0)
    try file.sync()
    let resident = try file.residentBytes(9)
    #expect(resident == nil || resident == [1, 2, 3])
    #expect(try file.bytes(9) == [1, 2, 3])
  }

  @Test(arguments: DiskUnderTest.Kind.allCases, [0, 5, 8, 9, 31, 32, 40]) func `two buffers take what one would`(
    kind: DiskUnderTest.Kind, length: Int
  ) throws {
    let file = try disks[kind].directory.create("file")
    let written = (0..<UInt8(length)).map { $0 &+ 1 }
    try file.write(written, at: 3)
    guard let whole = try file.residentBytes(32, at: 3) else { return }
    var (first, second) = ([UInt8](repeating: 0, count: 8), [UInt8](repeating: 0, count: 24))
    let count = try first.withUnsafeMutableBytes { first in
      try second.withUnsafeMutableBytes { try file.readResident(into: first, $0, at: 3) }
    }
    #expect(count == whole.count)
    #expect(Array((first + second)[..<whole.count]) == whole)
    #expect(whole == Array(written.prefix(32)))
  }

  @Test(arguments: DiskUnderTest.Kind.allCases) func `a lock belongs to an open file and goes with it`(
    kind: DiskUnderTest.Kind
  ) throws {
    let directory = disks[kind].directory
    let first = try directory.create("lock")
    var second: (any SpillFile)? = try directory.open("lock", writing: true)
    #expect(try first.lock(exclusively: false))
    #expect(try second?.lock(exclusively: false) == true)
    #expect(try first.lock(exclusively: true) == false)
    second = nil
    #expect(try first.lock(exclusively: true))
    second = try directory.open("lock", writing: false)
    #expect(try second?.lock(exclusively: false) == false)
    try first.unlock()
    #expect(try second?.lock(exclusively: true) == true)
  }

  #if os(Linux)
    /// Where flock(2) is missing, the second of these is used.
    @Test func `a file system without flock gets the other kind of lock, and no error does otherwise`() throws {
      let directory = try TemporaryDirectory()
      let file = try FileDescriptor.open(
        directory.path("lock"), .readWrite, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
      let other = try FileDescriptor.open(directory.path("lock"), .readWrite, options: .closeOnExec)
      for error in [EIO, EINVAL, EBADF, EACCES] {
        #expect(rio_disk_lock_without(file.rawValue, true, error) == -error)
      }
      #expect(rio_disk_lock_record(other.rawValue, true) == 1 && rio_disk_unlock_record(other.rawValue) == 0)
      for error in [ENOSYS, EOPNOTSUPP, ENOTSUP, ENOLCK] {
        #expect(rio_disk_lock_without(file.rawValue, true, error) == 1)
        #expect(rio_disk_lock_record(other.rawValue, true) == 0)
        #expect(rio_disk_lock_without(other.rawValue, true, error) == 0)
        #expect(rio_disk_unlock_record(file.rawValue) == 0)
      }
      try file.close()
      try other.close()
    }

    @Test(arguments: [false, true]) func `both kinds of lock belong to an open file`(isRecord: Bool) throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("lock")
      func open() throws -> FileDescriptor {
        try FileDescriptor.open(path, .readWrite, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
      }
      func lock(_ file: FileDescriptor, exclusively: Bool = true) -> CInt {
        isRecord ? rio_disk_lock_record(file.rawValue, exclusively) : rio_disk_lock(file.rawValue, exclusively)
      }
      let (first, second) = (try open(), try open())
      #expect(lock(first) == 1 && lock(first) == 1)
      #expect(lock(second) == 0 && lock(second, exclusively: false) == 0)
      // A lock of the process would go when any descriptor of the file is closed.
      try open().close()
      #expect(lock(second) == 0)
      let heir = try first.duplicate()
      try first.close()
      #expect(lock(second) == 0)
      #expect((isRecord ? rio_disk_unlock_record(heir.rawValue) : rio_disk_unlock(heir.rawValue)) == 0)
      #expect(lock(second, exclusively: false) == 1 && lock(heir, exclusively: false) == 1 && lock(heir) == 0)
      try heir.close()
      #expect(lock(second) == 1)
      try second.close()
    }

    @Test func `a file tells which processes have it open`() throws {
      let directory = disks[.system].directory
      let file = try directory.create("held")
      #expect(file.holders == [Int(rio_process_number())])
      try directory.remove("held")
      #expect(file.holders == [Int(rio_process_number())])
    }
  #endif
}
