#if Tool
import Foundation
import RangeIO
import Testing

@testable import RangeIOTool

@Suite(.serialized) struct ReplaySizesTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func `a trace that is made up needs no size of the cache`() async throws {
    let result = try await tool("replay", "zipf:100:1000:0.9:1", "--policy", "lru", "--sizes", "10,100", "--json")
    #expect(result.code == 0 && String(decoding: result.output, as: UTF8.self).contains("lru"), "\(result.errors)")
  }

  @Test func `sizes are percentages with commas`() throws {
    #expect(try ReplaySizes("1,2.5,100").percents == [1, 2.5, 100])
    #expect(try ReplaySizes("1,2.5,100").blockCounts(of: 1000) == [10, 25, 1000])
    // A size is a block at least, and none comes twice.
    #expect(try ReplaySizes("100,1,2,50").blockCounts(of: 4) == [1, 2, 4])
    for text in [
      "", "0", "-1", "101", "1,,2", "1,x", "nan", "inf", Array(repeating: "1", count: 65).joined(separator: ","),
    ] {
      #expect(throws: ToolFailure.self, "\(text)") { try ReplaySizes(text) }
    }
  }

  /// Reads of ten blocks round and round.
  private func loop() throws -> String {
    let lines = (0..<200).map { "\($0 % 10 * 4096),4096" }
    return try directory.file("loop.csv", Array(("offset,length\n" + lines.joined(separator: "\n") + "\n").utf8))
  }

  @Test func `each policy and the optimum have a ratio for each size`() async throws {
    let result = try await tool("replay", loop(), "--policy", "all", "--sizes", "50,100", "--json")
    #expect(result.code == 0 && result.errors == "")
    let report = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
    #expect(report["blocks"] as? [Int] == [5, 10] && report["uniqueBlocks"] as? Int == 10)
    #expect(report["blockAccesses"] as? Int == 200 && report["blockSize"] as? Int == 4096)
    let policies = try #require(report["policies"] as? [[String: Any]])
    #expect(policies.map { $0["policy"] as? String } == ["belady", "default", "lru", "sieve", "s3fifo"])
    let ratios = policies.map { $0["hitRatios"] as? [Double] ?? [] }
    #expect(ratios.allSatisfy { $0.count == 2 && $0[1] == 0.95 })
    // LRU never hits in a loop beyond the cache.
    #expect(ratios[2][0] == 0)
    #expect(ratios.allSatisfy { $0[0] <= ratios[0][0] } && ratios[0][0] > 0.4)
  }

  @Test func `the picture has a line for each policy, and another is replaced only by force`() async throws {
    let picture = directory("plot.svg")
    let first = try await tool("replay", loop(), "--policy", "all", "--sizes", "20,50,100", "--plot", picture)
    #expect(first.code == 0 && first.errors == "")
    #expect(String(decoding: first.output, as: UTF8.self).contains("100%"))
    let text = try String(contentsOfFile: picture, encoding: .utf8)
    #expect(text.hasPrefix("<svg ") && text.hasSuffix("</svg>\n"))
    // In the plot and in the legend.
    #expect(text.split(separator: "<polyline").count { $0.contains("class=\"line") } == 2 * 5)
    for word in ["Belady's optimum", "lru", "40.0 KiB", "100%", "loop.csv", "prefers-color-scheme: dark"] {
      #expect(text.contains(word), "\(word)")
    }
    let second = try await tool("replay", loop(), "--plot", picture)
    #expect(second.code == 1 && second.hasOneLineOfErrors && second.errors.contains("--force"))
    let forced = try await tool("replay", loop(), "--plot", picture, "--force")
    #expect(forced.code == 0)
    #expect(try String(contentsOfFile: picture, encoding: .utf8) != text)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory("")).sorted() == ["loop.csv", "plot.svg"])
  }

  @Test func `options for one size do not go with several`() async throws {
    let path = try loop()
    let cases: [([String], Int, String)] = [
      (["replay", path, "--sizes", "5", "--blocks", "4"], 2, "--blocks"),
      (["replay", path, "--sizes", "5", "--curve"], 2, "--curve"),
      (["replay", path, "--plot", "p.svg", "--tiers"], 2, "--tiers"),
      (["replay", path, "--sizes", "x"], 2, "'x'"), (["replay", path, "--blocks", "4", "--force"], 2, "--force"),
      (["replay", path, "--plot", directory("none/p.svg")], 1, "none/p.svg"),
      (["replay", try directory.file("empty.csv", Array("offset,length\n".utf8)), "--sizes", "5"], 1, "reads nothing"),
    ]
    for (arguments, code, message) in cases {
      let result = try await tool(arguments)
      #expect(result.code == code && result.hasOneLineOfErrors && result.errors.contains(message), "\(result.errors)")
      #expect(result.output.isEmpty)
    }
  }

  @Test func `estimates of other sizes stand beside the counts`() async throws {
    let result = try await tool(
      "replay", "zipf:2000:40000:0.8:1", "--blocks", "200", "--policy", "lru", "--shards", "1", "--curve", "--json")
    #expect(result.code == 0 && result.errors == "")
    let row = try #require((try JSONSerialization.jsonObject(with: Data(result.output)) as? [[String: Any]])?.first)
    let curve = try #require(row["curve"] as? [[String: Any]])
    #expect(curve.count == 4)
    for (point, blocks) in zip(curve, [100, 200, 400, 800]) {
      let truth = try await tool(
        "replay", "zipf:2000:40000:0.8:1", "--blocks", "\(blocks)", "--policy", "lru", "--shards", "1", "--json")
      let counts = try #require((try JSONSerialization.jsonObject(with: Data(truth.output)) as? [[String: Any]])?.first)
      let ratio = try #require(counts["hits"] as? Double) / 40_000
      #expect(abs(try #require(point["hitRatio"] as? Double) - ratio) < 0.015, "\(blocks)")
      #expect(point["limit"] as? Int == blocks * MemoryStore.charge(of: 4096))
    }
    let table = try await tool("replay", "zipf:2000:4000:0.8:1", "--blocks", "200", "--curve")
    #expect(String(decoding: table.output, as: UTF8.self).contains("estimated hits"))
  }
}
#endif
