import Foundation
import RangeIO
import RangeIOTesting
import SystemPackage
import Testing

/// What goes wrong on a simulated disk because a test wants it to.
@Suite struct DiskFaultsTests {
  private let disk = SimulatedDisk()
  private let process: SimulatedProcess
  private let directory: any SpillDirectory
  private let file: any SpillFile

  init() throws {
    process = disk.newProcess()
    try process.makeDirectory("/top")
    directory = try process.openDirectory("/top")
    file = try directory.create("file")
  }

  @Test func `one call of a kind fails, the others do not`() throws {
    disk.faults = .on(.write, number: 1, .fail(.ioError))
    try file.write([1])
    #expect(throws: Errno.ioError) { try file.write([2]) }
    #expect(try file.bytes(9) == [1])
    try file.write([3])
    #expect(try file.bytes(9) == [3])
  }

  @Test func `a torn write leaves its beginning`() throws {
    disk.faults = .on(.write, number: 0, .tear(after: 5000))
    #expect(throws: Errno.ioError) { try file.write(Array(repeating: 1, count: 9000), at: 10) }
    #expect(try file.bytes(9999) == Array(repeating: 0, count: 10) + Array(repeating: 1, count: 5000))
    #expect(disk.allocatedByteCount == 2 * 4096)
  }

  @Test func `a process dies in the middle of a write`() throws {
    #expect(try file.lock(exclusively: true))
    disk.faults = .on(.write, number: 0, .crash(after: 2))
    #expect(throws: Errno.badFileDescriptor) { try file.write([1, 2, 3]) }
    #expect(throws: Errno.badFileDescriptor) { try file.status() }
    #expect(disk.contents(of: "/top/file") == [1, 2])
    #expect(try disk.newProcess().openDirectory("/top").open("file", writing: true).lock(exclusively: true))
  }

  @Test func `what fails changes nothing`() throws {
    let kinds: [DiskCall.Kind] = [.create, .remove, .rename, .makeDirectory, .allocate, .truncate, .lock, .setMode]
    for kind in kinds {
      disk.faults = .always(kind, .fail(.ioError))
      let status = try directory.status()
      #expect(throws: Errno.ioError) {
        switch kind {
        case .create: _ = try directory.create("new")
        case .remove: try directory.remove("file")
        case .rename: try directory.rename("file", to: "other")
        case .makeDirectory: try directory.makeDirectory("below")
        case .allocate: try file.allocate(4096)
        case .truncate: try file.truncate(10)
        case .lock: _ = try file.lock(exclusively: true)
        default: try directory.setMode(0o777)
        }
      }
      #expect(try directory.names() == ["file"])
      #expect(try directory.status() == status)
      #expect(try file.status().size == 0)
      #expect(disk.allocatedByteCount == 0)
    }
  }

  @Test func `a process dies at any call one likes`() throws {
    let work: (any SpillDirectory) throws -> Void = { directory in
      let file = try directory.create("new")
      try file.write([1, 2, 3, 4])
      try file.sync()
      try directory.rename("new", to: "done")
      try directory.sync()
    }
    let before = disk.copy()
    let start = disk.callCount
    try work(directory)
    let calls = disk.callCount - start
    #expect(calls == 5)
    var left: [[FilePath: Int]] = []
    for position in 0..<calls {
      let copy = before.copy()
      let directory = try copy.newProcess().openDirectory("/top")
      copy.faults = .crash(at: position, written: 0.5)
      #expect(throws: Errno.badFileDescriptor) { try work(directory) }
      left.append(
        Dictionary(uniqueKeysWithValues: copy.files.map { ($0, copy.contents(of: $0)?.count ?? 0) }))
    }
    #expect(
      left == [
        ["/top/file": 0], ["/top/file": 0, "/top/new": 2], ["/top/file": 0, "/top/new": 4],
        ["/top/file": 0, "/top/new": 4], ["/top/file": 0, "/top/done": 4],
      ])
  }

  @Test func `what happens sometimes happens to the same calls again`() throws {
    func failures(seed: UInt64) -> [Int] {
      disk.faults = .sometimes(0.25, of: [.read], seed: seed) { _, _ in .fail(.ioError) }
      return (0..<400).filter { _ in
        do { return try !file.bytes(1).isEmpty } catch { return true }
      }
    }
    let first = failures(seed: 1)
    #expect((60..<140).contains(first.count))
    #expect(failures(seed: 1) == first)
    #expect(failures(seed: 2) != first)
  }

  @Test func `a call that hangs lets others pass, and dies with its process`() async throws {
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    let (answers, answered) = AsyncStream.makeStream(of: Result<[UInt8], any Error>.self)
    let gate = DispatchSemaphore(value: 0)
    disk.faults = .on(
      .read, number: 0,
      .delay {
        arrived.yield()
        gate.wait()
      })
    let (file, process) = (file, process)
    Thread { answered.yield(Result { try file.bytes(1) }) }.start()
    for await _ in arrivals { break }
    try file.write([1])
    #expect(try file.bytes(9) == [1])
    process.crash()
    gate.signal()
    for await answer in answers {
      #expect(throws: Errno.badFileDescriptor) { try answer.get() }
      break
    }
  }

  @Test func `faults can be joined, and know what they hit`() throws {
    let names = Locked<[String]>([])
    disk.faults = DiskFaults { call in
      names.withLock { $0.append("\(call.kind) \(call.name) \(call.offset) \(call.byteCount)") }
      return nil
    }
    .or(.always(.sync, .fail(.noSpace)))
    try file.write([1, 2], at: 7)
    #expect(throws: Errno.noSpace) { try file.sync() }
    try directory.rename("file", to: "other")
    #expect(names.withLock { $0 } == ["write file 7 2", "sync file 0 0", "rename file 0 0"])
    #expect(disk.count(of: .write) == 1)
    #expect(disk.count(of: .sync) == 1)
    #expect(disk.count(of: .read) == 0)
  }
}
