import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// How much stores may hold, event by event. All numbers are MiB.
@Suite struct MemoryGrowthTests {
  private enum Event {
    /// So many more are wanted than are held.
    case wants(Int, held: Int, MemoryGrowth.Action)
    /// A look for so many ends: what is spare; `nil` without limits.
    case sees(Int?, wanting: Int, held: Int)
    case falls(to: Int)
    /// What holds now.
    case is_(allowed: Int, isTight: Bool)
  }

  private static func left(spare: Int) -> MemoryLeft {
    let limit = 800 << 20
    return MemoryLeft(limit: limit, free: (spare << 20) + limit / 8 + (4 << 20))
  }

  private func run(_ events: [Event], line: Int = #line) {
    var growth = MemoryGrowth()
    for (number, event) in events.enumerated() {
      switch event {
      case .wants(let bytes, let held, let action):
        let answer = growth.wants(bytes << 20, held: held << 20)
        #expect(answer == action, "line \(line), event \(number)")
      case .sees(let spare, let bytes, let held):
        growth.sees(spare.map { Self.left(spare: $0) }, wanting: bytes << 20, held: held << 20)
      case .falls(let held): growth.falls(to: held << 20)
      case .is_(let allowed, let isTight):
        #expect(
          growth.allowed >> 20 == allowed && growth.isTight == isTight, "line \(line), event \(number): \(growth)")
      }
    }
  }

  @Test func `it looks first, and then with every step, which is a part of what is left`() {
    run([
      .wants(1, held: 0, .look), .sees(160, wanting: 1, held: 0), .is_(allowed: 20, isTight: false),
      .wants(1, held: 19, .grant), .wants(1, held: 20, .look), .sees(80, wanting: 1, held: 20),
      .is_(allowed: 30, isTight: false), .wants(1, held: 30, .look), .sees(4, wanting: 1, held: 30),
      // The least step.
      .is_(allowed: 31, isTight: false),
      // The largest.
      .wants(1, held: 31, .look), .sees(8000, wanting: 1, held: 31), .is_(allowed: 95, isTight: false),
    ])
  }

  @Test func `nobody waits for a look of another, unless next to nothing is left`() {
    run([
      .wants(1, held: 0, .look), .wants(1, held: 0, .grant), .sees(0, wanting: 1, held: 1),
      .is_(allowed: 1, isTight: true), .wants(4, held: 1, .look), .wants(1, held: 1, .refuse),
    ])
  }

  @Test
  func `when next to nothing is left, stores keep what they have, and a look comes with what they would have taken`() {
    run([
      .wants(1, held: 100, .look), .sees(0, wanting: 1, held: 100), .is_(allowed: 100, isTight: true),
      // A sixteenth of what is held.
      .wants(2, held: 100, .refuse), .wants(2, held: 100, .refuse), .wants(2, held: 99, .refuse),
      .wants(1, held: 99, .grant), .wants(2, held: 99, .look), .sees(16, wanting: 2, held: 99),
      .is_(allowed: 101, isTight: false),
    ])
  }

  @Test func `stores shrink by what is missing`() {
    run([
      .wants(1, held: 100, .look), .sees(-30, wanting: 1, held: 100), .is_(allowed: 70, isTight: true),
      .wants(7, held: 70, .look), .sees(-100, wanting: 7, held: 70), .is_(allowed: 0, isTight: true),
    ])
  }

  @Test func `a block that is larger than a step is kept, and one that is larger than what is left is not`() {
    run([
      .wants(20, held: 0, .look), .sees(40, wanting: 20, held: 0), .is_(allowed: 20, isTight: false),
      .wants(20, held: 20, .look), .sees(19, wanting: 20, held: 20), .is_(allowed: 20, isTight: true),
      .wants(8, held: 20, .look), .sees(19, wanting: 8, held: 20), .is_(allowed: 28, isTight: false),
    ])
  }

  @Test func `what is given back is not taken again without a look`() {
    run([
      .wants(1, held: 0, .look), .sees(160, wanting: 1, held: 0), .is_(allowed: 20, isTight: false),
      .falls(to: 10), .is_(allowed: 20, isTight: false), .falls(to: 0), .is_(allowed: 20, isTight: false),
      .wants(1, held: 20, .look), .sees(80, wanting: 1, held: 20), .is_(allowed: 30, isTight: false),
      .falls(to: 5), .is_(allowed: 15, isTight: false), .wants(11, held: 5, .look),
      // As far as a store that exchanges blocks gives back, it may take again.
      .sees(0, wanting: 11, held: 30), .is_(allowed: 30, isTight: true), .falls(to: 21),
      .is_(allowed: 25, isTight: true),
    ])
  }

  @Test func `without limits a look comes with every quarter of a GiB`() {
    run([
      .wants(1, held: 0, .look), .sees(nil, wanting: 1, held: 0), .is_(allowed: 256, isTight: false),
      .wants(1, held: 256, .look), .sees(nil, wanting: 1, held: 256), .is_(allowed: 512, isTight: false),
    ])
    var growth = MemoryGrowth()
    #expect(growth.wants(.max, held: .max) == .look)
    growth.sees(nil, wanting: .max, held: .max)
    #expect(!growth.isTight && growth.allowed > 0)
  }

  // MARK: stores

  @Test func `stores that would take more than the system leaves evict, and still keep what was read last`() {
    let spare = Locked(8 << 20)
    let held = { (store: MemoryStore) in store.statistics().bytes }
    let room = MemoryRoom { Self.left(bytes: spare.withLock { $0 }) }
    var configuration = MemoryStore.Configuration(limit: .mebibytes(256))
    configuration.room = room
    let store = MemoryStore(configuration)
    let source = FillSource(store.sources)
    let size = source.token.grid.blockSize
    // What the store takes, the system has less.
    func put(_ blocks: Range<Int>) {
      for block in blocks {
        let before = held(store)
        source.put(block, in: store)
        spare.withLock { $0 -= held(store) - before }
      }
    }
    let most = (8 << 20) / size
    put(0..<4 * most)
    #expect(held(store) > 6 << 20 && held(store) < 10 << 20)
    #expect(source.isIn(store, 4 * most - 1))
    // The program takes it all: the store gives up.
    spare.withLock { $0 = -(64 << 20) }
    put(4 * most..<6 * most)
    #expect(held(store) < 2 << 20)
    // And has it again.
    spare.withLock { $0 = 64 << 20 }
    put(6 * most..<8 * most)
    #expect(held(store) > 6 << 20)
  }

  private static func left(bytes: Int) -> MemoryLeft { MemoryLeft(limit: 0, free: bytes + (4 << 20)) }

  @Test func `stores that are gone give their room back`() {
    let room = MemoryRoom { nil }
    func use(beside held: Int) {
      var tiers = TieredChunkStore.Configuration(memory: .mebibytes(4), compressed: .mebibytes(2))
      tiers.memory.room = room
      for store in [TieredChunkStore(tiers), MemoryStore(tiers.memory)] as [any FullChunkStore] {
        let source = FillSource(store.sources)
        for block in 0..<10 { source.put(block, in: store) }
        #expect(room.heldByteCount > held + 40_960)
        withExtendedLifetime(store) {}
      }
    }
    var configuration = MemoryStore.Configuration(limit: .mebibytes(4))
    configuration.room = room
    let store = MemoryStore(configuration)
    FillSource(store.sources).put(0, in: store)
    let held = room.heldByteCount
    #expect(held > 4096)
    use(beside: held)
    #expect(room.heldByteCount == held)
  }
}
