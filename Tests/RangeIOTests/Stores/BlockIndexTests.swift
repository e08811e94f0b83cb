import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// The index of a shard, beside a dictionary.
@Suite struct BlockIndexTests {
  private struct Entry: Equatable {
    var note: UInt
    let slot: UInt32
  }

  /// The notes with a tag that a reader finds, in any order.
  private func found(_ tag: UInt32, in index: borrowing BlockIndex) -> [Entry] {
    let page = BlockIndex.page(index.root, tag)
    var place = BlockIndex.firstPlace(tag)
    var entries: [Entry] = []
    while true {
      let note = BlockIndex.next(tag, in: page, from: &place)
      guard note != 0 else { return entries }
      entries.append(Entry(note: note, slot: UInt32(BlockIndex.slot(in: page, at: place))))
      place = BlockIndex.place(after: place)
    }
  }

  /// Tags that are dense, that share their lower bits, that share those by which pages are split, and any.
  private static let tags: [@Sendable (inout TestRandom) -> UInt32] = [
    { UInt32($0.below(3000)) }, { UInt32($0.below(1000)) << 7 }, { UInt32($0.below(60)) | UInt32($0.below(8)) << 28 },
    { UInt32(truncatingIfNeeded: $0.next()) },
  ]

  @Test(arguments: 0..<tags.count) func `what is added, exchanged and removed is found, or not`(_ kind: Int) {
    for seed in UInt64(1)...5 {
      var random = TestRandom(seed)
      let memory = IndexMemory()
      var index = BlockIndex(memory)
      var known: [UInt32: [Entry]] = [:]
      var (count, last): (Int, UInt) = (0, 0)
      for step in 0..<6000 {
        let tag = Self.tags[kind](&random)
        // Grows at first, then shrinks and grows.
        let grows = step < 3000 ? random.below(4) > 0 : random.below(2) == 0
        if grows, known[tag, default: []].count < 3, index.hasRoom(for: tag) {
          last += 64
          index.add(last, tag: tag, slot: UInt32(step))
          known[tag, default: []].append(Entry(note: last, slot: UInt32(step)))
          count += 1
        } else if let tag = known.keys.randomElement(using: &random),
          let entry = known[tag]!.randomElement(using: &random)
        {
          if random.below(3) == 0 {
            last += 64
            index.exchange(entry.note, for: last, tag: tag)
            known[tag]![known[tag]!.firstIndex(of: entry)!].note = last
          } else {
            index.remove(entry.note, tag: tag)
            known[tag]!.removeAll { $0 == entry }
            if known[tag]!.isEmpty { known[tag] = nil }
            count -= 1
          }
        }
        #expect(
          found(tag, in: index).sorted { $0.note < $1.note } == known[tag, default: []].sorted { $0.note < $1.note })
      }
      #expect(count > 100, "seed \(seed)")
      for (tag, entries) in known { #expect(Set(found(tag, in: index).map(\.note)) == Set(entries.map(\.note))) }
    }
  }

  @Test func `hashes that are all alike are refused in time`() {
    var index = BlockIndex(IndexMemory())
    var count = 0
    while index.hasRoom(for: 77) {
      count += 1
      index.add(UInt(count * 64), tag: 77, slot: UInt32(count))
    }
    let notes = found(77, in: index).count
    let (hasOther, hasFar) = (index.hasRoom(for: 76), index.hasRoom(for: 1 << 7))
    #expect(count == 127 && notes == 127 && !hasOther && hasFar)
    index.remove(64, tag: 77)
    let hasRoom = index.hasRoom(for: 77)
    #expect(hasRoom)
  }

  @Test func `what an index gives back serves the next one`() {
    let memory = IndexMemory()
    var most = 0
    for round in 0..<20 {
      var index = BlockIndex(memory)
      for number in 1...2000 {
        index.add(UInt(number * 64), tag: UInt32(truncatingIfNeeded: number &* 0x9E37_79B1), slot: 0)
      }
      for number in 1...2000 {
        #expect(
          found(UInt32(truncatingIfNeeded: number &* 0x9E37_79B1), in: index).contains { $0.note == UInt(number * 64) })
      }
      if round == 0 { most = memory.byteCount }
    }
    #expect(memory.byteCount == most && most < 2000 * 64)
  }
}
