import RangeIO

/// Runs that were read, of which the state has not been told: a read that took its lock once more would meet all others there.
///
/// The state is told of all of a group of threads at once, and of all there are before something leaves or is counted. Gains one
/// of three lockings that a read needs of a lock that all share; costs these lines.
struct SpillHits: Sendable {
  /// A run, without what keeps its segment.
  private struct Hit {
    let first: SpillRun.Part
    let more: [SpillRun.Part]
    let slot: Int
    let segment: UInt64
    let byteCount: Int
    let wantedCount: Int
    let isResident: Bool
  }

  private static let maxWaiting = 32
  private let waiting = ThreadGroups<[Hit]>([])

  /// Notes that a run was read. Returns whether it is time to tell.
  func add(_ run: SpillRun, isResident: Bool) -> Bool {
    let hit = Hit(
      first: run.first, more: run.more, slot: run.slot, segment: run.segment.number, byteCount: run.byteCount,
      wantedCount: run.wanted.count, isResident: isResident)
    return waiting.withOwn { hits in
      hits.append(hit)
      return hits.count >= Self.maxWaiting
    }
  }

  /// Tells the state what this thread's group has read. Call it under the state's lock: a read that has ended is counted either
  /// here or there.
  func tellOwn(_ state: inout SpillState) {
    waiting.withOwn { hits in
      for hit in hits { Self.tell(hit, &state) }
      hits.removeAll(keepingCapacity: true)
    }
  }

  /// Tells the state what all groups have read. Call it under the state's lock.
  func tellAll(_ state: inout SpillState) {
    for hits in waiting.replaceAll(by: []) { for hit in hits { Self.tell(hit, &state) } }
  }

  private static func tell(_ hit: Hit, _ state: inout SpillState) {
    state.counts.reads += 1
    state.counts.readBytes += hit.byteCount
    if hit.isResident { state.counts.residentReads += 1 }
    state.counts.hits += 1 + hit.more.count
    state.counts.hitBytes += hit.wantedCount
    if let found = state.find(hit.first, of: hit.slot, in: hit.segment) { state.noteHit(found) }
    for part in hit.more { if let found = state.find(part, of: hit.slot, in: hit.segment) { state.noteHit(found) } }
  }
}
