import Synchronization

/// The shards of a memory store, each behind its own lock and in its own cache lines.
///
/// Raw memory instead of an array of objects, so that a look-up does not count references to a shard, which all tasks
/// would share.
struct MemoryShards: ~Copyable, @unchecked Sendable {
  // Unchecked: memory with values that are accessed only under their locks or atomically, freed with its owner.

  private struct Shard: ~Copyable {
    let state: Locked<ShardState>
    /// The bytes that could be evicted. Used to find the fullest shard without its lock.
    let evictableBytes = Atomic<Int>(0)
    /// See ``ChunkTable/landmark``.
    let landmark = Atomic<UInt>(0)

    init(_ policy: any EvictionPolicy, _ tuner: SharedTuner?) {
      state = Locked(ShardState(policy: policy, tuner: tuner))
    }
  }

  /// A power of two.
  let count: Int
  /// What all policies consult; `nil` if they are fixed.
  let tuner: SharedTuner?
  private let base: UnsafeMutableRawPointer
  private static let stride = (MemoryLayout<Shard>.stride + 127) & ~127

  init(count: Int, policy: EvictionPolicyFactory, capacity: Int) {
    self.count = count
    tuner = policy.makeTuner.map { SharedTuner($0(capacity)) }
    base = .allocate(byteCount: count * Self.stride, alignment: 128)
    for index in 0..<count {
      (base + index * Self.stride).bindMemory(to: Shard.self, capacity: 1)
        .initialize(to: Shard(policy.make(Self.share(of: capacity, count)), tuner))
    }
  }

  deinit {
    for index in 0..<count { shard(index).deinitialize(count: 1) }
    base.deallocate()
  }

  private static func share(of capacity: Int, _ count: Int) -> Int { max(1, capacity / count) }

  @inline(__always) private func shard(_ index: Int) -> UnsafeMutablePointer<Shard> {
    (base + index * Self.stride).assumingMemoryBound(to: Shard.self)
  }

  /// The shard of a key. The same for all blocks of an extent.
  @inline(__always) func index(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 40) & (count - 1) }

  /// Runs `body` under the lock of a shard. `body` must not change the shard's weight.
  @inline(__always) func withLock<Result: Sendable>(_ index: Int, _ body: (inout ShardState) -> Result) -> Result {
    shard(index).pointee.state.withLock { body(&$0) }
  }

  /// Has the processor fetch what a look-up of this key reads first. Without the lock, and without effect on small
  /// stores, which the processor's caches hold.
  @inline(__always) func prefetch(_ hash: UInt64) {
    ChunkTable.prefetch(hash, by: shard(index(of: hash)).pointee.landmark.load(ordering: .relaxed))
  }

  /// Runs `body` under the lock of a shard, then notes the shard's new weight and where its table lies.
  func change<Result: Sendable>(_ index: Int, _ body: (inout ShardState) -> Result) -> Result {
    shard(index).pointee.state.withLock { state in
      let result = body(&state)
      shard(index).pointee.evictableBytes.store(state.evictableBytes, ordering: .relaxed)
      shard(index).pointee.landmark.store(state.table.landmark, ordering: .relaxed)
      return result
    }
  }

  /// The shard with the most evictable bytes; `nil` if no shard has any. `passed`: shards that turned out to have none.
  func fullest(except passed: Set<Int> = []) -> Int? {
    var fullest: Int?
    var most = 0
    for index in 0..<count {
      let bytes = shard(index).pointee.evictableBytes.load(ordering: .relaxed)
      if bytes > most, passed.isEmpty || !passed.contains(index) { (fullest, most) = (index, bytes) }
    }
    return fullest
  }

  /// A policy for one shard without chunks.
  func freshPolicy(_ policy: EvictionPolicyFactory, _ capacity: Int) -> any EvictionPolicy {
    policy.make(Self.share(of: capacity, count))
  }

  /// Tells the policies their shared capacity.
  func setCapacity(_ capacity: Int) {
    tuner?.setCapacity(capacity)
    for index in 0..<count {
      withLock(index) { [share = Self.share(of: capacity, count)] in $0.policy.capacity = share }
    }
  }
}
