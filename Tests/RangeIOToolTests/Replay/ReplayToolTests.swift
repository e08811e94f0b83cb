#if Tool
import Foundation
import Testing

@testable import RangeIOTool

/// `rangeio replay` as a process.
@Suite(.serialized) struct ReplayToolTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func trace(_ text: String) throws -> String { try directory.file("trace", Array(text.utf8)) }

  @Test func `the JSON has an object for each policy with its counts`() async throws {
    let path = try trace("offset,length\n0,8192\n4096,4096\n100,1\n20000,10\n")
    let result = try await tool("replay", path, "--blocks", "3", "--shards", "1", "--policy", "all", "--json")
    #expect(result.code == 0 && result.errors == "")
    let rows = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [[String: Any]])
    #expect(rows.map { $0["policy"] as? String } == ["default", "lru", "sieve", "s3fifo"])
    for row in rows {
      #expect(
        Set(row.keys) == [
          "policy", "requests", "blockAccesses", "hits", "requestedBytes", "hitBytes", "sourceOperations",
          "sourceBytes", "nanosecondsPerAccess", "curve", "tiers",
        ])
      let numbers = ["requests", "blockAccesses", "hits", "requestedBytes", "hitBytes", "sourceOperations"]
      #expect(numbers.map { row[$0] as? Int } == [4, 5, 2, 12_299, 4097, 3])
      // The third fetch is cut at the end of what the trace reads.
      #expect(row["sourceBytes"] as? Int == 8192 + 20_010 - 16_384)
      #expect((row["nanosecondsPerAccess"] as? Double ?? 0) > 0)
    }
  }

  @Test func `there are counts to compare with, published traces or not`() {
    #expect(GoldenCounts.all.count { $0.trace == "mixed" } == 8)
  }

  @Test(arguments: GoldenCounts.all)
  func `hits are those that other programs count`(golden: GoldenCounts) async throws {
    let result = try await tool(
      "replay", golden.path, "--blocks", "\(golden.blocks)", "--shards", "1", "--order", "block", "--policy",
      golden.policy, "--json")
    #expect(result.code == 0 && result.errors == "")
    let rows = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [[String: Any]])
    #expect(rows.count == 1 && rows[0]["policy"] as? String == golden.policy)
    #expect(rows[0]["blockAccesses"] as? Int == golden.blockAccesses)
    #expect(rows[0]["hits"] as? Int == golden.hits)
    #expect(rows[0]["sourceOperations"] as? Int == golden.blockAccesses - golden.hits)
  }

  @Test func `the table names the policy, and requests can be read as a whole`() async throws {
    let path = try trace("offset,length\n0,65536\n0,65536\n")
    let result = try await tool(
      "replay", path, "--capacity", "1MiB", "--order", "request", "--policy", "lru", "--format", "csv")
    #expect(result.code == 0 && result.errors == "")
    let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
    #expect(lines.first?.hasSuffix("2 requests; a cache of 1 MiB in blocks of 4 KiB, request by request") == true)
    let cells = lines.last?.split(separator: " ").prefix(10) ?? []
    #expect(cells == ["lru", "32", "16", "50.00%", "128", "KiB", "64.0", "KiB", "1", "64.0"])
  }

  @Test(arguments: [
    [], ["--order", "request"], ["--tiers"], ["--sizes", "10"], ["--share", "10"], ["--tiers", "--spill"],
  ])
  func `a trace of a few bytes that asks for everything is refused at once`(options: [String]) async throws {
    let path = try trace("offset,length\n0,9223372036854775807\n")
    let size = options.isEmpty || options.contains("--order") || options == ["--tiers"] ? ["--capacity", "1MiB"] : []
    let result = try await tool(["replay", path] + size + options)
    #expect(result.code == 1 && result.output.isEmpty)
    #expect(result.errors.contains("2251799813685248 blocks"), "\(result.errors)")
  }

  @Test func `a trace of more requests than memory is for is refused before they are read`() async throws {
    let count = UInt64(ReplayBounds.requests + 1).littleEndian
    let header =
      Array("RRT1".utf8) + [0, 0, 0, 0] + withUnsafeBytes(of: count) { Array($0) } + Array(repeating: 1, count: 8)
    let path = try directory.file("trace", header)
    // Each of them is two zeros.
    #expect(truncate(path, off_t(header.count + 2 * (ReplayBounds.requests + 1))) == 0)
    let result = try await tool("replay", path, "--blocks", "4")
    #expect(
      result.code == 1 && result.errors.contains("more than \(ReplayBounds.requests) requests"), "\(result.errors)")
  }

  @Test func `sizes near the largest number end with a message or work, and never with a trap`() async throws {
    let path = try trace("offset,length\n0,8192\n9223372036854771711,4096\n")
    for options in [
      ["--blocks", "9223372036854775807"], ["--capacity", "9223372036854775807"],
      ["--blocks", "1", "--block-size", "1"], ["--capacity", "7EiB", "--tiers"], ["--sizes", "100"],
      ["--blocks", "9223372036854775807", "--shards", "4611686018427387904"],
    ] {
      let result = try await tool(["replay", path] + options)
      #expect([0, 1, 2].contains(result.code), "\(options): \(result.errors)")
    }
  }

  @Test func `wrong usage ends with 2, a missing trace with 3, and what is no trace with 1`() async throws {
    let path = try trace("offset,length\n0,-4\n")
    let cases: [([String], Int, String)] = [
      (["replay", path], 2, "by --blocks, by --capacity"),
      (["replay", path, "--blocks", "x"], 2, "'x'"),
      (["replay", path, "--blocks", "4", "--policy", "magic"], 2, "magic"),
      (["replay", path, "--blocks", "4", "--order", "none"], 2, "none"),
      (["replay", path, "--blocks", "4", "--shards", "3"], 2, "'3' is not a power of two"),
      (["replay", directory("missing"), "--blocks", "4"], 3, "missing"),
      (["replay", path, "--blocks", "4"], 1, "line 2: the length is negative"),
      (["replay", path, "--blocks", "4", "--format", "rrt"], 1, "does not begin with 'RRT1'"),
    ]
    for (arguments, code, message) in cases {
      let result = try await tool(arguments)
      #expect(result.code == code, "\(arguments)")
      #expect(result.hasOneLineOfErrors && result.errors.contains(message), "\(result.errors)")
      #expect(result.output.isEmpty)
    }
  }

  @Test func `an empty trace is replayed`() async throws {
    let result = try await tool("replay", try trace("offset,length\n"), "--blocks", "4", "--json")
    #expect(result.code == 0)
    #expect(String(decoding: result.output, as: UTF8.self).contains("\"blockAccesses\": 0"))
  }
}
#endif
