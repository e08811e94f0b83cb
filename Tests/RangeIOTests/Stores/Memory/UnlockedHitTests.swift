import Foundation
import Synchronization
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Hits that take no lock, beside others that take away what they look at.
@Suite struct UnlockedHitTests {
  private final class Looks: Sendable {
    let isOver = Atomic<Bool>(false)
    let hits = Atomic<Int>(0)
    let wrong = Atomic<Int>(0)
  }

  /// Threads that look up blocks of `sources`, and compare them, until `body` has returned.
  private func whileLooking(_ sources: [StoredSource], blocks: Int, _ body: () throws -> Void) rethrows -> Looks {
    let looks = Looks()
    let left = DispatchSemaphore(value: 0)
    for thread in 0..<4 {
      Thread.detachNewThread {
        var random = TestRandom(UInt64(thread))
        while !looks.isOver.load(ordering: .relaxed) {
          let source = sources[random.below(sources.count)]
          let start = random.below(blocks) * 512 + random.below(200)
          let range = start..<start + 1 + random.below(300)
          guard let bytes = source.store.hit(range, token: source.token.number, grid: source.token.grid) else {
            continue
          }
          looks.hits.wrappingAdd(1, ordering: .relaxed)
          if bytes != source.expected(range) { looks.wrong.wrappingAdd(1, ordering: .relaxed) }
        }
        left.signal()
      }
    }
    defer {
      looks.isOver.store(true, ordering: .relaxed)
      for _ in 0..<4 { left.wait() }
    }
    try body()
    return looks
  }

  private func sources(_ store: MemoryStore) -> [StoredSource] {
    // Of different versions, so that bytes of one are wrong for the others.
    (0..<3).map { StoredSource(store, id: "\($0)", version: $0, byteCount: 1 << 20, blockSize: 512, reading: true) }
  }

  @Test(arguments: [1, 4])
  func `while blocks come and go, their bytes are right`(shards: Int) {
    var configuration = MemoryStore.Configuration(limit: .kibibytes(64))
    configuration.shards = shards
    let store = MemoryStore(configuration)
    let sources = sources(store)
    let looks = whileLooking(sources, blocks: 200) {
      var random = TestRandom(7)
      for _ in 0..<20_000 {
        let source = sources[random.below(3)]
        source.put(source.block(random.below(200)))
        if random.below(500) == 0 { store.remove(source: source.source.id) }
        if random.below(1000) == 0 { store.removeAll() }
      }
    }
    #expect(looks.wrong.load(ordering: .relaxed) == 0)
    #expect(looks.hits.load(ordering: .relaxed) > 0)
    #expect(MemoryRecount(store).faults.isEmpty)
  }

  @Test func `while the index grows, what has been there is found`() {
    let store = MemoryStore(limit: .mebibytes(64))
    let source = StoredSource(store, byteCount: 32 << 20, blockSize: 512)
    for block in 0..<50 { source.put(source.block(block)) }
    let missed = Atomic<Int>(0)
    let looks = whileLooking([source], blocks: 50) {
      for block in 50..<20_000 {
        source.put(source.block(block))
        // What is being moved may seem to be absent to the look without the lock, not to the one with it.
        if block % 100 == 0, !source.holds(source.block(block % 50)) { missed.wrappingAdd(1, ordering: .relaxed) }
      }
    }
    #expect(looks.wrong.load(ordering: .relaxed) == 0 && looks.hits.load(ordering: .relaxed) > 0)
    #expect(missed.load(ordering: .relaxed) == 0)
  }

  @Test func `what was read without the lock counts for the policy as what was read under it`() {
    for seed in UInt64(1)...5 {
      var random = TestRandom(seed)
      var configuration = MemoryStore.Configuration(blocks: 100, of: .bytes(512))
      configuration.shards = 1
      let sources = (0..<2).map { _ in StoredSource(MemoryStore(configuration), byteCount: 1 << 20, blockSize: 512) }
      for step in 0..<3000 {
        let block = min(random.below(300), random.below(300))
        let range = sources[0].block(block)
        let hit = sources[0].store.hit(range, token: sources[0].token.number, grid: sources[0].token.grid)
        #expect((hit == nil) == (sources[1].read(range) == nil), "seed \(seed), step \(step)")
        if hit == nil { for source in sources { source.put(range) } }
      }
      let kept = sources.map { source in Set((0..<300).filter { source.contains(source.block($0)) }) }
      #expect(kept[0] == kept[1] && kept[0].count == 100, "seed \(seed)")
    }
  }

  @Test func `a full store evicts where it stores, and a shard that has little grows`() {
    var configuration = MemoryStore.Configuration(blocks: 1024, of: .bytes(512))
    configuration.shards = 4
    configuration.eviction = .lru
    let store = MemoryStore(configuration)
    let source = StoredSource(store, byteCount: 1 << 40, blockSize: 512)
    func shard(_ block: Int) -> Int { store.shard(of: block, source.token) }
    func counts() -> [Int] { (0..<4).map { shard in store.shards.withLock(shard) { $0.table.count } } }
    // All but one shard are filled.
    var block = 0
    while store.ledger.blocks < 1024 {
      if shard(block) != 3 { source.put(source.block(block)) }
      block += 1
    }
    #expect(counts()[3] == 0)
    for next in block..<block + 40_000 where shard(next) == 3 { source.put(source.block(next)) }
    #expect(counts()[3] >= 1024 / 4 * 127 / 128 && counts().reduce(0, +) == 1024)
    // From here on each keeps its size.
    let before = counts()
    for next in block + 40_000..<block + 60_000 { source.put(source.block(next)) }
    #expect(zip(before, counts()).allSatisfy { abs($0 - $1) <= 64 }, "\(before), \(counts())")
  }
}
