import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Blocks whose numbers are too large for the key of an index are never kept, and never found: not as another block whose
/// key is what is left of theirs.
@Suite struct LargestBlocksTests {
  @Test func `a block of memory is not found under a number that only ends as its own`() {
    var table = ChunkTable(IndexMemory())
    let hash = ChunkTable.hash(token: 3, block: 5)
    let bytes = BlockBacking.claimedCopy(of: Bytes(count: 16) { _ in })!
    let backing = Unmanaged.passRetained(unsafeDowncast(bytes.owner!, to: BlockBacking.self))
    let slot = table.add(token: 3, block: 5, hash: hash, lower: 0, owner: backing)
    // Whoever chooses offsets can find one whose hash is the same, too: 20 bits of it are compared.
    for (token, block) in [(2, 5 | 1 << 48), (0, 5 | 3 << 48), (3, 5 | 1 << 60), (3, 5 | 1 << 48), (1 << 48 | 3, 5)] {
      #expect(table.find(token: UInt64(token), block: block, hash: hash) == 0, "\(token), \(block)")
    }
    #expect(table.find(token: 3, block: 5, hash: hash) == slot)
    #expect(table.find(token: 3, block: -5, hash: hash) == 0)
  }

  @Test func `memory neither keeps nor finds blocks beyond the largest`() {
    let store = MemoryStore(limit: .mebibytes(1))
    let source = StoredSource(store, byteCount: .max, blockSize: 1)
    let far = (1 << 48) + 5
    for range in [far..<far + 1, far - 20..<far + 20, .max - 1 ..< .max] {
      #expect(!source.put(range))
      #expect(source.read(range) == nil && !source.contains(range))
      #expect(!store.holdsSome(of: range, token: source.token.number, grid: source.token.grid))
      let parts = store.explain(range, token: source.token.number, grid: source.token.grid)
      #expect(Set(parts.map(\.origin)) == [.source])
    }
    let last = (1 << 48) - 4
    #expect(source.put(last..<last + 1) && source.holds(last..<last + 1))
  }

  @Test func `a disk does not serve one source's block as another's that is 2^40 blocks on`() async throws {
    let spill = SimulatedSpill { $0.time = ReadClock(ManualClock()) }
    let store = try spill.open()
    let sources = ["a", "b"].map { FillSource(store.sources, id: $0, byteCount: 1 << 54, blockSize: 4096) }
    for isWritten in [false, true] {
      // The numbers of their slots differ in the lowest bit: that is where the block's upper bits would end up.
      for source in sources { source.put(5, in: store) }
      if isWritten { try await store.flush() }
      for source in sources {
        for block in [5 | 1 << 40, 5 | 3 << 40] {
          let range = source.block(block)
          #expect(source.read(range, in: store) == [])
          #expect(!source.isIn(store, block))
          #expect(!store.holdsSome(of: range, token: source.token.number, grid: source.token.grid))
          let parts = store.explain(range, token: source.token.number, grid: source.token.grid)
          #expect(Set(parts.map(\.origin)) == [.source])
          #expect(!source.put(block, in: store))
        }
        #expect(source.read(source.block(5), in: store) == [source.block(5)])
      }
    }
    #expect(store.miscounts() == [])
  }

  @Test func `tiers find no block beyond the largest, whatever they are made of`() async throws {
    let spill = SimulatedSpill()
    let disk = try spill.open()
    let memory = MemoryStore(.init(limit: .mebibytes(1)), sources: disk.sources)
    let store = TieredStore(memory, disk)
    let source = FillSource(store.sources, byteCount: 1 << 54, blockSize: 4096)
    source.put(5, in: disk)
    for block in [5 | 1 << 40, 5 | 1 << 41] {
      let range = source.block(block)
      #expect(source.read(range, in: store) == [] && !store.contains(range, of: source.source))
      let parts = store.explain(range, token: source.token.number, grid: source.token.grid)
      #expect(Set(parts.map(\.origin)) == [.source])
    }
  }
}
