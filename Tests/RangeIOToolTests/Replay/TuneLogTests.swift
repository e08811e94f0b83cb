#if Tool
import Foundation
import Testing

/// `rangeio replay --tune-log`.
@Suite(.serialized) struct TuneLogTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private var log: String { directory("choices.csv") }

  private func lines() throws -> [[String]] {
    try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map { line in
      // Commas between quotes are part of a name.
      line.split(separator: "\"", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
        index % 2 == 1 ? [String(part)] : part.split(separator: ",").map(String.init)
      }
    }
  }

  /// A loop over more blocks than there is room for: the policies differ most there.
  private func replay(_ rest: String...) async throws -> ToolResult {
    var text = "offset,length\n"
    for _ in 0..<60 { for block in 0..<600 { text += "\(block * 4096),4096\n" } }
    let trace = try directory.file("loop.csv", Array(text.utf8))
    return try await tool(["replay", trace, "--blocks", "400", "--shards", "1", "--tune-log", log] + rest)
  }

  @Test func `the log has what was chosen, and what each candidate would have hit`() async throws {
    let result = try await replay("--json")
    #expect(result.code == 0 && result.errors == "")
    let rows = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [[String: Any]])
    let lines = try lines()
    let header = try #require(lines.first)
    #expect(header.prefix(5) == ["block_reads", "hits", "changes", "chosen", "sampled_one_in"])
    let candidates = Array(header.dropFirst(5))
    #expect(Set(candidates).count == 7 && candidates.count == 7)
    #expect((90...130).contains(lines.count - 1), "\(lines.count)")
    var before = (reads: 0, hits: 0, changes: 0)
    for line in lines.dropFirst() {
      try #require(line.count == 12)
      let numbers = try line[..<3].map { try #require(Int($0)) }
      let now = (reads: numbers[0], hits: numbers[1], changes: numbers[2])
      #expect(now.reads > before.reads && now.hits >= before.hits && now.changes >= before.changes)
      #expect(candidates.contains(line[3]))
      #expect(line.dropFirst(5).allSatisfy { (0...1).contains(Double($0) ?? -1) })
      before = now
    }
    // The trace ends in a line, and what is better in a loop was chosen.
    #expect(before.reads == 36_000 && before.hits == rows[0]["hits"] as? Int)
    #expect(before.changes > 0)
  }

  @Test func `which blocks are sampled follows from a seed`() async throws {
    func lastLine(_ seed: String) async throws -> [String] {
      let result = try await tool([
        "replay", "zipf:20000:60000:0.8:1", "--blocks", "4000", "--shards", "1", "--seed", seed, "--tune-log", log,
        "--force",
      ])
      #expect(result.code == 0)
      return try #require(try lines().last)
    }
    let first = try await lastLine("1")
    // Fewer than all, or a seed would change nothing.
    #expect(Int(first[4]) ?? 0 > 1)
    #expect(try await lastLine("1") == first)
    #expect(try await lastLine("2").dropFirst(5) != first.dropFirst(5))
    let fixed = try await tool(["replay", "zipf:100:100:0.8:1", "--blocks", "10", "--policy", "lru", "--seed", "1"])
    #expect(fixed.code == 2 && fixed.errors.contains("--seed: the policy lru samples nothing"))
  }

  @Test func `a fixed policy has none, and a file is replaced only by force`() async throws {
    let fixed = try await replay("--policy", "lru")
    #expect(fixed.code == 2 && fixed.errors.contains("--tune-log: the policy lru chooses nothing"))
    #expect(!FileManager.default.fileExists(atPath: log))
    #expect(try await replay().code == 0)
    let second = try await replay()
    #expect(second.code == 1 && second.errors.contains("--force"))
    #expect(try await replay("--force").code == 0)
    let several = try await replay("--sizes", "10,20")
    #expect(several.code == 2 && several.errors.contains("--tune-log"))
  }
}
#endif
