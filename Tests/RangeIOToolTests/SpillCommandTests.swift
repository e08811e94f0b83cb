#if Tool
import Foundation
import RangeIO
import RangeIOTiers
import Testing

@testable import RangeIOTool

/// `rangeio spill` as a process.
@Suite struct SpillCommandTests {
  private static let firstSegment = "0000000000000001"

  private static let version = Bytes(SpilledDirectory.Version().persistentForm ?? []).hex

  private func object(_ result: ToolResult) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
  }

  @Test func `list tells of sources, and of segments if asked`() async throws {
    let spilled = try await SpilledDirectory()
    let report = try object(try await tool("spill", "list", spilled.path, "--json"))
    #expect(report["segments"] == nil)
    let sources = try #require(report["sources"] as? [[String: Any]])
    #expect(sources.count == 1)
    #expect(sources[0]["id"] as? String == "made:up" && sources[0]["version"] as? String == Self.version)
    let names = ["byteCount", "blockSize", "blocks", "storedBytes", "decodedBytes"]
    #expect(names.map { sources[0][$0] as? Int } == [128 * 4096, 4096, 64, 64 * 4096, 64 * 4096])
    #expect(sources[0]["cachedShare"] as? Double == 0.5)
    let all = try object(try await tool("spill", "list", spilled.path, "--json", "--segments"))
    let segments = try #require(all["segments"] as? [[String: Any]])
    #expect(segments.count > 3 && segments.allSatisfy { $0["isSealed"] as? Bool == true })
    #expect(segments[0]["number"] as? String == Self.firstSegment)
    #expect(segments.reduce(0) { $0 + ($1["chunks"] as? Int ?? 0) } == 64)
    #expect(segments.allSatisfy { (0.9...1).contains($0["liveShare"] as? Double ?? 0) })
    let text = try await tool("spill", "list", spilled.path, "--segments")
    #expect(text.code == 0 && text.errors == "")
    let words = String(decoding: text.output, as: UTF8.self)
    #expect(words.contains(": 1 source in "))
    #expect(words.contains("made:up") && words.contains("50.0%"))
    #expect(words.contains(" …\(Self.version.suffix(16))\n") && !words.contains(Self.version))
    #expect(words.contains(Self.firstSegment) && words.contains("sealed"))
  }

  @Test func `verify finds all well, or ends with 6 and says where it is not`() async throws {
    let spilled = try await SpilledDirectory()
    let good = try await tool("spill", "verify", spilled.path)
    #expect(good.code == 0 && good.errors == "")
    #expect(String(decoding: good.output, as: UTF8.self).contains("OK: every sum is right"))
    try spilled.flip(Self.firstSegment, at: 20_000)
    let bad = try await tool("spill", "verify", spilled.path, "--json")
    #expect(bad.code == 6 && bad.hasOneLineOfErrors && bad.errors.contains("one place is damaged"))
    let report = try object(bad)
    #expect(report["damaged"] as? Int == 1 && report["isOK"] as? Bool == false)
    let damages = try #require(report["damages"] as? [[String: Any]])
    #expect(damages[0]["segment"] as? String == Self.firstSegment)
    #expect((16_000...20_000).contains(damages[0]["offset"] as? Int ?? 0))
    let text = try await tool("spill", "verify", spilled.path)
    #expect(text.code == 6)
    #expect(String(decoding: text.output, as: UTF8.self).contains("its payload is damaged"))
    // Without `store` nothing is believed.
    try spilled.flip("store", at: 30)
    #expect(try await tool("spill", "verify", spilled.path).code == 6)
    let list = try await tool("spill", "list", spilled.path)
    #expect(list.code == 1 && list.hasOneLineOfErrors && list.errors.contains("`store` is damaged"))
  }

  @Test func `stats tell totals`() async throws {
    let spilled = try await SpilledDirectory()
    let report = try object(try await tool("spill", "stats", spilled.path, "--json"))
    let names = ["sources", "blocks", "storedBytes", "decodedBytes", "unbelieved", "privateDirectories"]
    #expect(names.map { report[$0] as? Int } == [1, 64, 64 * 4096, 64 * 4096, 0, 0])
    #expect(report["codecRatio"] as? Double == 1 && report["epoch"] as? String == "1")
    let births = try #require([report["oldestBirth"] as? Int, report["newestBirth"] as? Int] as? [Int])
    let now = Int(Date().timeIntervalSince1970 * 1e9)
    #expect(births[0] <= births[1] && births[1] <= now && now - births[0] < 600_000_000_000)
    #expect(report["freeBytes"] as? Int ?? 0 > 0)
    let text = try await tool("spill", "stats", spilled.path)
    #expect(text.code == 0 && String(decoding: text.output, as: UTF8.self).contains("oldest block"))
  }

  @Test func `while a process has the directory, it is looked into, and not cleared`() async throws {
    let spilled = try await SpilledDirectory()
    let store = try await spilled.open()
    try await SpilledDirectory.fill(store, 64..<70, of: 128)
    let before = try spilled.files.keys
    for command in ["list", "verify", "stats"] {
      let result = try await tool("spill", command, spilled.path)
      #expect(result.code == 0 && result.errors == "", "\(command)")
    }
    let list = try object(try await tool("spill", "list", spilled.path, "--json"))
    #expect((list["sources"] as? [[String: Any]])?[0]["blocks"] as? Int == 70)
    let clear = try await tool("spill", "clear", spilled.path)
    #expect(clear.code == 1 && clear.hasOneLineOfErrors)
    #expect(clear.errors.contains("is used by process \(ProcessInfo.processInfo.processIdentifier)"))
    #expect(try spilled.files.keys == before)
    try await store.close()
  }

  @Test func `clear removes what is ours, and only that`() async throws {
    let spilled = try await SpilledDirectory()
    try Data("mine".utf8).write(to: URL(fileURLWithPath: spilled.path + "/notes.txt"))
    let result = try await tool("spill", "clear", spilled.path)
    #expect(result.code == 0 && result.errors == "")
    #expect(try spilled.files.keys.sorted() == ["notes.txt"])
    try FileManager.default.removeItem(atPath: spilled.path + "/notes.txt")
    #expect(try object(try await tool("spill", "clear", spilled.path, "--json"))["segments"] as? Int == 0)
    #expect(FileManager.default.fileExists(atPath: spilled.path))
  }

  @Test func `another format version is told of, and nothing touched`() async throws {
    let spilled = try await SpilledDirectory()
    let root = URL(fileURLWithPath: spilled.path + "/store")
    var bytes = try Data(contentsOf: root)
    // Version 9, with the sum that belongs to it.
    bytes.replaceSubrange(8..<16, with: Self.prefixOfVersion9)
    try bytes.write(to: root)
    chmod(root.path, 0o600)
    let before = try spilled.files
    for command in ["list", "verify", "stats", "clear"] {
      let result = try await tool("spill", command, spilled.path)
      #expect(result.code == 3 && result.hasOneLineOfErrors, "\(command)")
      #expect(result.errors.contains("of format version 9") && result.errors.contains("version 1"), "\(result.errors)")
    }
    #expect(try spilled.files == before)
  }

  /// From the version on: `store`, version 9, and the CRC-32C of those twelve bytes.
  private static var prefixOfVersion9: [UInt8] {
    let start: [UInt8] = Array("RIOSPILL".utf8) + [9, 0, 1, 0]
    var crc: UInt32 = ~0
    for byte in start {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 0 ? 0 : 0x82F6_3B78) }
    }
    return [9, 0, 1, 0] + (0..<4).map { UInt8(truncatingIfNeeded: ~crc >> (8 * $0)) }
  }

  @Test func `what is no spill directory ends with 3`() async throws {
    let directory = try TemporaryDirectory()
    chmod(directory.path, 0o700)
    let file = try directory.file("f", [1])
    let empty = directory("empty")
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: false)
    chmod(empty, 0o700)
    let cases = [
      (directory("missing"), "no such file or directory"), (file, "not a directory"),
      (directory.path, "no cache files"), (empty, "nothing was ever stored"),
    ]
    for (path, message) in cases {
      for command in ["list", "verify", "stats"] {
        let result = try await tool("spill", command, path)
        #expect(result.code == 3 && result.hasOneLineOfErrors, "\(command) \(path)")
        #expect(result.errors.contains(message), "\(result.errors)")
      }
    }
    #expect(try await tool("spill", "clear", directory.path).code == 3)
    #expect(try directory.names == ["empty", "f"])
    for arguments in [["spill"], ["spill", "mend", empty], ["spill", "list"]] {
      #expect(try await tool(arguments).code == 2, "\(arguments)")
    }
  }

  @Test func `dates are those of the calendar`() {
    #expect(Figures.date(0) == "1970-01-01 00:00:00 UTC")
    #expect(Figures.date(951_827_696_000_000_000) == "2000-02-29 12:34:56 UTC")
    #expect(Figures.date(1_735_689_599_999_999_999) == "2024-12-31 23:59:59 UTC")
    #expect(Figures.date(-1_000_000_000) == "1969-12-31 23:59:59 UTC")
  }
}
#endif
