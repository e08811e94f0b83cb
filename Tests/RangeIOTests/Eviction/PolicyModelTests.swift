import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Each policy event by event beside an array that does the same the plain way.
@Suite struct PolicyModelTests {
  private static let seeds = UInt64(TestScale.firstSeed)..<UInt64(TestScale.firstSeed + max(1, TestScale.seeds / 5))

  @Test func `LRU evicts what an array in the order of reads would`() throws {
    for seed in Self.seeds { try live(seed, chunks: 60) { Paired(LRU(capacity: $0), NaiveLRU(capacity: $0)) } }
  }

  @Test func `SIEVE evicts what the pseudocode of the paper would`() throws {
    for seed in Self.seeds { try live(seed, chunks: 60) { Paired(SIEVE(capacity: $0), NaiveSIEVE(capacity: $0)) } }
  }

  /// Of up to 17 chunks the ghost's table has room for as many as it may remember, so it is exact.
  @Test func `S3-FIFO evicts what arrays with an exact ghost would`() throws {
    for seed in Self.seeds { try live(seed, chunks: 17) { Paired(S3FIFO(capacity: $0), NaiveS3FIFO(capacity: $0)) } }
  }

  private func live(_ seed: UInt64, chunks: Int, _ pair: (_ capacity: Int) -> Paired) throws {
    var random = TestRandom(seed)
    let heaviest = [1, 1, 40].randomElement(using: &random)!
    let capacity = heaviest == 1 ? 1 + random.below(chunks) : 40 + random.below(400)
    let keys = 2 + random.below(50)
    var shard = PolicyShard(pair(capacity))
    for step in 0..<300 {
      let key = UInt64(min(random.below(keys), random.below(keys)))
      let weight = 1 + random.below(heaviest)
      // The rest of the limit of chunks is kept by hand where weights do not.
      if shard.count == chunks, !shard.contains(key) { try shard.remove(anyStored(shard, &random, keys)) }
      switch random.below(24) {
      case 0: try shard.remove(key)
      case 1: try shard.reweigh(key, weight: weight)
      case 2 where random.below(8) == 0: try shard.resize(1 + random.below(heaviest == 1 ? chunks : 440))
      default: try shard.access(key, weight: weight)
      }
      if let difference = (shard.policy as? Paired)?.difference {
        Issue.record("seed \(seed), step \(step): \(difference)")
        return
      }
    }
    try shard.drain()
    #expect((shard.policy as? Paired)?.difference == nil, "seed \(seed), at the end")
  }

  private func anyStored(_ shard: PolicyShard, _ random: inout TestRandom, _ keys: Int) -> UInt64 {
    let start = random.below(keys)
    return UInt64((start..<start + keys).first { shard.contains(UInt64($0 % keys)) }! % keys)
  }
}
