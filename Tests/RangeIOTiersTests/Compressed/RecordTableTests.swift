import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Records by block, beside a dictionary.
struct RecordTableTests {
  private struct Key: Hashable {
    let token: UInt64
    let block: Int
    var hash: UInt64 { ChunkTable.hash(token: token, block: block) }
  }

  /// Noncopyable values cannot stand in expectations.
  private final class Holder {
    var table = RecordTable()

    func add(_ key: Key, lower: Int) -> UInt32 {
      var record = RecordTable.Record()
      (record.token, record.block) = (key.token, key.block)
      (record.lower, record.count) = (UInt32(lower), 1)
      return table.add(record, hash: key.hash)
    }

    func pieces(_ key: Key) -> [UInt32] {
      var found: [UInt32] = []
      var slot = table.first(token: key.token, block: key.block, hash: key.hash)
      while slot != 0 {
        found.append(table[slot].lower)
        slot = table[slot].next
      }
      return found.sorted()
    }
  }

  @Test(arguments: testSeeds) func `random operations agree with a dictionary`(_ seed: UInt64) {
    var random = TestRandom(seed)
    let holder = Holder()
    var model: [Key: [(lower: UInt32, slot: UInt32)]] = [:]
    var used: Set<UInt32> = []
    // Few blocks, so that chains are long; or many, so that the index grows and entries collide.
    let blocks = [5, 300, 4000][random.below(3)]
    for step in 0..<3000 {
      let key = Key(token: UInt64(1 + random.below(3)), block: random.below(blocks) << random.below(2) * 20)
      if random.below(5) < 3 {
        let slot = holder.add(key, lower: step)
        #expect(used.insert(slot).inserted, "seed \(seed): slot \(slot) given out twice")
        model[key, default: []].append((UInt32(step), slot))
      } else if let records = model[key], !records.isEmpty {
        let index = random.below(records.count)
        holder.table.remove(records[index].slot)
        used.remove(records[index].slot)
        model[key]?.remove(at: index)
        if model[key]?.isEmpty == true { model[key] = nil }
      }
      guard holder.pieces(key) == (model[key] ?? []).map(\.lower).sorted() else {
        Issue.record("seed \(seed), step \(step): block \(key.block)")
        return
      }
    }
    #expect(holder.table.count == model.values.reduce(0) { $0 + $1.count }, "seed \(seed)")
    for (key, records) in model { #expect(holder.pieces(key) == records.map(\.lower).sorted(), "seed \(seed)") }
    for slot in model.values.joined().map(\.slot) { holder.table.remove(slot) }
    #expect(holder.table.count == 0)
    #expect(model.keys.allSatisfy { holder.pieces($0).isEmpty })
  }

  @Test func `chains grow and shrink while the index is being moved`() {
    let holder = Holder()
    var last = 0
    while last < 3000 || holder.table.bucketsToMove < 2000 {
      _ = holder.add(Key(token: 1, block: last), lower: 1)
      last += 1
    }
    // A key that is not moved yet has its chain in the old index; a step of moving takes the chain along.
    for block in stride(from: 0, to: last, by: 29) { _ = holder.add(Key(token: 1, block: block), lower: 2) }
    #expect(holder.table.bucketsToMove > 0)
    for block in 0..<last {
      let key = Key(token: 1, block: block)
      #expect(holder.pieces(key) == (block % 29 == 0 ? [1, 2] : [1]))
      // The first of the chain in one half, the last of it in the other.
      var slot = holder.table.first(token: 1, block: block, hash: key.hash)
      if block % 2 == 0, holder.table[slot].next != 0 { slot = holder.table[slot].next }
      holder.table.remove(slot)
      #expect(holder.pieces(key).count == (block % 29 == 0 ? 1 : 0))
    }
    #expect(holder.table.count == (last + 28) / 29)
  }

  @Test func `slots that were given back are used again, and slot 0 never`() {
    let holder = Holder()
    for round in 0..<5 {
      let slots = (0..<2000).map { holder.add(Key(token: 1, block: $0), lower: round) }
      #expect(!slots.contains(0))
      #expect(Set(slots).count == 2000)
      #expect(holder.table.slotsUsed == 2001)
      for slot in slots { holder.table.remove(slot) }
    }
    #expect(holder.table.count == 0)
  }

  @Test func `what a record is charged covers it and its share of the index`() {
    #expect(MemoryLayout<RecordTable.Record>.stride == 64)
    // Buckets of 8 bytes, of which at least three in eight are in use.
    #expect(RecordTable.charge >= 64 + 8 * 8 / 3 - 6)
  }
}
