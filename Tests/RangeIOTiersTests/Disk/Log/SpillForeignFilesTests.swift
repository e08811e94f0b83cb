import Foundation
import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOSpillInspection
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Directories and files that are not what they seem, or not ours.
@Suite struct SpillForeignFilesTests {
  private static let isRoot = geteuid() == 0

  @Test func `a link is not taken for the directory, nor for its lock`() async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(1))
    let path = spill.configuration.directory
    let target = spill.directory.path("target")
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
    #expect(symlink(target, path) == 0)
    await #expect(throws: ReadError.self) { _ = try await spill.open() }
    #expect(try FileManager.default.contentsOfDirectory(atPath: target) == [])
    #expect(unlink(path) == 0)
    try await filled(spill)
    let victim = spill.directory.path("victim")
    try write(Array("precious".utf8), to: victim)
    for name in ["lock", "store.new"] {
      try? FileManager.default.removeItem(atPath: path + "/" + name)
      #expect(symlink(victim, path + "/" + name) == 0)
      if name == "lock" {
        await #expect(throws: ReadError.self) { _ = try await spill.open() }
        #expect(unlink(path + "/lock") == 0)
      } else {
        try await spill.open().close()
      }
      #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
    }
  }

  @Test func `a lock or store that is a FIFO, a directory or has two names is not used`() async throws {
    for name in ["lock", "store"] {
      for kind in ["fifo", "directory", "link"] {
        let spill = try SpillOnDisk(limit: .mebibytes(1))
        try await filled(spill)
        let path = spill.configuration.directory + "/" + name
        let other = spill.directory.path("other")
        switch kind {
        case "fifo": #expect(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
        case "directory": #expect(unlink(path) == 0 && mkdir(path, 0o700) == 0)
        default: #expect(link(path, other) == 0)
        }
        let before = try? Data(contentsOf: URL(fileURLWithPath: other))
        // It fails, or makes a new one: it does not hang, and serves nothing of a directory that it cannot know.
        do {
          let store = try await spill.open()
          #expect(name == "store" && FillSource(store.sources).served(0..<5, by: store) == [])
          try await store.close()
        } catch {
          #expect(error is ReadError)
        }
        let after = try? Data(contentsOf: URL(fileURLWithPath: other))
        #expect(after == before)
      }
    }
  }

  @Test func `what has a segment's name and is none of ours is left alone`() async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(1))
    try await filled(spill)
    let path = spill.configuration.directory + "/"
    let victim = spill.directory.path("victim")
    try write(Array("precious".utf8), to: victim)
    #expect(symlink(victim, path + "0000000000000002") == 0)
    #expect(mkfifo(path + "0000000000000003", 0o600) == 0)
    #expect(mkdir(path + "0000000000000004", 0o700) == 0)
    #expect(link(victim, path + "0000000000000005") == 0)
    // Names that look like ours, and are not; the last ones would be where numbers end.
    let names = [
      "0000000000000006.tmp", "000000000000000A", "notes.txt", "0000000000000007", "0000000000000008",
      "ffffffffffffffff", "7fffffffffffffff", "3fffffffffffffff",
    ]
    let text = Array(repeatElement(Array("precious".utf8), count: 20).joined())
    for name in names {
      try write(text, to: path + name)
      #expect(chmod(path + name, name.hasSuffix("7") ? 0o600 : 0o644) == 0)
    }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    #expect(source.served(0..<5, by: store) == Set(0..<5))
    for block in 5..<9 { source.put(block, in: store) }
    try await store.flush()
    source.erase(5..<6, in: store)
    store.erase(.everything)
    for block in 10..<12 { source.put(block, in: store) }
    try await store.close()
    let again = try await spill.open()
    #expect(FillSource(again.sources).served(0..<12, by: again) == [10, 11])
    try await again.close()
    let left = Set(try FileManager.default.contentsOfDirectory(atPath: path))
    #expect(left.isSuperset(of: names + (2...5).map { "000000000000000\($0)" }))
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
    #expect(try SpillClearing.clear(path).foreignLeft == names.count + 4)
    for name in names { #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: path + name))) == text) }
  }

  @Test func `a segment whose first bytes are damaged is still ours`() async throws {
    let spill = SimulatedSpill()
    let store = try spill.open()
    FillSource(store.sources).put(1, in: store)
    try await store.close()
    let path = spill.path(try #require(spill.segments.first))
    for byte in 0..<8 {
      let copy = spill.copy()
      var bytes = try #require(copy.disk.contents(of: path))
      bytes[byte] ^= 4
      copy.disk.setContents(of: path, bytes)
      try await copy.open().close()
      #expect(copy.segments == [])
    }
  }

  @Test func `files of others in a private directory that a crash left stay`() async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(1)) { $0.isShared = true }
    try await filled(spill)
    let below = spill.configuration.directory + "/" + String(repeating: "ab", count: 16)
    let names = try FileManager.default.contentsOfDirectory(atPath: spill.configuration.directory)
    #expect(mkdir(below, 0o700) == 0)
    for name in names {
      try FileManager.default.copyItem(
        atPath: spill.configuration.directory + "/" + name, toPath: below + "/" + name)
    }
    for name in ["0000000000000009", "quota"] {
      // `try?`: there may be none.
      try? FileManager.default.removeItem(atPath: below + "/" + name)
      try write(Array("precious".utf8), to: below + "/" + name)
      #expect(chmod(below + "/" + name, 0o600) == 0)
    }
    try await spill.open().close()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: below).sorted() == ["0000000000000009", "quota"])
  }

  @Test func `segments of another owner do not keep the others from being read`()
    async throws
  {
    let spill = SimulatedSpill()
    let store = try spill.open()
    for block in 0..<40 {
      FillSource(store.sources).put(block, in: store)
      if block % 8 == 7 { try await store.flush() }
    }
    try await store.close()
    let segments = spill.segments
    #expect(segments.count == 3)
    let before = spill.contents
    spill.disk.setOwner(of: spill.path(segments[0]), 0, mode: 0o600)
    spill.disk.setOwner(of: spill.path(segments[1]), 0, mode: 0o644)
    let again = try spill.open()
    let served = try #require(FillSource(again.sources).served(0..<40, by: again))
    #expect(served.count >= 8 && served.contains(39) && !served.contains(0))
    again.erase(.everything)
    try await again.close()
    for name in segments.prefix(2) { #expect(spill.contents[spill.path(name)] == before[spill.path(name)]) }
  }

  @Test(.enabled(if: isRoot)) func `a directory of another owner is left alone, a lock of another owner refused`()
    async throws
  {
    let spill = try SpillOnDisk(limit: .mebibytes(1))
    try await filled(spill)
    let path = spill.configuration.directory
    let before = try FileManager.default.contentsOfDirectory(atPath: path)
    #expect(chown(path, 12345, 12345) == 0)
    let store = try await spill.open()
    #expect(store.isEmpty)
    try await store.close()
    #expect(try Set(FileManager.default.contentsOfDirectory(atPath: path)) == Set(before + ["rangeio-0"]))
    #expect(chown(path, 0, 0) == 0 && chown(path + "/lock", 12345, 12345) == 0)
    await #expect { _ = try await spill.open() } throws: { ($0 as? ReadError)?.code == .permissionDenied }
  }

  @Test func `a directory that vanishes costs what comes, and is there again after an opening`() async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(1)) { $0.segmentSize = .kibibytes(64) }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    for block in 0..<5 { source.put(block, in: store) }
    try await store.flush()
    try FileManager.default.removeItem(atPath: spill.configuration.directory)
    #expect(source.served(0..<5, by: store) == Set(0..<5))
    for block in 5..<100 {
      source.put(block, in: store)
      if block % 8 == 7 { try await store.flush() }
    }
    #expect(store.miscounts() == [])
    for block in 0..<100 { #expect(source.read(source.block(block), in: store) != nil) }
    store.removeAll()
    await #expect(throws: ReadError.self) { try await store.flush() }
    #expect(store.isEmpty)
    await #expect(throws: ReadError.self) { try await store.close() }
    let again = try await spill.open()
    #expect(again.isEmpty)
    FillSource(again.sources).put(1, in: again)
    try await again.close()
  }

  /// Leaves five blocks in one file.
  private func filled(_ spill: SpillOnDisk) async throws {
    let store = try await spill.open()
    for block in 0..<5 { FillSource(store.sources).put(block, in: store) }
    try await store.close()
  }
}
