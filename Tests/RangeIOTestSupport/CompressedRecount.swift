import Synchronization

@testable import RangeIO
@testable import RangeIOTiers

/// What a walk through a compressed store finds, to be compared with what the store counted on its way.
struct CompressedRecount {
  private(set) var records = 0
  private(set) var footprint = 0
  /// What does not add up, in words.
  private(set) var faults: [String] = []

  /// Walks through `store`, in which nobody changes anything meanwhile, and of which nobody holds what was evicted.
  ///
  /// - Parameter isAlone: whether nothing else is charged to the tokens below.
  init(_ store: CompressedStore, isAlone: Bool = true) {
    var charged: [ObjectIdentifier: (token: ChunkToken, bytes: Int)] = [:]
    for (number, shard) in store.shards.enumerated() {
      shard.state.withLock { state in
        var live: [UInt32: Int] = [:]
        var (count, stored, raw) = (0, 0, 0)
        for slot in 1..<UInt32(max(1, state.table.slotsUsed)) where state.table[slot].isUsed {
          let record = state.table[slot]
          count += 1
          stored += Int(record.stored)
          raw += Int(record.count)
          live[record.segment, default: 0] += Int(record.stored)
          guard state.sources.contains(record.token) else {
            faults.append("a record of no source")
            continue
          }
          let token = state.sources.token(record.token)
          charged[ObjectIdentifier(token), default: (token, 0)].bytes += Int(record.stored)
          let hash = ChunkTable.hash(token: record.token, block: record.block)
          let slots = state.slots(record.token, record.block, hash)
          if !slots.contains(slot) { faults.append("block \(record.block) cannot be found") }
          if slots.count > PieceList.maxCount { faults.append("block \(record.block) has \(slots.count) pieces") }
        }
        if count != state.table.count { faults.append("shard \(number) counts \(state.table.count) of \(count)") }
        if stored != state.storedBytes { faults.append("shard \(number): \(state.storedBytes) of \(stored) stored") }
        if raw != state.rawBytes { faults.append("shard \(number): \(state.rawBytes) of \(raw) raw") }
        if state.sources.all.reduce(0, { $0 + $1.blocks }) != count { faults.append("shard \(number): sources") }
        var capacity = 0
        for (segment, value) in state.segments.enumerated() {
          guard let value else { continue }
          capacity += value.memory.capacity
          footprint += SegmentMemory.footprint(of: value.memory.capacity)
          if value.liveBytes != live[UInt32(segment), default: 0] { faults.append("segment \(segment): live bytes") }
          if value.pending != 0 { faults.append("segment \(segment): \(value.pending) pending") }
          let isKnown = state.open == UInt32(segment) || state.sealed.contains(UInt32(segment))
          if !isKnown { faults.append("segment \(segment) is lost") }
        }
        if capacity != state.segmentBytes { faults.append("shard \(number): segment bytes") }
        if capacity != shard.segmentBytes.load(ordering: .relaxed) { faults.append("shard \(number): noted bytes") }
        records += count
      }
    }
    footprint += records * RecordTable.charge
    if footprint != store.ledger.bytes { faults.append("\(store.ledger.bytes) charged of \(footprint)") }
    for (token, bytes) in charged.values where isAlone {
      let below = token.chargedBytesBelow.load(ordering: .relaxed)
      if below != bytes { faults.append("token \(token.number) counts \(below) of \(bytes) bytes") }
    }
  }
}
