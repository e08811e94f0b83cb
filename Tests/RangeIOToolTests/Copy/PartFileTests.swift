#if Tool
import Foundation
import RangeIO
import RangeIOSupport
import Testing

@testable import RangeIOTool

@Suite struct PartFileTests {
  private let directory: TemporaryDirectory
  private let bytes = noise(200_000)
  private let identity: CopyJournal.Identity
  private let target: CopyTarget

  init() throws {
    directory = try TemporaryDirectory()
    identity = CopyJournal.Identity(
      source: Array(0..<32), version: Array(1..<33), layout: CopyLayout(byteCount: 200_000))
    target = try CopyTarget(directory("copy"), naming: nil, force: false)
  }

  private func open(_ wanted: CopyJournal.Identity?, restarts: Bool = false) throws -> PartFile.Opened {
    try PartFile.open(target, wanted, identity.layout, restarts: restarts) { _ in }
  }

  /// Writes pieces, and notes them.
  private func fill(_ opened: PartFile.Opened, _ pieces: [Int]) throws {
    let plan = CopyPlan(opened.layout, .arriving(1), finished: opened.finished, journal: opened.journal)
    var cursor = try #require(opened.journal)
    for piece in pieces {
      let range = plan.layout.range(of: piece..<piece + 1)
      try opened.file.write(Bytes(bytes[range]), at: range.lowerBound)
      let sum = bytes[range].withUnsafeBytes { CRC32C.of($0) }
      try opened.file.note(cursor.write([CopyJournal.Record(piece: piece, sum: sum)]))
    }
  }

  @Test func `what was noted is there for the next run, and no more`() throws {
    do {
      let first = try open(identity)
      #expect(first.beginning == .new && first.finished.isEmpty)
      try fill(first, [0, 3])
    }
    #expect(try directory.names == ["copy.rangeio-journal", "copy.rangeio-part"])
    let second = try open(identity)
    #expect(second.finished == RangeSet([0, 3].map { $0..<$0 + 1 }))
    try fill(second, [1, 2])
    #expect(try second.file.digest(bytes.count) { _ in } == SHA256.digest(of: bytes))
    try second.file.finish(bytes.count)
    #expect(try directory.names == ["copy"])
    #expect(areEqual(try contents(target.path), bytes[...]))
  }

  @Test func `a piece that was changed on the disk is not there`() throws {
    try fill(try open(identity), [0, 1, 2, 3])
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: target.part))
    try handle.seek(toOffset: 70_000)
    try handle.write(contentsOf: [bytes[70_000] ^ 1])
    try handle.close()
    #expect(try open(identity).finished == RangeSet([0, 2, 3].map { $0..<$0 + 1 }))
  }

  @Test func `a part that was cut, or is gone, is read again`() throws {
    try fill(try open(identity), [0, 1, 2, 3])
    #expect(truncate(target.part, 140_000) == 0)
    #expect(try open(identity).finished == RangeSet([0..<2]))
    try FileManager.default.removeItem(atPath: target.part)
    #expect(try open(identity).finished.isEmpty)
  }

  @Test func `another version starts over from holes`() throws {
    try fill(try open(identity), [0, 1])
    var other = identity
    other.version[3] ^= 1
    let opened = try open(other)
    #expect(opened.beginning == .startOver(.changed) && opened.finished.isEmpty)
    #expect(try contents(target.part).allSatisfy { $0 == 0 })
    try fill(opened, [2])
    _ = consume opened
    #expect(try open(other, restarts: true).beginning == .new)
  }

  @Test func `zeros are holes, and replace what else is there`() throws {
    let zeros = Bytes([UInt8](repeating: 0, count: 65_536))
    do {
      let fresh = try open(identity)
      try fresh.file.write(zeros, at: 0)
      try fresh.file.write(Bytes(bytes[65_536..<131_072]), at: 65_536)
      var status = stat()
      #expect(stat(target.part, &status) == 0 && status.st_size == 200_000)
      #expect(status.st_blocks * 512 <= 65_536 + 16_384)
    }
    // Something that nothing was noted of: bytes where zeros belong.
    try open(identity).file.write(zeros, at: 65_536)
    #expect(try contents(target.part).allSatisfy { $0 == 0 })
  }

  @Test func `only one fills a file at a time`() throws {
    let first = try open(identity)
    #expect(throws: ToolFailure.self) { try open(identity) }
    withExtendedLifetime(first) {}
    _ = consume first
    #expect(throws: Never.self) { try open(identity) }
  }

  @Test func `a link, a directory and a pipe with our name are refused`() throws {
    let victim = try directory.file("victim", [1, 2, 3])
    for name in [target.journal, target.part] {
      try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: victim)
      #expect(throws: ToolFailure.self) { try open(identity) }
      try FileManager.default.removeItem(atPath: name)
      try FileManager.default.linkItem(atPath: victim, toPath: name)
      #expect(throws: ToolFailure.self) { try open(identity) }
      try FileManager.default.removeItem(atPath: name)
      try FileManager.default.createDirectory(atPath: name, withIntermediateDirectories: false)
      #expect(throws: ToolFailure.self) { try open(identity) }
      try FileManager.default.removeItem(atPath: name)
      #expect(mkfifo(name, 0o600) == 0)
      #expect(throws: ToolFailure.self) { try open(identity) }
      try FileManager.default.removeItem(atPath: name)
    }
    #expect(try contents(victim) == [1, 2, 3])
  }

  @Test func `a target that appears in the meantime is not replaced`() throws {
    let opened = try open(identity)
    try fill(opened, [0, 1, 2, 3])
    _ = try directory.file("copy", [9])
    #expect(throws: ToolFailure.exists(target.path)) { try opened.file.finish(bytes.count) }
    #expect(try contents(target.path) == [9])
  }

  @Test func `the longest name there is has files beside it`() throws {
    let target = try CopyTarget(directory(String(repeating: "n", count: 255)), naming: nil, force: false)
    #expect(target.part != target.journal)
    let opened = try PartFile.open(target, identity, identity.layout, restarts: false) { _ in }
    try fill(opened, [0, 1, 2, 3])
    try opened.file.finish(bytes.count)
    #expect(try directory.names == [String(repeating: "n", count: 255)])
  }

  @Test func `a copy without a version notes nothing`() throws {
    let opened = try open(nil)
    #expect(opened.journal == nil)
    #expect(try contents(target.journal) == CopyJournal.magic)
    opened.file.discard()
    #expect(try directory.names == [])
  }

  @Test func `what a copy without a version has left is ours`() throws {
    for wanted in [nil, identity] {
      try open(nil).file.write(Bytes(bytes), at: 0)
      let opened = try open(wanted)
      #expect(opened.beginning == .new && opened.finished.isEmpty)
      #expect(try contents(target.part).allSatisfy { $0 == 0 })
    }
  }

  @Test(arguments: ["journal", "part"]) func `a file of the user with our name is refused, and stays`(
    name: String
  ) throws {
    let path = try directory.file("copy.rangeio-\(name)", bytes)
    for wanted in [identity, nil] {
      for restarts in [false, true] {
        #expect(throws: ToolFailure.foreign(path)) { try open(wanted, restarts: restarts) }
      }
    }
    #expect(areEqual(try contents(path), bytes[...]))
    #expect(!FileManager.default.fileExists(atPath: target.path))
  }
}
#endif
