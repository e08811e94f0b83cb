import RangeIO

extension ReplayReport {
  /// The results of a disk tier in a replay.
  struct SpillRow {
    let spill: DiskStatistics
    let tiers: TieredChunkStore.Statistics
    let counts: ReplayCounts

    init(_ spill: DiskStatistics, _ tiers: TieredChunkStore.Statistics, _ counts: ReplayCounts) {
      (self.spill, self.tiers, self.counts) = (spill, tiers, counts)
    }

    /// Hits on blocks that were being moved to compressed memory or to the disk.
    var movingHits: Int { tiers.moving.hits + tiers.movingToDisk.hits + spill.stagedHits }
    var memoryHits: Int { counts.hits - movingHits - tiers.compressed.hits - spill.hits }
    var writes: Int { spill.written + spill.reinsertions }
    /// Blocks written per block that was written for the first time.
    var amplification: Double { Double(writes) / Double(max(1, spill.written)) }
    /// Chunks that were not written to the disk because there was no time or no room.
    var dropped: Int { spill.dropped + tiers.moving.dropped + tiers.movingToDisk.dropped }

    func perHundred(_ count: Int) -> Double { Double(count) / Double(max(1, counts.blockAccesses)) * 100 }

    var json: JSON {
      .object([
        "hits": .integer(spill.hits), "stagedHits": .integer(spill.stagedHits), "written": .integer(spill.written),
        "reinsertions": .integer(spill.reinsertions), "writesPer100": .number(perHundred(writes)),
        "blockAmplification": .number(amplification), "fileBytes": .integer(spill.fileBytes),
        "writtenBytes": .integer(spill.writtenBytes), "writeAmplification": .number(spill.writeAmplification),
        "gated": .integer(spill.gated), "present": .integer(spill.present), "dropped": .integer(dropped),
        "droppedAbove": .integer(tiers.moving.dropped), "droppedBelow": .integer(tiers.movingToDisk.dropped),
        "evictions": .integer(spill.evictions), "blocks": .integer(spill.blocks), "segments": .integer(spill.segments),
        "segmentsMade": .integer(spill.segmentsMade), "limit": .integer(spill.limit),
        "peakBytes": .integer(spill.peakBytes),
      ])
    }
  }

  /// An additional table, if there was a disk.
  var spillText: String {
    var cells = [["", "", "in", "on their", "com-", "on the", "writes of", "of them", "bytes", "", "blocks"]]
    cells.append([
      "spill", "hits", "memory", "way", "pressed", "disk", "100 reads", "copied on", "for one", "dropped", "at the end",
    ])
    for row in rows {
      guard let tiers = row.tiers, let spill = tiers.disk else { continue }
      let facts = SpillRow(spill, tiers, row.counts)
      func share(_ hits: Int) -> String { Figures.decimal(facts.perHundred(hits), places: 2) + "%" }
      cells.append([
        row.policy, share(row.counts.hits), share(facts.memoryHits), share(facts.movingHits),
        share(tiers.compressed.hits), share(spill.hits), Figures.decimal(facts.perHundred(facts.writes), places: 2),
        Figures.decimal(facts.perHundred(spill.reinsertions), places: 2),
        Figures.decimal(spill.writeAmplification, places: 2), Figures.count(facts.dropped), Figures.count(spill.blocks),
      ])
    }
    guard cells.count > 2 else { return "" }
    return "\n\n" + Table(columns: [.left] + Array(repeating: .right, count: 10), rows: cells).text
  }
}

extension DiskStatistics {
  /// Blocks found on the disk, or while they were being moved there.
  var foundBlocks: Int { hits + stagedHits }
}
