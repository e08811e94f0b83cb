#if Tool
import Foundation
import RangeIO
import RangeIOTiers
import SystemPackage
import Testing

@testable import RangeIOTool

/// `rangeio explain`, and `--stats` of all commands, as processes.
struct ExplainCommandTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = try directory.file("f", noise(400_000))
  }

  private struct Part: Decodable {
    var offset: Int
    var count: Int
    var origin: String
    var detail: String?
    var reasons: [Reason]
  }
  private struct Reason: Decodable {
    var origin: String
    var why: String
  }

  private func explain(_ options: String...) async throws -> [Part] {
    let result = try await tool(["explain", path, "--json"] + options)
    #expect(result.code == 0, "\(result.errors)")
    return try JSONDecoder().decode([Part].self, from: Data(result.output))
  }

  @Test func `what was read twice comes from memory, the rest from the file`() async throws {
    let parts = try await explain("--range", "..<20000", "--after", "..<10000", "--after", "..<10000")
    #expect(parts.map(\.origin) == ["memory", "source", "source"])
    #expect(parts.map(\.offset) == [0, 10_000, 12_288])
    #expect(parts.map(\.count).reduce(0, +) == 20_000)
    let once = try await explain("--range", "..<10", "--after", "..<10")
    #expect(once.map(\.origin) == ["source"])
  }

  @Test func `far away what is read is kept in whole blocks`() async throws {
    let parts = try await explain("--far", "--after", "5..<6")
    #expect(parts.map(\.origin) == ["memory", "source"])
    #expect(parts[0].count == 65_536)
    #expect(parts[1].reasons.map(\.origin) == ["memory", "flight"])
  }

  @Test func `what a demo has left on a disk comes from there, and stays`() async throws {
    let spill = directory("spill")
    #expect(try await tool("demo", path, "--spill", spill).code == 0)
    for _ in 0..<2 {
      let parts = try await explain("--spill", spill)
      #expect(parts.map(\.origin) == ["disk"])
    }
  }

  @Test func `what a program has left on a disk under the file's own name comes from there, too`() async throws {
    let spill = directory("spill")
    var disk = DiskConfiguration(directory: spill, limit: .mebibytes(16))
    (disk.keepsFastSources, disk.keepsFirstReads, disk.writesOnInsertion) = (true, true, true)
    let store = try await TieredStore(memory: .mebibytes(1), disk: disk)
    let reader = try await RangeReader(FileSource(FilePath(path)), [.caching(store, fill: .block)])
    // A file is kept once it has settled: a moment after it was written.
    while store.counts().memory.blocks == 0 { _ = try await reader.read(0..<65_536) }
    try await store.flush()
    await reader.close()
    try await store.close()
    let parts = try await explain("--spill", spill)
    #expect(parts.contains { $0.origin == "disk" })
  }

  @Test func `for people it is a line for each part`() async throws {
    let result = try await tool("explain", path, "--far", "--after", "5..<6")
    let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("0..<65536 ") && lines[0].hasSuffix("memory"))
    #expect(lines[1].contains("not flight: no read of it is under way"))
    #expect(String(decoding: try await tool("explain", path, "--range", "0..<0").output, as: UTF8.self) == "no bytes\n")
  }

  @Test func `bad input ends with its code and one line`() async throws {
    let wrong: [([String], Int32)] = [
      (["--range", "0..<400001"], 4), (["--range", "x"], 2), (["--after", "x"], 2), (["--after", "0..<400001"], 4),
      (["--spill", directory("none")], 3), (["--far", "--range", "500000..<500001"], 4),
    ]
    for (options, code) in wrong {
      let result = try await tool(["explain", path] + options)
      #expect(result.code == code, "\(options): \(result.errors)")
      #expect(result.output.isEmpty)
      #expect(result.errors.split(separator: "\n").count == 1)
    }
    #expect(try await tool("explain", directory("none")).code == 3)
    #expect(try await tool("explain", directory("none"), "--spill", directory("none")).code == 3)
  }

  // MARK: --stats

  @Test func `every command tells what its readers did, on standard error`() async throws {
    let spill = directory("spill")
    #expect(try await tool("demo", path, "--spill", spill).code == 0)
    let commands: [([String], readers: Int)] = [
      (["read", path, "--range", "5..<10"], 1), (["cat", path], 1), (["info", path], 1), (["explain", path], 1),
      (["demo", path], 1), (["demo", path, "--spill", directory("other")], 2),
      (["replay", "zipf:10:100:0.9:1", "--capacity", "1MiB"], 0),
      (["replay", "zipf:10:100:0.9:1", "--capacity", "1MiB", "--order", "request"], 1),
      (["spill", "list", spill], 0), (["spill", "verify", spill], 0), (["spill", "stats", spill], 0),
      (["spill", "clear", spill], 0),
    ]
    for (command, readers) in commands {
      let result = try await tool(command + ["--stats"])
      #expect(result.code == 0, "\(command): \(result.errors)")
      let lines = result.errors.split(separator: "\n")
      let head = readers == 1 ? "1 reader, " : "\(readers) readers, "
      #expect(
        lines.last?.hasPrefix(head) == true && lines.last?.contains("peak memory") == true, "\(command): \(lines)")
      #expect(lines.count { $0.contains(" reads, ") && !$0.hasPrefix(" ") } == readers, "\(command): \(lines)")
    }
    let read = try await tool("read", path, "--range", "5..<10", "--stats")
    #expect(read.output.count == 5, "standard output is as ever")
    #expect(read.errors.contains("1 reads, 5 bytes, 0 failures"))
  }

  @Test func `what failed is told of, too`() async throws {
    let result = try await tool("read", path, "--range", "0..<400001", "--stats")
    #expect(result.code == 4)
    #expect(result.errors.contains("1 reader, "))
  }
}
#endif
