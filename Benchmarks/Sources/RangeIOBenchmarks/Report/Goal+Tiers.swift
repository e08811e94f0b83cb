extension Goal {
  /// The goals of the compressed tier.
  static func tiers(_ report: Report) -> [Goal] {
    let hit = report[.cache(.compressedHits(size: 65_536), 65_536)]
    let small = report[.cache(.compressedHits(size: 4096), 4096)]
    return [
      atMost(
        1.25, timesTheTimeOf: .bareLZ4, "compressed hit of 64 KiB: time against C LZ4_decompress_safe", hit,
        note: small?[.bareLZ4]?.rangeIOIsTimesFaster.map { "4 KiB: \(Figures.ratio(1 / $0))" } ?? ""),
      atMost(
        2, timesTheTimeOf: .quiet, "hits in memory while blocks are compressed: 99th percentile", report[.cache(.tail)]),
      atLeast(
        0.8, timesAsFastAs: .bareLZ4, "compressing evicted blocks of 64 KiB: rate against C LZ4 on one core",
        report[.cache(.demotion(size: 65_536), 65_536)]),
      atLeast(
        0.8, timesAsFastAs: .bareLZ4, "compressing evicted blocks of 4 KiB: rate against C LZ4 on one core",
        report[.cache(.demotion(size: 4096), 4096)]),
    ]
  }
}
