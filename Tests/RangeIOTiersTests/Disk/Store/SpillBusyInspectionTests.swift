import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOSpillInspection
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// A directory that a process changes while it is read.
@Suite struct SpillBusyInspectionTests {
  /// The damages that are found if the directory turns from what `before` has to what `after` has, at each moment.
  private func damages(turning before: SimulatedSpill, into after: SimulatedSpill) throws -> [[String]] {
    var found: [[String]] = []
    var moment = 0
    while true {
      let disk = TurningDisk(before.disk.newProcess(), after.disk.newProcess(), at: moment)
      let inspection = try SpillInspection(SimulatedSpill.directory.string, on: disk)
      let result = try inspection.verify()
      found.append(result.damages.map { "\($0.segment ?? 0) at \($0.offset): \($0.reason)" })
      #expect(result.damaged == result.damages.count)
      guard disk.hasTurned else { return found }
      moment += 1
    }
  }

  private func filled(_ blocks: Int) async throws -> (SimulatedSpill, SpillStore, FillSource) {
    let spill = SimulatedSpill { $0.segmentSize = .kibibytes(32) }
    let store = try spill.open()
    let source = FillSource(store.sources)
    for block in 0..<blocks { source.put(block, in: store) }
    try await store.flush()
    return (spill, store, source)
  }

  @Test func `a segment that is sealed meanwhile is healthy`() async throws {
    let (spill, store, _) = try await filled(4)
    let before = spill.copy()
    try await store.close()
    let found = try damages(turning: before, into: spill)
    #expect(found.count > 5 && found.allSatisfy(\.isEmpty), "\(found)")
  }

  @Test func `a segment that is written to meanwhile is healthy`() async throws {
    let (spill, store, source) = try await filled(2)
    let before = spill.copy()
    for block in 10..<13 { source.put(block, in: store) }
    try await store.flush()
    let found = try damages(turning: before, into: spill)
    #expect(found.count > 5 && found.allSatisfy(\.isEmpty), "\(found)")
  }

  @Test func `segments that go meanwhile are healthy`() async throws {
    let (spill, store, _) = try await filled(15)
    let before = spill.copy()
    store.removeAll()
    try await store.flush()
    let found = try damages(turning: before, into: spill)
    #expect(found.count > 5 && found.allSatisfy(\.isEmpty), "\(found)")
  }

  @Test func `what a write has torn for a moment is healthy a moment later`() async throws {
    let (spill, store, source) = try await filled(2)
    let torn = spill.copy()
    for block in 10..<13 { source.put(block, in: store) }
    try await store.flush()
    // The last of three records is there, and what comes before it is not yet.
    let name = spill.path(SpillFormat.segmentName(1))
    let (old, new) = (torn.disk.contents(of: name)!, spill.disk.contents(of: name)!)
    let last = new.indices.filter { $0 % 8 == 0 && new[$0...].starts(with: Array("RIOR".utf8)) }.max()!
    let process = torn.disk.newProcess()
    let file = try process.openDirectory(SimulatedSpill.directory).open(SpillFormat.segmentName(1), writing: true)
    try file.writeAll(Array(new[last...]), at: last)
    #expect(old.count == new.count)
    let found = try damages(turning: torn, into: spill)
    // What is still torn when it was looked at twice counts as damage.
    let questionsOfOneLook = try damages(turning: spill, into: spill).count - 1
    #expect(questionsOfOneLook > 5 && found.prefix(questionsOfOneLook).allSatisfy(\.isEmpty), "\(found)")
    #expect(!found.last!.isEmpty, "which never turned")
  }

  @Test func `what is damaged before and after is told once`() async throws {
    let (spill, store, _) = try await filled(4)
    let before = spill.copy()
    try await store.close()
    let name = SpillFormat.segmentName(1)
    for one in [before, spill] {
      let bytes = one.disk.contents(of: one.path(name))!
      let file = try one.disk.newProcess().openDirectory(SimulatedSpill.directory).open(name, writing: true)
      // In the payload of the first chunk.
      try file.writeAll([~bytes[1000]], at: 1000)
    }
    let found = try damages(turning: before, into: spill)
    #expect(found.count > 5 && Set(found).count == 1 && found[0].count == 1, "\(found)")
  }
}

/// Two disks, of which the second takes the place of the first at the n-th question: files that are open stay the same
/// files, with the contents that they have there.
private final class TurningDisk: SpillDisk {
  private let before: SimulatedProcess
  private let after: SimulatedProcess
  private let left: Locked<Int>

  init(_ before: SimulatedProcess, _ after: SimulatedProcess, at moment: Int) {
    (self.before, self.after) = (before, after)
    left = Locked(moment)
  }

  var hasTurned: Bool { left.withLock { $0 <= 0 } }

  /// Whether a question is for the second disk.
  fileprivate func turns() -> Bool {
    left.withLock { left in
      left -= 1
      return left < 0
    }
  }

  var user: UInt32 { before.user }
  func makeDirectory(_ path: FilePath) throws(Errno) { throw .readOnlyFileSystem }
  func openDirectory(_ path: FilePath) throws(Errno) -> any SpillDirectory {
    Directory(self, try before.openDirectory(path), try after.openDirectory(path))
  }

  final class Directory: SpillDirectory {
    private let disk: TurningDisk
    private let before: any SpillDirectory
    private let after: any SpillDirectory

    init(_ disk: TurningDisk, _ before: any SpillDirectory, _ after: any SpillDirectory) {
      (self.disk, self.before, self.after) = (disk, before, after)
    }

    private var present: any SpillDirectory { disk.turns() ? after : before }

    func status() throws(Errno) -> DiskStatus { try before.status() }
    func names() throws(Errno) -> [String] { try present.names() }
    func status(of name: String) throws(Errno) -> DiskStatus { try present.status(of: name) }
    func open(_ name: String, writing: Bool) throws(Errno) -> any SpillFile {
      guard !disk.turns() else {
        let file = try after.open(name, writing: false)
        return File(disk, file, file)
      }
      let file = try before.open(name, writing: false)
      // A new one takes the place of `store` as a whole: who has the old one open has the old one.
      guard name != SpillFolder.storeName else { return File(disk, file, file) }
      return File(disk, file, (try? after.open(name, writing: false)) ?? file)
    }
    func setMode(_ mode: UInt32) throws(Errno) { throw .readOnlyFileSystem }
    func create(_ name: String) throws(Errno) -> any SpillFile { throw .readOnlyFileSystem }
    func remove(_ name: String) throws(Errno) { throw .readOnlyFileSystem }
    func rename(_ name: String, to new: String) throws(Errno) { throw .readOnlyFileSystem }
    func makeDirectory(_ name: String) throws(Errno) { throw .readOnlyFileSystem }
    func openDirectory(_ name: String) throws(Errno) -> any SpillDirectory { throw .notDirectory }
    func removeDirectory(_ name: String) throws(Errno) { throw .readOnlyFileSystem }
    func sync() throws(Errno) {}
    func freeByteCount() throws(Errno) -> Int { 1 << 30 }
  }

  final class File: SpillFile {
    private let disk: TurningDisk
    private let before: any SpillFile
    private let after: any SpillFile

    init(_ disk: TurningDisk, _ before: any SpillFile, _ after: any SpillFile) {
      (self.disk, self.before, self.after) = (disk, before, after)
    }

    private var present: any SpillFile { disk.turns() ? after : before }

    func status() throws(Errno) -> DiskStatus { try present.status() }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int {
      // Some of what is asked for is from before, and the rest from after.
      let half = buffer.count / 16 * 8
      let parts = [
        UnsafeMutableRawBufferPointer(rebasing: buffer[..<half]),
        UnsafeMutableRawBufferPointer(rebasing: buffer[half...]),
      ]
      let first = try present.read(into: parts[0], at: offset)
      guard first == half else { return first }
      return first + (try present.read(into: parts[1], at: offset + half))
    }
    func readResident(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int? { nil }
    func write(_ parts: [UnsafeRawBufferPointer], at offset: Int) throws(Errno) { throw .readOnlyFileSystem }
    func allocate(_ count: Int) throws(Errno) { throw .readOnlyFileSystem }
    func truncate(_ count: Int) throws(Errno) { throw .readOnlyFileSystem }
    func sync() throws(Errno) {}
    func lock(exclusively: Bool) throws(Errno) -> Bool { false }
    func unlock() throws(Errno) {}
    func beginWriting(_ count: Int, at offset: Int) {}
  }
}
