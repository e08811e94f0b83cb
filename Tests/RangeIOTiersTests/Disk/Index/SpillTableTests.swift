import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

struct SpillTableTests {
  private struct Key: Hashable {
    let source: Int
    let block: Int
  }

  @Test(arguments: testSeeds)
  func `it finds what a dictionary finds`(_ seed: UInt64) {
    var random = TestRandom(seed)
    var table = SpillTable()
    var expected: [Key: UInt32] = [:]
    let blocks = [4, 60, 4000][random.below(3)]
    for step in 0..<3000 {
      let block = random.below(8) == 0 ? Int(SpillTable.maxBlock) - random.below(3) : random.below(blocks)
      let key = Key(source: random.below(4), block: block)
      let slot = table.find(source: key.source, block: key.block)
      #expect((slot != 0) == (expected[key] != nil))
      if slot != 0 {
        #expect(table[slot].source == key.source && table[slot].block == key.block)
        #expect(table[slot].stored == expected[key])
      }
      if random.below(3) > 0 {
        let fetchedAt = Int64(random.below(1 << 40)) * 1_000_000
        let record = SpillTable.Record(segment: 3, offset: step * 8, stored: UInt32(step), fetchedAt: fetchedAt)
        let before = table.set(source: key.source, block: key.block, record)
        #expect(before?.stored == expected[key])
        let found = table[table.find(source: key.source, block: key.block)]
        #expect(found.birthMilliseconds == fetchedAt / 1_000_000 && found.offset == step * 8 && found.hits == 0)
        expected[key] = UInt32(step)
      } else if slot != 0 {
        table.remove(slot)
        expected[key] = nil
      }
      #expect(table.count == expected.count)
    }
    for (key, stored) in expected { #expect(table[table.find(source: key.source, block: key.block)].stored == stored) }
    #expect(table.find(source: 0, block: Int(SpillTable.maxBlock) + 1) == 0)
  }

  @Test func `a block takes at most 72 bytes of memory, with what remembers those that were evicted`() {
    var table = SpillTable()
    var admission = SpillAdmission()
    var most = 0.0
    for block in 0..<130_000 {
      table.set(source: block & 3, block: block >> 2, SpillTable.Record(segment: 0, offset: 0, stored: 1, fetchedAt: 0))
      // As full as it gets: as many as there are blocks.
      admission.saw(UInt64(block), among: table.count)
      admission.evicted(UInt64(block) | 1 << 50, among: table.count)
      guard table.count >= 20_000 else { continue }
      most = max(most, Double(table.byteCount + admission.byteCount) / Double(table.count))
    }
    print("an index takes at most \(most) bytes a block from 20,000 blocks on")
    #expect(most <= 72)
  }

  @Test func `it grows in steps, and finds and forgets all that is in it meanwhile`() {
    var table = SpillTable()
    var expected: Set<Int> = []
    var steps = 0
    for block in 0..<20_000 {
      let before = table.bucketsToMove
      table.set(source: 1, block: block, SpillTable.Record(segment: 0, offset: 0, stored: 1, fetchedAt: 0))
      expected.insert(block)
      // What it moves of the old index at once is bounded.
      #expect(before == 0 || before - table.bucketsToMove <= SpillTable.movedAtOnce)
      guard table.bucketsToMove > 0 else { continue }
      steps += 1
      if block % 3 == 0, expected.remove(block / 2) != nil { table.remove(table.find(source: 1, block: block / 2)) }
      if steps % 64 == 0 {
        for block in 0..<block { #expect((table.find(source: 1, block: block) != 0) == expected.contains(block)) }
      }
    }
    #expect(steps > 500 && table.count == expected.count)
    for block in 0..<20_000 {
      let found = table.find(source: 1, block: block)
      #expect((found != 0) == expected.contains(block))
      if found != 0 { table.remove(found) }
    }
    #expect(table.count == 0)
  }

  @Test func `marks of a record do not touch each other`() {
    var record = SpillTable.Record(segment: 7, offset: 1 << 33, stored: .max, fetchedAt: 1_700_000_000_123_456_789)
    for hits in 0...SpillTable.Record.maxHits {
      record.hits = hits
      #expect(record.hits == hits && record.isUsed && record.birthMilliseconds == 1_700_000_000_123)
    }
    record.birthMilliseconds = -5
    #expect(record.birthMilliseconds == 0 && record.hits == 3 && record.isUsed)
    #expect(record.offset == 1 << 33 && record.segment == 7)
  }
}
