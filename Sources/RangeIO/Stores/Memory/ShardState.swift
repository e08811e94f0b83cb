/// What one shard holds: the table, the policy, the counts. Everything here happens under the shard's lock, and nothing
/// of it waits, copies bytes or releases memory: what leaves is handed out for the caller to let go.
struct ShardState: ~Copyable {
  var table = ChunkTable()
  var policy: any EvictionPolicy
  var sources = ShardSources()
  var counts = MemoryCounts()
  /// What all chunks are charged, and those of them that are pinned.
  var bytes = 0
  var pinnedBytes = 0
  /// When each slot was last read, in nanoseconds; empty unless idleness is limited.
  var touched: [Int64] = []
  /// Nanoseconds; `.max` for no limit.
  var ageLimit = Int64.max
  var idleLimit = Int64.max
  /// Where the search for a victim among one source's chunks goes on.
  var ownHand = 1

  init(policy: any EvictionPolicy) { self.policy = policy }

  /// The bytes that could be evicted.
  var evictableBytes: Int { bytes - pinnedBytes }
}
