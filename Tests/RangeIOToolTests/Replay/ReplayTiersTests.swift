#if Tool
import Foundation
import RangeIO
import RangeIOTraces
import Testing

@testable import RangeIOTool

/// `rangeio replay --tiers`, and what it makes up.
@Suite struct ReplayTiersTests {
  @Test(arguments: [(4096, 0.5), (4096, 0.25), (65_536, 0.5), (16_384, 0.8)])
  func `made-up data shrinks as it is asked to`(blockSize: Int, fraction: Double) {
    let page = MadeUpPage.make(shrinkingTo: fraction, blockSize: blockSize)
    #expect(page.count == 65_536)
    #expect(abs(MadeUpPage.compressedFraction(page, blockSize) - fraction) < 0.03)
    #expect(MadeUpPage.compressedFraction(MadeUpPage.make(shrinkingTo: 1, blockSize: blockSize), blockSize) > 0.99)
  }

  @Test func `a made-up trace is skewed, and the same for a seed`() throws {
    let made = try #require(try MadeUpTrace("zipf:1000:20000:1.0:7"))
    let trace = made.trace(blockSize: 512)
    #expect(trace == made.trace(blockSize: 512))
    #expect(trace.requests.count == 20_000 && trace.byteCount == 512_000)
    #expect(trace.requests.allSatisfy { $0.count == 512 && $0.lowerBound % 512 == 0 && $0.upperBound <= 512_000 })
    var counts: [Int: Int] = [:]
    for request in trace.requests { counts[request.lowerBound, default: 0] += 1 }
    // One in the sum of 1/n up to 1000, which is 7.5.
    let most = try #require(counts.values.max())
    #expect((2300...3100).contains(most))
    #expect(try MadeUpTrace("reads.csv") == nil)
  }

  @Test(arguments: ["zipf", "zipf:0:1:1:1", "zipf:10:10:x:1", "zipf:10:-1:1:1", "zipf:1:1:1:1:1"])
  func `what makes no trace is a usage error`(text: String) {
    let failure = #expect(throws: ToolFailure.self) { try MadeUpTrace(text) }
    #expect(failure?.status == .usage)
  }

  @Test func `tiers hit more than the same memory without them, within the budget`() async throws {
    let result = try await tool(
      "replay", "zipf:4000:40000:0.9:1", "--share", "20", "--tiers", "--shrinks-to", "40", "--json")
    #expect(result.code == 0 && result.errors == "")
    let rows = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [[String: Any]])
    #expect(rows.map { $0["policy"] as? String } == ["default", "default + tiers"])
    #expect(rows[0]["tiers"] is NSNull)
    let tiers = try #require(rows[1]["tiers"] as? [String: Any])
    let hits = rows.compactMap { $0["hits"] as? Int }
    #expect(hits[1] > hits[0])
    let parts = ["memoryHits", "movingHits", "compressedHits"].compactMap { tiers[$0] as? Int }
    #expect(parts.reduce(0, +) == hits[1] && parts[2] > 0)
    #expect(tiers["peakOfBudget"] as? Int ?? .max <= tiers["budget"] as? Int ?? 0)
    #expect(abs((tiers["compressionRatio"] as? Double ?? 0) - 2.5) < 0.2)
    let text = try await tool("replay", "zipf:4000:40000:0.9:1", "--share", "20", "--tiers")
    #expect(String(decoding: text.output, as: UTF8.self).contains("default + tiers"))
  }

  @Test func `a replay through tiers counts the same each time`() async throws {
    let arguments = ["replay", "zipf:2000:20000:0.9:3", "--capacity", "1MiB", "--tiers", "--json"]
    let outputs = [try await tool(arguments), try await tool(arguments)].map { result in
      String(decoding: result.output, as: UTF8.self).split(separator: "\n").filter { !$0.contains("nanoseconds") }
    }
    #expect(outputs[0] == outputs[1])
  }

  @Test func `what tiers cannot be made of is a usage error`() async throws {
    let cases: [([String], String)] = [
      (["--blocks", "4", "--tiers"], "--tiers"), (["--share", "0", "--tiers"], "--share"),
      (["--share", "20", "--tiers", "--order", "request"], "--order block"),
      (["--share", "20", "--tiers", "--compressed-share", "95"], "--compressed-share"),
      (["--share", "20", "--tiers", "--shrinks-to", "0"], "--shrinks-to"),
    ]
    for (arguments, message) in cases {
      let result = try await tool(["replay", "zipf:10:10:1:1"] + arguments)
      #expect(result.code == 2, "\(arguments)")
      #expect(result.hasOneLineOfErrors && result.errors.contains(message), "\(result.errors)")
    }
  }
}
#endif
