import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

@Suite struct S3FIFOTests {
  @Test func `what is read once passes through a tenth of the capacity`() throws {
    var shard = PolicyShard(S3FIFO(capacity: 100))
    for key in 0..<100 as Range<UInt64> { try shard.access(key) }
    // Ninety of them came while the small queue was full: they are in main.
    for key in 1000..<3000 as Range<UInt64> { try shard.access(key) }
    #expect((10..<100).allSatisfy { shard.contains($0) })
    #expect((0..<10).allSatisfy { !shard.contains($0) })
    #expect((2990..<3000).allSatisfy { shard.contains($0) })
  }

  @Test(arguments: [0, 1, 2, 3])
  func `a chunk moves to main when it was read twice in the small queue`(reads: Int) throws {
    var shard = try full(S3FIFO(capacity: 100))
    try shard.access(500)
    for _ in 0..<reads { try shard.access(500) }
    for key in 1000..<1050 as Range<UInt64> { try shard.access(key) }
    #expect(shard.contains(500) == (reads >= 2))
  }

  @Test func `what comes back while the ghost remembers it enters main`() throws {
    var shard = try full(S3FIFO(capacity: 100))
    try shard.access(500)
    for key in 1000..<1040 as Range<UInt64> { try shard.access(key) }
    #expect(!shard.contains(500))
    try shard.access(500)
    for key in 2000..<2040 as Range<UInt64> { try shard.access(key) }
    #expect(shard.contains(500))
  }

  @Test func `the ghost remembers about as many chunks as main holds`() throws {
    for (away, isRemembered) in [(10, true), (80, true), (115, false), (300, false)] {
      var shard = try full(S3FIFO(capacity: 100))
      try shard.access(500)
      for key in 0..<UInt64(away) { try shard.access(1000 + key) }
      try shard.access(500)
      for key in 2000..<2040 as Range<UInt64> { try shard.access(key) }
      #expect(shard.contains(500) == isRemembered, "after \(away) others")
    }
  }

  @Test func `what is removed is not remembered`() throws {
    var shard = try full(S3FIFO(capacity: 100))
    try shard.access(500)
    try shard.remove(500)
    try shard.access(500)
    for key in 1000..<1020 as Range<UInt64> { try shard.access(key) }
    #expect(!shard.contains(500))
  }

  @Test func `a chunk of main goes round once for each read, three at most`() {
    for (hits, rounds) in [(0, 0), (1, 1), (3, 3), (200, 3)] {
      var policy = S3FIFO(capacity: 10)
      // One in the small queue, the others in main.
      for slot in 0..<10 { policy.insert(slot, key: UInt64(slot), weight: 1) }
      policy.remove(0)
      for _ in 0..<hits { policy.hit(5) }
      var evictions = 0
      while policy.evict() != 5 {
        // The place of each victim is taken by a chunk that was read twice in the small queue.
        policy.insert(20 + evictions, key: UInt64(20 + evictions), weight: 1)
        for _ in 0..<2 { policy.hit(20 + evictions) }
        evictions += 1
      }
      // Of the eight others each round finds all that are older.
      #expect(evictions == 4 + rounds * 8, "\(hits) hits")
    }
  }

  @Test func `weights decide which queue gives, not numbers of chunks`() {
    var policy = S3FIFO(capacity: 1000)
    for slot in 0..<10 { policy.insert(slot, key: UInt64(slot), weight: 10) }
    // The small queue is full by weight now, so that this one enters main.
    policy.insert(10, key: 10, weight: 880)
    // Main weighs less than nine tenths: the small queue gives.
    #expect(policy.evict() == 0)
    policy.reweigh(10, weight: 901)
    #expect(policy.evict() == 10)
    // Lighter than their share, but there are no others.
    #expect((1..<10).map { _ in policy.evict() } == Array(1..<10))
    #expect(policy.evict() == nil)
  }

  @Test func `no eviction looks at more than 64 chunks, though all were read`() {
    for count in [10, 63, 64, 65, 1000, 20_000] {
      var policy = S3FIFO(capacity: count)
      for slot in 0..<count { policy.insert(slot, key: UInt64(slot), weight: 1) }
      var live = Set(0..<count)
      for round in 0..<200 where round < count {
        // The adversary reads everything between two evictions, as long as that is quick.
        if round < 3 || count < 100 { for slot in live { for _ in 0..<3 { policy.hit(slot) } } }
        let victim = policy.evict()
        #expect(policy.looks <= 64, "\(count) chunks")
        let isLive = victim.map { live.remove($0) != nil } ?? false
        #expect(isLive)
      }
    }
  }

  @Test func `the bound gives the next in line, however often it was read`() {
    var policy = S3FIFO(capacity: 2000)
    for slot in 0..<1200 { policy.insert(slot, key: UInt64(slot), weight: 1) }
    for slot in 0..<1200 { for _ in 0..<3 { policy.hit(slot) } }
    // All that the small queue holds came first: 63 of them move to main, the 64th goes.
    #expect(policy.evict() == 63)
    #expect(policy.looks == 64)
  }

  @Test func `room that a larger capacity gives is main's`() throws {
    var shard = try full(S3FIFO(capacity: 100))
    for key in 1000..<1100 as Range<UInt64> { try shard.access(key) }
    try shard.resize(200)
    for key in 2000..<2100 as Range<UInt64> { try shard.access(key) }
    // The small queue had its ten and took ten more; the other ninety stay where a scan does not reach.
    for key in 3000..<4000 as Range<UInt64> { try shard.access(key) }
    #expect((2010..<2100).allSatisfy { shard.contains($0) })
    #expect((2000..<2010).allSatisfy { !shard.contains($0) })
  }

  /// A shard that is full of chunks read once, and has evicted.
  private func full(_ policy: S3FIFO) throws -> PolicyShard {
    var shard = PolicyShard(policy)
    for key in 10_000..<UInt64(10_000 + policy.capacity + 20) { try shard.access(key) }
    return shard
  }
}
