import RangeIO
import RangeIOTraces
import Testing

@testable import RangeIOTestSupport

/// Hits on traces, beside the counts of other implementations.
struct GoldenTests {
  private struct Row {
    var policy: Eviction
    var capacity: Int
    var hits: Int
    var tolerance = 0
  }

  /// LRU and SIEVE to the hit, as two other simulators count.
  ///
  /// S3-FIFO to a thousandth of the reads of libCacheSim's. It differs in three points, which together come to
  /// 0.09 % at most: a chunk's return is looked up after room was made for it, an eviction looks at 64 chunks at most, and the
  /// ghost's memory is exact to one part in 64.
  @Test(TraceFiles.areHere, arguments: ["arc-oltp", "arc-p3", "lirs-sprite", "lirs-multi3", "wsrch-small"])
  func `a published trace hits as often as in other simulators`(name: String) throws {
    let folder = try #require(TraceFiles.published)
    let exact = try folder.table("golden_4k.csv").filter { $0["trace"] == name }.compactMap(Self.exact)
    let near = try folder.table("reference_hit_ratios.csv").filter { $0["trace"] == name }.compactMap(Self.near)
    #expect(exact.count == 4)
    #expect(near.count == (name == "wsrch-small" ? 0 : 5))
    try compare(folder, name, exact + near)
  }

  /// Those of the shortest programs that do what the papers say, `Golden/Traces/make.py`, which count on published traces
  /// what other simulators do.
  @Test func `a trace of our own hits as often as in programs that share nothing with this one`() throws {
    let rows = try TraceFiles.own.table("golden_4k.csv").filter { $0["trace"] == "mixed" }.compactMap(Self.counted)
    #expect(rows.count == 12)
    try compare(TraceFiles.own, "mixed", rows)
  }

  private func compare(_ folder: TraceFiles.Folder, _ name: String, _ rows: [Row]) throws {
    let grid = try #require(BlockGrid(blockSize: 4096))
    let accesses = BlockAccesses(try folder.trace(name), grid)
    let manifest = try #require(try folder.table("manifest.csv").first { $0["name"] == name })
    #expect(accesses.accesses.count == Int(manifest["blocks4k_accesses"] ?? ""))
    #expect(accesses.blocks.count == Int(manifest["unique_4k_blocks"] ?? ""))
    for row in rows {
      let hits = accesses.hits(row.policy, capacity: row.capacity)
      #expect(abs(hits - row.hits) <= row.tolerance, "\(row.policy.name) of \(row.capacity) blocks: \(hits)")
    }
  }

  private static func counted(_ fields: [String: String]) -> Row? {
    guard fields["policy"] == "S3-FIFO" else { return exact(fields) }
    guard let capacity = Int(fields["capacity_blocks"] ?? ""), let hits = Int(fields["hits"] ?? ""),
      let accesses = Int(fields["block_accesses"] ?? "")
    else { return nil }
    return Row(policy: .s3fifo, capacity: capacity, hits: hits, tolerance: accesses / 1000)
  }

  private static func exact(_ fields: [String: String]) -> Row? {
    guard let policy = Eviction.all.first(where: { $0.name == fields["policy"]?.lowercased() }),
      let capacity = Int(fields["capacity_blocks"] ?? ""), let hits = Int(fields["hits"] ?? "")
    else { return nil }
    return Row(policy: policy, capacity: capacity, hits: hits)
  }

  private static func near(_ fields: [String: String]) -> Row? {
    guard fields["policy"] == "S3-FIFO", fields["engine"]?.hasPrefix("libCacheSim") == true,
      let capacity = Int(fields["cache_blocks"] ?? ""), let accesses = Int(fields["block_accesses"] ?? ""),
      let percent = Double(fields["hit_pct"] ?? "")
    else { return nil }
    return Row(
      policy: .s3fifo, capacity: capacity, hits: Int((percent / 100 * Double(accesses)).rounded()),
      tolerance: accesses / 1000)
  }
}
