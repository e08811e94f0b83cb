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
