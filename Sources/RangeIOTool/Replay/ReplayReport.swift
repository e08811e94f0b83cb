#if Tool
import RangeIO
import RangeIOTiers

/// The counts of the replays of one trace, one row per policy.
struct ReplayReport {
  struct Row {
    var policy: String
    var counts: ReplayCounts
    /// The results of the tiers, if the cache had any.
    var tiers: TieredStore.Counts?
    /// The store's estimates for other sizes.
    var estimates: [MemoryStore.Estimate] = []
  }

  /// One line about the trace and the cache.
  var head: String
  var rows: [Row] = []

  /// A table for people.
  var text: String {
    var cells = [["", "block", "", "", "bytes", "of them", "", "bytes", "time of a"]]
    cells.append(["policy", "reads", "hits", "share", "asked for", "stored", "fetches", "fetched", "block read"])
    cells += rows.map { row in
      let counts = row.counts
      return [
        row.policy, Figures.count(counts.blockAccesses), Figures.count(counts.hits),
        Figures.decimal(Double(counts.hits) / Double(max(1, counts.blockAccesses)) * 100, places: 2) + "%",
        Figures.size(counts.requestedBytes), Figures.size(counts.hitBytes), Figures.count(counts.sourceOperations),
        Figures.size(counts.sourceBytes), Figures.time(.nanoseconds(Int(counts.nanosecondsPerAccess.rounded()))),
      ]
    }
    return head + "\n\n" + Table(columns: [.left] + Array(repeating: .right, count: 8), rows: cells).text + curveText
      + tiersText + spillText
  }

  /// An additional table, if the hits of other sizes were estimated.
  private var curveText: String {
    let estimated = rows.filter { !$0.estimates.isEmpty }
    guard let first = estimated.first else { return "" }
    var cells = [["estimated hits"] + first.estimates.map { Figures.size($0.limit) }]
    cells += estimated.map { row in
      [row.policy] + row.estimates.map { Figures.decimal($0.hitRatio * 100, places: 1) + "%" }
    }
    let columns = [.left] + Array(repeating: Table.Alignment.right, count: first.estimates.count)
    return "\n\n" + Table(columns: columns, rows: cells).text
  }

  /// An additional table, if there were tiers.
  private var tiersText: String {
    var cells = [["", "hits in", "on their", "com-", "data to", "moved", "", "rose", "peak of"]]
    cells.append(["tiers", "memory", "way", "pressed", "compressed", "down", "dropped", "again", "budget"])
    for row in rows {
      guard let tiers = row.tiers, tiers.disk == nil else { continue }
      let accesses = Double(max(1, row.counts.blockAccesses))
      let below = tiers.compressed.hits + tiers.moving.hits
      func share(_ hits: Int) -> String { Figures.decimal(Double(hits) / accesses * 100, places: 2) + "%" }
      cells.append([
        row.policy, share(row.counts.hits - below), share(tiers.moving.hits), share(tiers.compressed.hits),
        Figures.decimal(tiers.compressed.ratio, places: 2), Figures.count(tiers.moving.demoted),
        Figures.count(tiers.moving.dropped + tiers.compressed.dropped + tiers.compressed.incompressible),
        Figures.count(tiers.compressed.insertions - tiers.compressed.evictions - tiers.compressed.blocks),
        Figures.decimal(Double(tiers.peakBytes) / Double(max(1, tiers.limit)) * 100, places: 1) + "%",
      ])
    }
    guard cells.count > 2 else { return "" }
    return "\n\n" + Table(columns: [.left] + Array(repeating: .right, count: 8), rows: cells).text
  }

  /// The same facts for programs: an array.
  var json: JSON {
    .array(
      rows.map { row in
        .object([
          "policy": .string(row.policy), "requests": .integer(row.counts.requests),
          "blockAccesses": .integer(row.counts.blockAccesses), "hits": .integer(row.counts.hits),
          "requestedBytes": .integer(row.counts.requestedBytes), "hitBytes": .integer(row.counts.hitBytes),
          "sourceOperations": .integer(row.counts.sourceOperations), "sourceBytes": .integer(row.counts.sourceBytes),
          "nanosecondsPerAccess": .number(row.counts.nanosecondsPerAccess),
          "curve": .array(
            row.estimates.map { .object(["limit": .integer($0.limit), "hitRatio": .number($0.hitRatio)]) }),
          "tiers": row.tiers.map { Self.json($0, row.counts) } ?? .null,
        ])
      })
  }

  private static func json(_ tiers: TieredStore.Counts, _ counts: ReplayCounts) -> JSON {
    let below = tiers.compressed.hits + tiers.moving.hits + tiers.movingToDisk.hits + (tiers.disk?.foundBlocks ?? 0)
    return .object([
      "memoryHits": .integer(counts.hits - below), "movingHits": .integer(tiers.moving.hits + tiers.movingToDisk.hits),
      "compressedHits": .integer(tiers.compressed.hits), "compressionRatio": .number(tiers.compressed.ratio),
      "moved": .integer(tiers.moving.demoted), "dropped": .integer(tiers.moving.dropped + tiers.compressed.dropped),
      "incompressible": .integer(tiers.compressed.incompressible), "budget": .integer(tiers.limit),
      "peakOfBudget": .integer(tiers.peakBytes), "spill": tiers.disk.map { SpillRow($0, tiers, counts).json } ?? .null,
    ])
  }
}

extension ReplayReport {
  /// The results of a disk tier in a replay.
  struct SpillRow {
    let spill: DiskCounts
    let tiers: TieredStore.Counts
    let counts: ReplayCounts

    init(_ spill: DiskCounts, _ tiers: TieredStore.Counts, _ counts: ReplayCounts) {
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
        "gated": .integer(spill.rejectedAdmission), "present": .integer(spill.present), "dropped": .integer(dropped),
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

extension DiskCounts {
  /// Blocks found on the disk, or while they were being moved there.
  var foundBlocks: Int { hits + stagedHits }
}
#endif
