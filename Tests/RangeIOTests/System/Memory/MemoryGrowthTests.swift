import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// How much stores may hold, event by event. All numbers are MiB.
@Suite struct MemoryGrowthTests {
  private enum Event {
    /// So many more are wanted than are held.
    case wants(Int, held: Int, MemoryGrowth.Action)
    /// A look for so many ends: what is spare; `nil` without limits. So many are held and not used yet.
    case sees(Int?, wanting: Int, held: Int, due: Int = 0)
    case falls(to: Int)
    /// What holds now.
    case is_(allowed: Int, isTight: Bool)
  }

  private static func left(spare: Int) -> MemoryLeft { left(bytes: spare << 20) }

  private static func left(bytes: Int) -> MemoryLeft {
    var left = MemoryLeft(limit: 800 << 20, free: 0)
    left.free = bytes - left.spare
    return left
  }

  private func run(_ events: [Event], line: Int = #line) {
    var growth = MemoryGrowth()
    for (number, event) in events.enumerated() {
      switch event {
      case .wants(let bytes, let held, let action):
        let answer = growth.wants(bytes << 20, held: held << 20)
        #expect(answer == action, "line \(line), event \(number)")
      case .sees(let spare, let bytes, let held, let due):
        growth.sees(spare.map { Self.left(spare: $0) }, wanting: bytes << 20, held: held << 20, due: due << 20)
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
      .wants(1, held: 31, .look), .sees(80_000, wanting: 1, held: 31), .is_(allowed: 95, isTight: false),
    ])
  }

  @Test func `no task waits for the look of another, unless next to nothing is left`() {
    run([
      .wants(1, held: 0, .look), .wants(1, held: 0, .grant), .sees(0, wanting: 1, held: 1),
      .is_(allowed: 1, isTight: true), .wants(4, held: 1, .look), .wants(1, held: 1, .refuse),
    ])
  }

  @Test func `while a look is under way, stores grow by one step more`() {
    run([
      .wants(1, held: 0, .look), .wants(2, held: 0, .refuse), .wants(1, held: 0, .grant), .wants(1, held: 1, .refuse),
      .sees(160, wanting: 1, held: 1), .is_(allowed: 21, isTight: false),
      .wants(1, held: 21, .look), .wants(15, held: 21, .grant), .wants(6, held: 36, .refuse),
      .wants(5, held: 36, .grant),
      .wants(1, held: 41, .refuse), .sees(80, wanting: 1, held: 41), .is_(allowed: 51, isTight: false),
      .wants(1, held: 51, .look), .wants(10, held: 51, .grant),
    ])
  }

  @Test func `what is reserved and not used yet is not left`() {
    run([
      .wants(1, held: 100, .look), .sees(160, wanting: 1, held: 100, due: 80), .is_(allowed: 110, isTight: false),
      .wants(1, held: 110, .look), .sees(160, wanting: 1, held: 110, due: 190), .is_(allowed: 80, isTight: true),
      .wants(5, held: 80, .look), .sees(nil, wanting: 5, held: 80, due: 190), .is_(allowed: 336, isTight: false),
    ])
  }

  @Test
  func `when next to nothing is left, stores keep what they have, and a look comes with what they would have taken`() {
    run([
      .wants(1, held: 100, .look), .sees(0, wanting: 1, held: 100), .is_(allowed: 100, isTight: true),
      // A sixteenth of what is held.
      .wants(2, held: 100, .refuse), .wants(2, held: 100, .refuse), .wants(2, held: 99, .refuse),
      .wants(1, held: 99, .grant), .wants(2, held: 99, .look), .sees(64, wanting: 2, held: 99),
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
    let held = { (store: MemoryStore) in store.counts().bytes }
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
    // And has it again, after a while.
    spare.withLock { $0 = 64 << 20 }
    put(6 * most..<24 * most)
    #expect(held(store) > 6 << 20)
  }

  @Test func `what others take while one looks is bounded`() {
    // What is left is the same each time, since what is taken is not used.
    let tenant = PublishedOnce<RoomTenant>()
    let room = MemoryRoom {
      for _ in 0..<1000 { _ = tenant.value?.take(1 << 20) }
      return Self.left(spare: 100)
    }
    let first = tenant.publish(RoomTenant(in: room))
    #expect(first.take(1 << 20))
    #expect(room.heldByteCount == 2 << 20)
  }

  @Test func `reads in flight reserve no more than is left, with what they read`() throws {
    var configuration = MemoryStore.Configuration(limit: .gibibytes(4))
    configuration.room = MemoryRoom { Self.left(spare: 100) }
    let store = MemoryStore(configuration)
    let source = FillSource(store.sources, byteCount: 4 << 30, blockSize: 65_536)
    func reserve() -> [ChunkReservation] {
      (0..<1000).compactMap { store.reserve($0 << 20..<($0 + 1) << 20, ofRun: 1 << 20, for: source.token) }
    }
    let reservations = reserve()
    #expect(reservations.count > 4 && reservations.count < 20, "\(reservations.count)")
    for reservation in reservations { store.cancel(reservation) }
    #expect(reserve().count > 4)
  }

  @Test func `what the rest of the program took for a moment stays free for it, for a while`() {
    run([
      .wants(1, held: 0, .look), .sees(160, wanting: 1, held: 0), .wants(1, held: 20, .look),
      .sees(-4, wanting: 1, held: 20), .is_(allowed: 16, isTight: true), .wants(4, held: 16, .look),
      .sees(144, wanting: 4, held: 16), .is_(allowed: 20, isTight: false), .wants(1, held: 20, .look),
      .sees(140, wanting: 1, held: 20), .is_(allowed: 21, isTight: false),
    ])
  }

  @Test func `an idle store gives up what others need, until they have as much`() {
    let held = { (store: MemoryStore) in store.counts().bytes }
    let spare = Locked(8 << 20)
    var configuration = MemoryStore.Configuration(limit: .mebibytes(256))
    let room = MemoryRoom { Self.left(bytes: spare.withLock { $0 }) }
    configuration.room = room
    let (idle, busy) = (MemoryStore(configuration), MemoryStore(configuration))
    // What stores take, the system has less.
    func put(_ blocks: Range<Int>, in store: MemoryStore, of source: FillSource) {
      for block in blocks {
        source.put(block, in: store)
        spare.withLock { $0 = (8 << 20) - room.heldByteCount }
      }
    }
    put(0..<8000, in: idle, of: FillSource(idle.sources))
    let all = held(idle)
    #expect(all > 6 << 20)
    let source = FillSource(busy.sources)
    put(0..<500, in: busy, of: source)
    #expect((0..<500).allSatisfy { source.isIn(busy, $0) })
    put(0..<4000, in: busy, of: source)
    #expect(abs(held(idle) - held(busy)) < 1 << 20, "\(held(idle)) \(held(busy))")
    #expect(held(idle) + held(busy) > all - (1 << 20))
    // The program takes some of it: both give up, whichever of them is in use.
    spare.withLock { $0 = -(4 << 20) }
    var blocks = 4000
    while held(idle) + held(busy) > all - (3 << 20), blocks < 20_000 {
      source.put(blocks, in: busy)
      blocks += 1
    }
    #expect(abs(held(idle) - held(busy)) < 2 << 20, "\(held(idle)) \(held(busy))")
    #expect(held(busy) > 1 << 20)
  }

  @Test func `compressed memory that gives up for others keeps what is pinned, and asks no other tier for more`() throws
  {
    let spare = Locked(64 << 20)
    let room = MemoryRoom { Self.left(bytes: spare.withLock { $0 }) }
    var tiers = TieredStore.Configuration(memory: .mebibytes(1), compressed: .mebibytes(1))
    tiers.memory.room = room
    tiers.compressed.codec = FillCodec()
    tiers.compressed.shards = 1
    let store = TieredStore(tiers)
    let compressed = try #require(store.memory?.compressed)
    let tenant = try #require(store.budget).tenant
    let source = FillSource(store.sources)
    let pinned = 0..<100
    #expect(source.token.entry.pin(source.block(pinned.lowerBound).lowerBound..<source.block(100).lowerBound))
    for block in 0..<300 { source.put(block, in: compressed) }
    // The program takes all there is, and more than stores can give up.
    spare.withLock { $0 = -(64 << 20) }
    tenant.charge(64 << 20)
    #expect(!RoomTenant(in: room).take(4096))
    #expect(room.missing(0) > 0)
    let asked = Locked(0)
    tenant.add { _ in
      asked.withLock { $0 += 1 }
      return 0
    }
    let copied = compressed.counts().segmentsFreed
    _ = compressed.drop(1 << 20)
    #expect(compressed.counts().segmentsFreed > copied)
    #expect(asked.withLock { $0 } == 0)
    #expect(pinned.allSatisfy { source.isIn(compressed, $0) } && !source.isIn(compressed, 100))
    tenant.charge(-(64 << 20))
  }

  @Test func `stores that are gone give their room back`() {
    let room = MemoryRoom { nil }
    func use(beside held: Int) {
      var tiers = TieredStore.Configuration(memory: .mebibytes(4), compressed: .mebibytes(2))
      tiers.memory.room = room
      for store in [TieredStore(tiers), MemoryStore(tiers.memory)] as [any FullChunkStore] {
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
