import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// The index of a shard, beside a dictionary.
@Suite struct BlockIndexTests {
  /// The notes that a reader finds for a hash, with those that only seem to have it.
  private func found(_ hash: UInt64, in index: borrowing BlockIndex) -> Set<UInt> {
    let page = BlockIndex.page(index.root, hash)
    var place = BlockIndex.firstPlace(hash)
    var notes: Set<UInt> = []
    while true {
      let entry = BlockIndex.next(hash, in: page, from: &place)
      guard entry != 0 else { return notes }
      #expect(BlockIndex.has(entry, in: page, at: place))
      notes.insert(BlockIndex.note(of: entry))
      place = BlockIndex.place(after: place)
    }
  }

  /// Hashes that are dense, that share their lower bits, that share those by which pages are split, and any.
  private static let hashes: [@Sendable (inout TestRandom) -> UInt64] = [
    { UInt64($0.below(3000)) << 14 }, { UInt64($0.below(1000)) << 20 },
    { UInt64($0.below(60)) | UInt64($0.below(8)) << 41 },
    // As a store makes them, of blocks in a row: pages are not split evenly.
    { ChunkTable.hash(token: 1, block: $0.below(4000)) },
    { $0.next() },
  ]

  @Test(arguments: 0..<hashes.count) func `what is added, exchanged and removed is found, or not`(_ kind: Int) {
    for seed in UInt64(1)...5 {
      var random = TestRandom(seed)
      let memory = IndexMemory()
      var index = BlockIndex(memory)
      var known: [UInt64: Set<UInt>] = [:]
      var hashes: [UInt: UInt64] = [:]
      var (count, last): (Int, UInt) = (0, 0)
      func next(_ hash: UInt64) -> UInt {
        last += 16
        hashes[last << 20] = hash
        return last << 20
      }
      for step in 0..<6000 {
        let hash = Self.hashes[kind](&random)
        // Grows at first, then shrinks and grows.
        let grows = step < 3000 ? random.below(4) > 0 : random.below(2) == 0
        if grows, known[hash, default: []].count < 3, index.hasRoom(for: hash) {
          let note = next(hash)
          index.add(note, hash: hash) { hashes[$0]! }
          known[hash, default: []].insert(note)
          count += 1
        } else if let hash = known.keys.randomElement(using: &random),
          let note = known[hash]!.randomElement(using: &random)
        {
          known[hash]!.remove(note)
          if random.below(3) == 0 {
            let other = next(hash)
            index.exchange(note, for: other, hash: hash)
            known[hash]!.insert(other)
          } else {
            index.remove(note, hash: hash)
            if known[hash]!.isEmpty { known[hash] = nil }
            count -= 1
          }
        }
        #expect(found(hash, in: index).filter { hashes[$0] == hash } == known[hash, default: []])
      }
      #expect(count > 100, "seed \(seed)")
      let present = Set(known.values.joined())
      for (hash, notes) in known {
        let found = found(hash, in: index)
        #expect(found.isSuperset(of: notes) && found.isSubset(of: present))
      }
    }
  }

  @Test func `what was removed or exchanged is not where a reader found it`() {
    var index = BlockIndex(IndexMemory())
    // All belong to one bucket.
    for number in 1...20 { index.add(UInt(number * 64), hash: 7) { _ in 7 } }
    func seen() -> [(entry: UInt, place: Int)] {
      let page = BlockIndex.page(index.root, 7)
      var (place, all): (Int, [(UInt, Int)]) = (BlockIndex.firstPlace(7), [])
      while case let entry = BlockIndex.next(7, in: page, from: &place), entry != 0 {
        all.append((entry, place))
        place = BlockIndex.place(after: place)
      }
      return all
    }
    let before = seen()
    let page = BlockIndex.page(index.root, 7)
    #expect(before.count == 20 && before.allSatisfy { BlockIndex.has($0.entry, in: page, at: $0.place) })
    index.exchange(UInt(3 * 64), for: 4096, hash: 7)
    index.remove(UInt(5 * 64), hash: 7)
    // The fifth leaves a hole, which those after it fill one by one.
    for (entry, place) in before {
      let number = BlockIndex.note(of: entry) / 64
      #expect(BlockIndex.has(entry, in: page, at: place) == [1, 2, 4].contains(number), "\(number)")
    }
    #expect(Set(seen().map { BlockIndex.note(of: $0.entry) }).count == 19)
  }

  @Test(arguments: [0, 4]) func `addresses with a tag come back as they were`(tagBitCount: Int) {
    for tag in UInt(0)..<1 << UInt(tagBitCount) {
      for address in [UInt(16), 0x7F12_3456_7890, 0xFFFF_FFFF_FFF0] {
        let note = address | tag << 56
        let entry = BlockIndex.entry(note, .max, tagBitCount: tagBitCount)
        #expect(BlockIndex.note(of: entry, tagBitCount: tagBitCount) == note)
        #expect(entry & (1 << UInt(20 - tagBitCount) - 1) == 1 << UInt(20 - tagBitCount) - 1)
      }
    }
  }

  @Test func `hashes that are all alike are refused in time`() {
    var index = BlockIndex(IndexMemory())
    var count = 0
    while index.hasRoom(for: 77) {
      count += 1
      index.add(UInt(count * 64), hash: 77) { _ in 77 }
    }
    let notes = found(77, in: index).count
    let (hasOther, hasFar) = (index.hasRoom(for: 76), index.hasRoom(for: 1 << 20))
    #expect(count == 127 && notes == 127 && !hasOther && hasFar)
    index.remove(64, hash: 77)
    let hasRoom = index.hasRoom(for: 77)
    #expect(hasRoom)
  }

  private static func hash(_ number: Int) -> UInt64 { UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15 }

  @Test func `what an index gives back serves the next one`() {
    let memory = IndexMemory()
    var most = 0
    for round in 0..<20 {
      var index = BlockIndex(memory)
      for number in 1...2000 {
        index.add(UInt(number * 64), hash: Self.hash(number)) { Self.hash(Int($0 / 64)) }
      }
      for number in 1...2000 {
        #expect(found(Self.hash(number), in: index).contains(UInt(number * 64)))
      }
      if round == 0 { most = memory.byteCount }
    }
    #expect(memory.byteCount == most && most < 2000 * 32)
  }
}
