import SystemPackage
import Testing

@testable import RangeIO

@Suite struct SystemFileTests {
  private let temporary: TemporaryDirectory
  private let directory: any SpillDirectory

  init() throws {
    temporary = try TemporaryDirectory()
    directory = try SystemDisk().openDirectory(FilePath(temporary.path))
  }

  @Test func `many parts are written one after the other`() throws {
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

  @Test func `blocks are set aside, and nothing is cut off`() throws {
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

  @Test func `what was just written is in memory, or nobody can tell`() throws {
    let file = try directory.create("file")
    try file.write([1, 2, 3])
    file.beginWriting(3, at: 0)
    try file.sync()
    let resident = try file.residentBytes(9)
    #expect(resident == nil || resident == [1, 2, 3])
    #expect(try file.bytes(9) == [1, 2, 3])
  }

  @Test func `a lock belongs to an open file and goes with it`() throws {
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
    @Test func `a full disk says so`() throws {
      let full = try SystemDisk().openDirectory("/dev").open("full", writing: true)
      #expect(throws: Errno.noSpace) { try full.write([1]) }
    }
  #endif
}
