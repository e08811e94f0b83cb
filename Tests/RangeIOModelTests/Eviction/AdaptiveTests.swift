import RangeIO
import RangeIOTraces
import Testing

@testable import RangeIOTestSupport

/// How far the adaptive policy stays behind the best fixed one of other simulators on published traces, in points of hit
/// ratio, on average over three samples. `Docs/Decisions/0028-tuned-eviction.md`.
@Suite(TraceFiles.areHere) struct AdaptiveTests {
  /// Policies of the reference that know the future, or that draw lots.
  private static let others: Set = ["Belady", "LeCaR", "Cacheus", "LHD"]

  /// The long ones with `RANGEIO_STRESS`.
  private static let traces = ["lirs-sprite", "lirs-multi3"] + (TestScale.isStress ? ["arc-p3", "arc-oltp"] : [])

  @Test func `the adaptive policy is near the best fixed one, and never far below LRU`() throws {
    let folder = try #require(TraceFiles.published)
    let grid = try #require(BlockGrid(blockSize: 4096))
    let table = try folder.table("reference_hit_ratios.csv")
    var regrets: [Double] = []
    for name in Self.traces {
      let accesses = BlockAccesses(try folder.trace(name), grid)
      for share in ["0.01", "0.05", "0.1", "0.2"] {
        let rows = table.filter { $0["trace"] == name && $0["size_frac_of_unique_4k"] == share }
        let ratios = rows.filter {
          !Self.others.contains($0["policy"] ?? "") && $0["policy"]?.contains("Adapt") != true
        }
        let best = try #require(ratios.compactMap { Double($0["hit_pct"] ?? "") }.max())
        let lru = try #require(rows.first { $0["policy"] == "LRU" }.flatMap { Double($0["hit_pct"] ?? "") })
        let capacity = try #require(rows.first.flatMap { Int($0["cache_blocks"] ?? "") })
        let hits = (1...3).map { accesses.hits(Self.adaptive(seed: $0), capacity: capacity) }
        let ratio = Double(hits.reduce(0, +)) / 3 * 100 / Double(accesses.accesses.count)
        #expect(best - ratio <= 3.2, "\(name), \(share): \(ratio) instead of \(best)")
        #expect(lru - ratio <= 0.6, "\(name), \(share): \(ratio), LRU \(lru)")
        regrets.append(best - ratio)
      }
    }
    let mean = regrets.reduce(0, +) / Double(regrets.count)
    #expect(regrets.count == 4 * Self.traces.count)
    #expect(mean <= 0.55, "\(mean)")
  }

  @Test(.enabled(if: TestScale.isStress, "takes half a minute: RANGEIO_STRESS"))
  func `after the working set has moved the adaptive policy is near the better fixed one`() throws {
    let folder = try #require(TraceFiles.published)
    let grid = try #require(BlockGrid(blockSize: 4096))
    let first = try folder.trace("arc-oltp")
    let second = try folder.trace("arc-p3")
    let shift = BlockAccesses(first, grid).blocks.max().map { Int($0 + 1) * 4096 } ?? 0
    let moved = second.requests.map { $0.lowerBound + shift..<$0.upperBound + shift }
    let whole = BlockAccesses(RangeTrace(requests: first.requests + moved, byteCount: shift + second.byteCount), grid)
    let half = BlockAccesses(first, grid)
    let capacity = whole.blocks.count / 20
    /// Hits of the second part: what the first part hits alone is taken off.
    func hits(_ factory: Eviction) -> Int {
      whole.hits(factory, capacity: capacity) - half.hits(factory, capacity: capacity)
    }
    let best = max(hits(.lru), hits(.s3fifo))
    let adaptive = (1...3).map { hits(Self.adaptive(seed: $0)) }.reduce(0, +) / 3
    let reads = whole.accesses.count - half.accesses.count
    #expect(Double(best - adaptive) * 100 / Double(reads) <= 1, "\(adaptive) instead of \(best) of \(reads)")
  }

  private static func adaptive(seed: Int) -> Eviction {
    var settings = PolicyTuner.Settings()
    settings.seed = UInt32(seed)
    return .adaptive(settings)
  }
}
