import Synchronization

@testable import RangeIO
@testable import RangeIOTiers

/// What a walk through all that a spill store knows finds, to be compared with what it counted on its way.
struct SpillRecount {
  /// A block that is found.
  struct Block: Hashable {
    let identity: SpillIdentity
    let block: Int
    /// The segment's number, and where in it.
    let segment: UInt64
    let offset: Int
  }

  private(set) var blocks: Set<Block> = []
  /// What does not add up, in words.
  private(set) var faults: [String] = []

  /// Walks through `store`, in which nobody changes anything meanwhile.
  ///
  /// - Parameter isAtRest: whether nobody reads or writes: then the space of files counts exactly.
  init(_ store: SpillStore, isAtRest: Bool) {
    var found = self
    store.state.withLock { found.walk(&$0, isAtRest: isAtRest) }
    self = found
    let lengths = store.state.withLock { state in
      state.places.compactMap { $0.map { SpillLedger.rounded($0.length) } }.reduce(0, +)
    }
    let counted = store.ledger.bytes - SpillFormat.fixedBytes
    if isAtRest {
      expect(counted == lengths, "\(counted) bytes of files are counted, \(lengths) are there")
    } else {
      expect(counted >= lengths, "\(counted) bytes of files are counted, \(lengths) are there")
    }
  }

  private init() {}

  private mutating func expect(_ condition: Bool, _ fault: @autoclosure () -> String) {
    if !condition { faults.append(fault()) }
  }

  private mutating func walk(_ state: inout SpillState, isAtRest: Bool) {
    walkTable(&state, isAtRest: isAtRest)
    walkSources(&state, isAtRest: isAtRest)
    walkStaging(&state, isAtRest: isAtRest)
  }

  // MARK: the index

  private mutating func walkTable(_ state: inout SpillState, isAtRest: Bool) {
    var live: [UInt32: Int] = [:]
    var hit: [UInt32: Int] = [:]
    var spans: [UInt32: [Range<Int>]] = [:]
    var perSource: [Int: (blocks: Int, bytes: Int)] = [:]
    var stored = 0
    for slot in 1..<UInt32(max(1, state.table.slotsUsed)) where state.table[slot].isUsed {
      let record = state.table[slot]
      stored += Int(record.stored)
      live[record.segment, default: 0] += record.span
      if record.hits > 0 { hit[record.segment, default: 0] += record.span }
      spans[record.segment, default: []].append(record.offset..<record.offset + record.span)
      perSource[record.source, default: (0, 0)].blocks += 1
      perSource[record.source]!.bytes += Int(record.stored)
      expect(state.table.find(source: record.source, block: record.block) == slot, "\(record.block) cannot be found")
      guard state.sources.has(record.source) else {
        faults.append("block \(record.block) is of no source")
        continue
      }
      guard Int(record.segment) < state.places.count, let place = state.places[Int(record.segment)] else {
        faults.append("block \(record.block) lies in no segment")
        continue
      }
      expect(place.locals[record.source] != nil, "the segment of block \(record.block) does not know its source")
      expect(record.offset + record.span <= place.length, "block \(record.block) lies beyond its segment's end")
      let identity = state.sources[record.source].identity
      blocks.insert(
        Block(identity: identity, block: record.block, segment: place.segment.number, offset: record.offset))
    }
    let found = blocks.count
    expect(found == state.table.count, "\(state.table.count) blocks are counted of \(found)")
    expect(stored == state.storedBytes, "\(state.storedBytes) stored bytes are counted of \(stored)")
    for (segment, ranges) in spans {
      let ordered = ranges.sorted { $0.lowerBound < $1.lowerBound }
      let overlap = zip(ordered, ordered.dropFirst()).contains { $0.upperBound > $1.lowerBound }
      expect(!overlap, "two records of segment \(segment) overlap")
    }
    for (index, place) in state.places.enumerated() {
      guard let place else { continue }
      let (live, hit) = (live[UInt32(index), default: 0], hit[UInt32(index), default: 0])
      expect(place.liveBytes == live, "segment \(index) counts \(place.liveBytes) of \(live) live bytes")
      expect(place.hitBytes == hit, "segment \(index) counts \(place.hitBytes) of \(hit) bytes that were read")
      for slot in place.locals.keys {
        guard state.sources.has(slot) else {
          faults.append("segment \(index) knows a source that is forgotten")
          continue
        }
        let newest = state.sources[slot].newestSegment
        expect(newest >= place.segment.number, "segment \(index) has a source that is said to end before")
      }
    }
    let unsealed = state.places.count { $0.map { !$0.isSealed } ?? false }
    expect(unsealed <= 1, "\(unsealed) segments are open, of which only one is written to")
    let draining = state.places.count { $0?.isDraining ?? false }
    expect(!isAtRest || draining == 0, "\(draining) segments are let go of by nobody")
    let numbers = state.places.compactMap { $0?.segment.number }
    expect(Set(numbers).count == numbers.count, "a segment is there twice")
    for slot in state.sources.used {
      let entry = state.sources[slot]
      let (blocks, bytes) = perSource[slot] ?? (0, 0)
      expect(entry.blocks == blocks && entry.bytes == bytes, "a source counts \(entry.blocks) of \(blocks) blocks")
    }
  }

  // MARK: sources and what waits

  private mutating func walkSources(_ state: inout SpillState, isAtRest: Bool) {
    var bindings: [Int: Int] = [:]
    for binding in state.sources.bindings.values {
      if let slot = binding.slot { bindings[slot, default: 0] += 1 }
    }
    var staged: [Int: Int] = [:]
    for entry in state.staging.all.values { staged[entry.slot, default: 0] += 1 }
    var removals: [Int: Int] = [:]
    for removal in state.staging.removals { removals[removal.slot, default: 0] += 1 }
    for slot in state.sources.used {
      let entry = state.sources[slot]
      expect(entry.bindings == bindings[slot, default: 0], "a source counts \(entry.bindings) tokens")
      expect(entry.staged == staged[slot, default: 0], "a source counts \(entry.staged) chunks that wait")
      let waiting = removals[slot, default: 0]
      expect(
        isAtRest ? entry.removals == waiting : entry.removals >= waiting,
        "a source counts \(entry.removals) of \(waiting) removals")
      let slots = state.sources.slots(ofID: entry.identity.id)
      expect(slots.filter { $0 == slot }.count == 1, "a source cannot be found by its id")
    }
  }

  private mutating func walkStaging(_ state: inout SpillState, isAtRest: Bool) {
    let staging = state.staging
    let bytes = staging.all.values.reduce(0) { $0 + $1.charge }
    expect(staging.bytes == bytes, "\(staging.bytes) bytes are said to wait, \(bytes) do")
    expect(staging.bytes <= staging.limit, "\(staging.bytes) bytes wait, over \(staging.limit)")
    let waiting = staging.all.values.reduce(0) { $0 + ($1.isBeingWritten ? 0 : $1.charge) }
    expect(staging.waitingBytes == waiting, "\(staging.waitingBytes) bytes wait to be begun of \(waiting)")
    let written = staging.all.values.filter(\.isBeingWritten).count
    if isAtRest { expect(written == 0, "\(written) chunks are being written by nobody") }
    let counts = state.counts
    let ends =
      counts.present + counts.ineligible + counts.rejectedAdmission + counts.dropped + counts.stale + counts.written
      + staging.count
    expect(counts.offered == ends, "\(counts.offered) chunks came, and of \(ends) it is known what became of them")
  }
}

extension SpillStore {
  /// What a store that nobody uses at the moment counts wrong, in words.
  func miscounts() -> [String] { SpillRecount(self, isAtRest: false).faults }
}
