#if Tool
import Foundation
import RangeIO
import RangeIOTiers
import Testing

@testable import RangeIOTool

/// `rangeio demo --spill`.
@Suite struct DemoSpillTests {
  private func report(_ arguments: String...) async throws -> [String: Any] {
    let result = try await tool(["demo"] + arguments + ["--json"])
    #expect(result.code == 0 && result.errors == "")
    return try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
  }

  private func rows(_ report: [String: Any]) throws -> [[String: Any]] {
    #expect(report["isOK"] as? Bool == true)
    return try #require((report["spill"] as? [String: Any])?["rows"] as? [[String: Any]])
  }

  @Test func `the second run begins with what the first one has read`() async throws {
    let directory = try TemporaryDirectory()
    // More than fits into memory. What does not shrink goes to the disk as it is.
    let path = try directory.file("data", noise(12_000_000))
    let spilled = directory("spill")
    let first = try await report(path, "--spill", spilled)
    let cold = try rows(first)
    #expect(cold.count == 2)
    let blocks = cold[0]["sourceReads"] as? Int ?? 0
    #expect(blocks > 50)
    let facts = try #require(first["spill"] as? [String: Any])
    #expect(facts["blocksAtFirst"] as? Int == 0 && facts["blocksAtLast"] as? Int ?? 0 > blocks / 2)
    let second = try await report(path, "--spill", spilled)
    let warm = try rows(second)
    #expect((second["spill"] as? [String: Any])?["blocksAtFirst"] as? Int == facts["blocksAtLast"] as? Int)
    #expect(warm[0]["name"] as? String == "disk as it was left")
    // Some may have been dropped on their way in the first run, for want of room there.
    #expect(warm[0]["sourceReads"] as? Int ?? .max < blocks / 4)
    #expect(warm[0]["diskHits"] as? Int ?? 0 > blocks / 2)
    let verified = try await tool("spill", "verify", spilled)
    #expect(verified.code == 0)
    let text = try await tool("demo", path, "--spill", spilled)
    let words = String(decoding: text.output, as: UTF8.self)
    #expect(text.code == 0 && words.contains("compressed  disk  source") && words.contains("It began with those."))
  }

  @Test func `a directory that cannot be used is told of before anything is read`() async throws {
    let spilled = try await SpilledDirectory()
    let store = try await spilled.open()
    let path = try spilled.parent.file("data", noise(100_000))
    let result = try await tool("demo", path, "--spill", spilled.path)
    #expect(result.code == 1 && result.hasOneLineOfErrors && result.errors.contains("is used by process"))
    #expect(result.output.isEmpty)
    try await store.close()
    let other = try await tool("demo", path, "--spill", spilled.parent.path)
    #expect(other.code == 3 && other.hasOneLineOfErrors)
  }

  @Test func `what no tier and no source answered came from memory`() {
    let row = SpillShow.Facts.Row(reading: .init(name: "row", reads: 80), compressed: 20, disk: 25, source: 5)
    let facts = SpillShow.Facts(directory: "d", blocksAtFirst: 0, blocksAtLast: 9, rows: [row])
    #expect(row.memory == 30 && facts.text.contains("row             80      30          20    25       5"))
    #expect(facts.text.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }
}
#endif
