import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOSpillInspection
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// What container platforms, service managers and volumes do to a spill directory between two runs.
@Suite struct SpillPermissionsTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var directory: UInt32 = 0o700
    /// The mode of all files but segments.
    var files: UInt32 = 0o600
    /// The modes of the segments, the oldest first.
    var segments: [UInt32] = [0o600, 0o600]
    /// Names that are there as well.
    var others: [String] = []
    /// Of two segments of eight blocks each.
    let served: Range<Int>
  }

  static let cases = [
    Case("nothing", served: 0..<16),
    Case("the directory open to read", directory: 0o755, served: 0..<16),
    Case("the directory open to write", directory: 0o2777, served: 0..<16),
    Case("all open to read", directory: 0o755, files: 0o644, segments: [0o644, 0o640], served: 0..<16),
    Case("all open to a group", directory: 0o2770, files: 0o660, segments: [0o660, 0o660], served: 0..<0),
    Case("all open to write", directory: 0o733, files: 0o622, segments: [0o622, 0o602], served: 0..<0),
    Case("`store` open to write", files: 0o620, served: 0..<0),
    Case("one segment open to write", segments: [0o602, 0o644], served: 8..<16),
    Case(
      "names of the system", directory: 0o755, others: ["lost+found/x", ".nfs0000000000000001", ".DS_Store"],
      served: 0..<16),
  ]

  @Test(arguments: cases) func `a directory opens closed, with what others cannot have changed`(
    _ row: Case
  ) async throws {
    let spill = SimulatedSpill()
    for first in [0, 8] {
      let store = try spill.open()
      for block in first..<first + 8 { FillSource(store.sources).put(block, in: store) }
      try await store.close()
    }
    let segments = spill.segments
    #expect(segments.count == 2)
    for path in spill.disk.files { spill.disk.setOwner(of: path, mode: row.files) }
    for (name, mode) in zip(segments, row.segments) { spill.disk.setOwner(of: spill.path(name), mode: mode) }
    for name in row.others {
      spill.disk.setContents(of: SimulatedSpill.directory.appending(FilePath(name).components), [1, 2, 3])
    }
    spill.disk.setOwner(of: SimulatedSpill.directory, mode: row.directory)
    let store = try spill.open()
    let source = FillSource(store.sources)
    #expect(source.served(0..<16, by: store) == Set(row.served))
    // What was not believed is gone, and what comes now is kept.
    #expect(spill.segments.count == row.served.count / 8)
    source.put(20, in: store)
    try await store.close()
    let process = spill.disk.newProcess()
    #expect(try process.openDirectory(SimulatedSpill.directory).status().mode == 0o700)
    let again = try spill.open()
    #expect(FillSource(again.sources).served(20..<21, by: again) == [20])
    try await again.close()
    for name in row.others {
      #expect(spill.disk.contents(of: SimulatedSpill.directory.appending(FilePath(name).components)) == [1, 2, 3])
    }
  }

  @Test func `what is only read stays as open as it is, and what others may have changed is not served`() async throws {
    let spill = SimulatedSpill()
    let store = try spill.open()
    for block in 0..<8 { FillSource(store.sources).put(block, in: store) }
    try await store.close()
    spill.disk.setOwner(of: SimulatedSpill.directory, mode: 0o777)
    for (mode, served) in [(UInt32(0o644), 0..<8), (0o666, 0..<0)] {
      spill.disk.setOwner(of: spill.path(spill.segments[0]), mode: mode)
      let before = spill.contents
      let reader = try spill.open { $0.isReadOnly = true }
      #expect(FillSource(reader.sources).served(0..<8, by: reader) == Set(served))
      try await reader.close()
      #expect(spill.contents == before)
      #expect(try spill.disk.newProcess().openDirectory(SimulatedSpill.directory).status().mode == 0o777)
    }
  }

  @Test(arguments: [(0o777, true), (0o1777, true), (0o755, false)] as [(UInt32, Bool)])
  func `in a directory of another owner there is one of ours, or the reason`(mode: UInt32, isOpen: Bool) async throws {
    let spill = SimulatedSpill()
    let process = spill.disk.newProcess()
    try process.makeDirectory(SimulatedSpill.directory)
    spill.disk.setContents(of: spill.path("notes"), [1])
    spill.disk.setOwner(of: SimulatedSpill.directory, 12345, mode: mode)
    guard isOpen else {
      #expect {
        _ = try spill.open()
      } throws: { error in
        let error = error as? ReadError
        return error?.code == .permissionDenied && error?.message.contains("belongs to user 12345") == true
      }
      return
    }
    let store = try spill.open()
    FillSource(store.sources).put(1, in: store)
    try await store.close()
    #expect(
      Set(spill.disk.files.map { $0.removingLastComponent().lastComponent?.string }) == [
        "spill", "rangeio-\(process.user)",
      ])
    let again = try spill.open()
    #expect(FillSource(again.sources).served(1..<2, by: again) == [1])
    try await again.close()
    // The name is taken by another user.
    spill.disk.setOwner(of: spill.path("rangeio-\(process.user)"), 777, mode: 0o777)
    #expect { _ = try spill.open() } throws: { ($0 as? ReadError)?.code == .permissionDenied }
  }

  @Test(
    arguments: [
      (0o1777, []), (0o1777, ["notes"]), (0o777, []), (0o777, ["notes"]), (0o755, ["lost+found/x", ".Trash-1000/x"]),
      (0o1777, ["lock"]),
    ] as [(UInt32, [String])])
  func `a directory that others use too stays open to them, and has one of ours`(mode: UInt32, others: [String])
    async throws
  {
    let spill = SimulatedSpill()
    let process = spill.disk.newProcess()
    try process.makeDirectory(SimulatedSpill.directory)
    for name in others {
      spill.disk.setContents(of: SimulatedSpill.directory.appending(FilePath(name).components), [1, 2, 3])
    }
    spill.disk.setOwner(of: SimulatedSpill.directory, mode: mode)
    #expect(throws: ReadError.self) { try SpillInspection(SimulatedSpill.directory.string, on: process) }
    let store = try spill.open()
    FillSource(store.sources).put(1, in: store)
    try await store.close()
    let again = try spill.open()
    #expect(FillSource(again.sources).served(1..<2, by: again) == [1])
    try await again.close()
    let inspection = try SpillInspection(SimulatedSpill.directory.string, on: process)
    #expect(try inspection.survey().sources.map(\.blocks) == [1])
    _ = try SpillClearing.clear(SimulatedSpill.directory.string, on: process)
    #expect(try process.openDirectory(SimulatedSpill.directory).status().mode == mode)
    #expect(spill.disk.files.count == others.count)
    for name in others {
      #expect(spill.disk.contents(of: SimulatedSpill.directory.appending(FilePath(name).components)) == [1, 2, 3])
    }
  }

  @Test func `a directory that a server gives to another user is not left behind`() throws {
    let spill = SimulatedSpill()
    let process = spill.disk.newProcess()
    try process.makeDirectory(SimulatedSpill.directory)
    spill.disk.setOwner(of: SimulatedSpill.directory, 12345, mode: 0o777)
    let own = spill.path("rangeio-\(process.user)")
    spill.disk.faults = DiskFaults { [disk = spill.disk] call in
      if call.kind == .openDirectory, call.name == own.lastComponent?.string { disk.setOwner(of: own, 65534) }
      return nil
    }
    #expect { _ = try spill.open() } throws: { ($0 as? ReadError)?.code == .permissionDenied }
    #expect(try process.openDirectory(SimulatedSpill.directory).names() == [])
  }

  @Test func `a file system that counts no names is told, and not asked for ever`() throws {
    let spill = SimulatedSpill()
    spill.disk.faults = DiskFaults { [disk = spill.disk] call in
      // Stands for that: the file has lost its name when it is looked at.
      if call.kind == .lock { try? disk.newProcess().openDirectory(SimulatedSpill.directory).remove("lock") }
      return nil
    }
    #expect {
      _ = try spill.open()
    } throws: { error in
      (error as? ReadError)?.message.contains("local disk") == true
    }
  }

  @Test func `a quota of another user does not keep segments from being made`() async throws {
    let spill = SimulatedSpill()
    let store = try spill.open()
    spill.disk.setContents(of: spill.path("quota"), [])
    spill.disk.setOwner(of: spill.path("quota"), 777, mode: 0o600)
    let source = FillSource(store.sources)
    source.put(1, in: store)
    try await store.flush()
    #expect(source.served(1..<2, by: store) == [1] && spill.segments.count == 1)
    try await store.close()
  }

  @Test(arguments: [DiskCall.Kind.status, .lock])
  func `of two processes that replace a quota of another user at once, one has the lock`(kind: DiskCall.Kind) throws {
    let spill = SimulatedSpill()
    _ = try spill.open()
    spill.disk.setContents(of: spill.path("quota"), [])
    spill.disk.setOwner(of: spill.path("quota"), 777, mode: 0o600)
    @Sendable func folder() throws -> SpillFolder {
      let process = spill.disk.newProcess()
      return SpillFolder(try process.openDirectory(SimulatedSpill.directory), on: process, .init(source: "spill"))
    }
    @Sendable func enter(_ folder: SpillFolder) throws -> SpillQuota.Answer {
      try SpillQuota(shared: folder, privateName: nil, limit: 1 << 20, tries: 4).enter(1)
    }
    let isFirst = Locked(true)
    let other = Locked<SpillQuota.Answer?>(nil)
    spill.disk.faults = DiskFaults { call in
      guard call.kind == kind, call.name == "quota",
        isFirst.withLock({ isFirst in
          defer { isFirst = false }
          return isFirst
        })
      else { return nil }
      return .delay {
        guard let folder = try? folder() else { return }
        try? folder.directory.remove("quota")
        let answer = try? enter(folder)
        other.withLock { $0 = answer }
      }
    }
    let answer = try enter(folder())
    spill.disk.faults = .none
    #expect(other.withLock { if case .locked = $0 { true } else { false } })
    #expect({ if case .busy = answer { true } else { false } }())
    other.withLock { $0 = nil }
    #expect({ if case .locked = $0 { true } else { false } }(try enter(folder())))
  }

  @Test(arguments: [Errno.noFunction, .noLocks, .notSupportedOnSocket, .ioError])
  func `without locks there is no store, and the error names the way out`(errno: Errno) throws {
    let spill = SimulatedSpill { $0.isShared = true }
    spill.disk.faults = .always(.lock, .fail(errno))
    #expect {
      _ = try spill.open()
    } throws: { error in
      let error = error as? ReadError
      return error?.cause as? Errno == errno && error?.message.contains("local disk") == true
    }
    #expect(spill.disk.files.map(\.lastComponent) == ["lock"])
  }
}

extension SpillPermissionsTests.Case {
  init(
    _ name: String, directory: UInt32 = 0o700, files: UInt32 = 0o600, segments: [UInt32] = [0o600, 0o600],
    others: [String] = [], served: Range<Int>
  ) {
    testDescription = name
    (self.directory, self.files, self.segments) = (directory, files, segments)
    (self.others, self.served) = (others, served)
  }
}
