import Synchronization
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Segments and records, event by event, without a store.
struct CompressedShardTests {
  /// Noncopyable values cannot stand in expectations.
  private final class Holder {
    let ledger = CompressedLedger(limit: .max, budget: nil)
    let sources = ChunkSources()
    let fill: FillSource
    var shard = CompressedShard()

    init() { fill = FillSource(sources) }

    func memory(_ capacity: Int = 4096) -> SegmentMemory {
      _ = ledger.take(SegmentMemory.footprint(of: capacity))
      return SegmentMemory(capacity, chargedTo: ledger)!
    }

    func allocate(_ stored: Int, _ fresh: SegmentMemory?) -> CompressedShard.Place? { shard.allocate(stored, fresh) }

    func move(_ slot: UInt32, from old: CompressedShard.Place, to new: CompressedShard.Place) -> Bool {
      shard.move(slot, from: old, to: new)
    }

    func takeEmptySegments() -> Int { shard.takeEmptySegments().count }

    /// A place in the open segment, or in a new one.
    func place(_ stored: Int, fresh capacity: Int = 4096) -> CompressedShard.Place? {
      shard.allocate(stored, nil) ?? shard.allocate(stored, memory(capacity))
    }

    func publish(
      _ block: Int, _ part: Range<Int> = 0..<4096, at place: CompressedShard.Place, ticket: ChunkTicket? = nil
    )
      -> Int?
    {
      var record = RecordTable.Record()
      (record.token, record.block) = (fill.token.number, block)
      (record.lower, record.count) = (UInt32(part.lowerBound), UInt32(part.count))
      return shard.publish(record, at: place, ticket: ticket ?? fill.token.ticket(fetchedAt: .init(nanoseconds: 0)))
    }

    /// Publishes a block of so many encoded bytes.
    @discardableResult func store(_ block: Int, _ stored: Int) -> UInt32 {
      let place = place(stored)!
      _ = publish(block, at: place)
      return slot(block)
    }

    func slot(_ block: Int) -> UInt32 {
      shard.table.first(
        token: fill.token.number, block: block, hash: ChunkTable.hash(token: fill.token.number, block: block))
    }

    func blocks(_ draining: CompressedShard.Draining?) -> [Int] {
      draining?.survivors.map { shard.table[$0.slot].block } ?? []
    }

    func drain(most: Double = 0.25) -> CompressedShard.Draining? { shard.beginDraining(collecting: true, most: most) }
  }

  private let holder = Holder()

  @Test func `places lie one after the other, eight bytes apart and aligned`() throws {
    let first = try #require(holder.place(100))
    let second = try #require(holder.place(8))
    let third = try #require(holder.place(1))
    #expect([first, second, third].map(\.offset) == [8, 120, 136])
    #expect(Set([first, second, third].map(\.segment)) == [0])
    #expect(third.bytes.count == 1)
  }

  @Test func `a segment that is full is sealed, and its number given out again when it has gone`() throws {
    holder.store(0, 4088)
    holder.store(1, 4088)
    holder.store(2, 4088)
    #expect(holder.shard.sealed == [0, 1])
    #expect(holder.shard.open == 2)
    let draining = try #require(holder.drain())
    #expect(draining.number == 0)
    #expect(draining.evicted.map(\.block) == [0])
    _ = holder.shard.endDraining(0)
    #expect(holder.shard.segmentBytes == 8192)
    holder.store(3, 4088)
    #expect(holder.shard.open == 0)
    #expect(holder.shard.sealed == [1, 2])
  }

  @Test func `one that was made for a large record does not end the open one`() throws {
    holder.store(0, 100)
    let large = try #require(holder.allocate(10_000, holder.memory(10_008)))
    #expect(holder.publish(1, at: large) == 0)
    #expect(holder.shard.open == 0)
    #expect(holder.shard.sealed == [1])
    holder.store(2, 100)
    #expect(holder.shard.table[holder.slot(2)].segment == 0)
    // The first of all is filled by it and open for a moment.
    let alone = Holder()
    _ = alone.publish(0, at: try #require(alone.place(10_000, fresh: 10_008)))
    #expect(alone.shard.open == 0)
    alone.store(1, 100)
    #expect(alone.shard.sealed == [0])
  }

  @Test func `a place that was given up is passed over`() throws {
    let place = try #require(holder.place(100))
    holder.store(1, 100)
    #expect(holder.drain() == nil, "somebody is still writing")
    holder.shard.abandon(place)
    let draining = try #require(holder.drain())
    #expect(draining.evicted.map(\.block) == [1])
    #expect(holder.shard.open == nil)
  }

  @Test func `what was removed while it was on its way is not found, and its charge is given back`() throws {
    let (first, second) = (try #require(holder.place(100)), try #require(holder.place(100)))
    let ticket = holder.fill.token.ticket(fetchedAt: .init(nanoseconds: 0))
    holder.fill.token.raiseGeneration()
    #expect(holder.publish(0, at: first, ticket: ticket) == nil)
    #expect(holder.publish(0, at: second) == 0)
    #expect(holder.shard.counts.stale == 1)
    #expect(holder.fill.token.chargedBytesBelow.load(ordering: .relaxed) == 100)
    holder.shard.remove(holder.slot(0))
    #expect(holder.fill.token.chargedBytesBelow.load(ordering: .relaxed) == 0)
    #expect(holder.shard.sources.all.isEmpty)
  }

  @Test func `a piece takes the place of those that it covers, and a ninth that of the smallest`() throws {
    let parts = [0..<500, 500..<1000, 1000..<1010, 1100..<1600, 2000..<2500, 2500..<3000, 3000..<3500, 3600..<4000]
    for part in parts { #expect(holder.publish(0, part, at: try #require(holder.place(10))) == 0) }
    #expect(holder.publish(0, 4001..<4002, at: try #require(holder.place(10))) == 1)
    func pieces() -> [Range<Int>] {
      let hash = ChunkTable.hash(token: holder.fill.token.number, block: 0)
      return holder.shard.slots(holder.fill.token.number, 0, hash).map { holder.shard.table[$0].piece }
        .sorted { $0.lowerBound < $1.lowerBound }
    }
    // Not the new one, though it is smaller still.
    #expect(pieces() == parts.filter { $0 != 1000..<1010 } + [4001..<4002])
    #expect(holder.publish(0, 400..<3500, at: try #require(holder.place(10))) == 5)
    #expect(pieces() == [0..<500, 400..<3500, 3600..<4000, 4001..<4002])
    #expect(holder.publish(0, 0..<4096, at: try #require(holder.place(10))) == 4)
    #expect(pieces() == [0..<4096])
    #expect(holder.publish(0, 0..<4096, at: try #require(holder.place(20))) == 1)
    #expect(holder.shard.table.count == 1)
    #expect(holder.shard.storedBytes == 20)
    #expect(holder.shard.rawBytes == 4096)
  }

  @Test func `what was read is copied on, up to a quarter of the segment`() throws {
    // Eight to a segment.
    for block in 0..<9 { holder.store(block, 500) }
    for block in 0..<8 { holder.shard.table[holder.slot(block)].isTouched = true }
    let draining = try #require(holder.drain())
    #expect(holder.blocks(draining) == [0, 1])
    #expect(draining.evicted.map(\.block) == [2, 3, 4, 5, 6, 7])
    #expect(draining.evictedCount == 6)
    #expect(holder.shard.counts.evictedBytes == 3000)
    for (slot, old) in draining.survivors {
      let place = try #require(holder.allocate(old.stored, nil))
      #expect(holder.move(slot, from: old, to: place))
      #expect(!holder.shard.table[slot].isTouched)
    }
    _ = holder.shard.endDraining(draining.number)
    #expect(holder.shard.counts.reinsertions == 2)
    // They are as good as new ones: the next time only what was read since.
    holder.shard.table[holder.slot(1)].isTouched = true
    let next = try #require(holder.drain())
    #expect(holder.blocks(next) == [1])
    #expect(next.evicted.map(\.block) == [8, 0])
  }

  @Test func `a segment that is nearly empty goes before the oldest`() throws {
    for block in 0..<25 { holder.store(block, 500) }
    #expect(holder.shard.sealed == [0, 1, 2])
    // A quarter of the first, less than a fifth of the second.
    for block in [0, 1, 2, 3, 4] { holder.shard.remove(holder.slot(block)) }
    for block in 8..<15 { holder.shard.remove(holder.slot(block)) }
    #expect(try #require(holder.drain()).number == 1)
    #expect(try #require(holder.drain()).number == 0)
    #expect(try #require(holder.drain()).number == 2)
  }

  @Test func `segments in which nothing is found are taken out, but for those that are written to`() throws {
    let pending = try #require(holder.place(500))
    for block in 0..<20 { holder.store(block, 500) }
    for block in 0..<20 { holder.shard.remove(holder.slot(block)) }
    #expect(holder.takeEmptySegments() == 1)
    #expect(holder.shard.sealed == [pending.segment])
    #expect(holder.takeEmptySegments() == 0)
    holder.shard.abandon(pending)
    #expect(holder.drain()?.evictedCount == 0)
  }

  @Test func `pinned ones are copied on however many they are`() throws {
    for block in 0..<8 { holder.store(block, 500) }
    #expect(holder.fill.token.entry.pin(holder.fill.block(0).lowerBound..<holder.fill.block(5).lowerBound + 1))
    holder.shard.table[holder.slot(6)].isTouched = true
    let draining = try #require(holder.drain(most: 0))
    #expect(holder.blocks(draining) == [0, 1, 2, 3, 4, 5])
    #expect(draining.evicted.map(\.block) == [6, 7])
  }

  @Test func `a record that was removed or replaced while it was copied is not moved`() throws {
    for block in 0..<9 { holder.store(block, 500) }
    for block in 0..<2 { holder.shard.table[holder.slot(block)].isTouched = true }
    var draining = try #require(holder.drain())
    let (one, two) = (draining.survivors[0], draining.survivors[1])
    holder.shard.remove(one.slot)
    // Another takes its slot.
    let other = holder.store(100, 400)
    #expect(other == one.slot)
    #expect(!holder.move(one.slot, from: one.place, to: try #require(holder.allocate(500, nil))))
    #expect(holder.shard.table[other].block == 100)
    // The second finds no room.
    holder.shard.giveUp(one.slot, one.place, collecting: true, &draining)
    holder.shard.giveUp(two.slot, two.place, collecting: true, &draining)
    #expect(draining.evicted.map(\.block) == [2, 3, 4, 5, 6, 7, 1])
    #expect(holder.shard.segments[Int(draining.number)]?.liveBytes == 0)
    #expect(holder.shard.storedBytes == 900)
  }

  @Test func `a ticket of what is evicted is of the moment at which it leaves`() throws {
    holder.store(0, 500)
    holder.fill.token.raiseGeneration()
    let during = try #require(holder.drain()?.evicted.first)
    #expect(during.ticket.isValid)
    holder.store(1, 500)
    holder.fill.token.beginRemoval()
    let removing = try #require(holder.drain()?.evicted.first)
    #expect(!removing.ticket.isValid)
    holder.fill.token.endRemoval()
    #expect(!removing.ticket.isValid)
    #expect(!during.ticket.isValid)
  }

  @Test func `memory goes back to the ledger with the last reference`() {
    var memory: SegmentMemory? = holder.memory(300_000)
    #expect(holder.ledger.bytes == SegmentMemory.footprint(of: 300_000))
    let place = holder.allocate(200_000, memory)
    memory = nil
    _ = holder.publish(0, at: place!)
    _ = holder.drain()
    _ = holder.shard.endDraining(0)
    withExtendedLifetime(place) { #expect(holder.ledger.bytes > 0) }
  }
}
