/// What one shard holds: the table, the policy, the counters. Everything here happens under the shard's lock. Nothing
/// waits, copies bytes or releases memory: what leaves is returned to the caller, who releases it.
struct ShardState: ~Copyable {
  var table = ChunkTable()
  var policy: any EvictionPolicy
  var sources = ShardSources()
  var counts = MemoryCounts()
  /// The charge of all chunks, and of the pinned ones.
  var bytes = 0
  var pinnedBytes = 0
  /// When each slot was last read, in nanoseconds; empty if there is no idle limit.
  var touched: [Int64] = []
  /// Nanoseconds; `.max` for no limit.
  var ageLimit = Int64.max
  var idleLimit = Int64.max
  /// Where the search for a victim among one source's chunks continues.
  var ownHand = 1

  init(policy: any EvictionPolicy) { self.policy = policy }

  /// The bytes that could be evicted.
  var evictableBytes: Int { bytes - pinnedBytes }
}
