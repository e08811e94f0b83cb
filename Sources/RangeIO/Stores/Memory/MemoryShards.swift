import Synchronization

/// The shards of a memory store, each behind its own lock and in its own cache lines.
///
/// Raw memory instead of an array of objects, so that a look-up does not count references to a shard, which all tasks
/// would share.
struct MemoryShards: ~Copyable, @unchecked Sendable {
  // Unchecked: memory with values that are accessed only under their locks or atomically, freed with its owner.

  private struct Shard: ~Copyable {
    /// Where readers without the lock begin, see ``ChunkTable/root``; and from which level on they leave a read to the lock.
    /// In cache lines of their own: they are read with each hit, and written seldom.
    let root: Atomic<UInt>
    let floor: Atomic<UInt8>
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0)
    private let padding2: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0)
    let state: Locked<ShardState>
    /// The bytes that could be evicted. Used to find the fullest shard without its lock.
    let evictableBytes = Atomic<Int>(0)

    init(_ policy: any EvictionPolicy, _ tuner: SharedTuner?, _ memory: IndexMemory) {
      let state = ShardState(policy: policy, tuner: tuner, memory: memory)
      root = Atomic(state.table.root)
      floor = Atomic(state.policy.floor)
      self.state = Locked(state)
    }
  }

  /// A power of two.
  let count: Int
  /// The tuner that all policies consult; `nil` if they are fixed.
  let tuner: SharedTuner?
  private let admitsAll: Bool
  private let base: UnsafeMutableRawPointer
  private let memory = IndexMemory()
  private static let stride = (MemoryLayout<Shard>.stride + 127) & ~127

  init(count: Int, policy: Eviction, capacity: Int) {
    self.count = count
    tuner = policy.makeTuner.map { SharedTuner($0(capacity)) }
    base = .allocate(byteCount: count * Self.stride, alignment: 128)
    let share = Self.share(of: capacity, count)
    admitsAll = ShardPolicy(policy.make(share)).admitsAll
    for index in 0..<count {
      (base + index * Self.stride).bindMemory(to: Shard.self, capacity: 1)
        .initialize(to: Shard(policy.make(share), tuner, memory))
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

  /// The block after the last that is looked up under one lock with `block`: its extent, or 16 blocks of a single
  /// shard.
  func end(ofRunFrom block: Int) -> Int { (block | (count == 1 ? 15 : 3)) + 1 }

  /// Runs `body` under the lock of a shard. `body` must not change the shard's weight.
  @inline(__always) func withLock<Result: Sendable>(_ index: Int, _ body: (inout ShardState) -> Result) -> Result {
    shard(index).pointee.state.withLock { state in
      let result = body(&state)
      let floor = state.policy.floor
      if shard(index).pointee.floor.load(ordering: .relaxed) != floor {
        shard(index).pointee.floor.store(floor, ordering: .relaxed)
      }
      return result
    }
  }

  /// Where readers without the lock begin, and what they leave to the lock.
  @inline(__always) func published(_ index: Int) -> (root: UInt, floor: UInt8) {
    let shard = shard(index)
    return (shard.pointee.root.load(ordering: .acquiring), shard.pointee.floor.load(ordering: .relaxed))
  }

  /// Has the processor fetch what a look-up of this key reads first. Without the lock, and without effect on small
  /// stores, which the processor's caches hold.
  @inline(__always) func prefetch(_ hash: UInt64) {
    BlockIndex.prefetch(
      shard(index(of: hash)).pointee.root.load(ordering: .acquiring), hash)
  }

  /// Runs `body` under the lock of a shard, then publishes what has changed.
  func change<Result: Sendable>(_ index: Int, _ body: (inout ShardState) -> Result) -> Result {
    withLock(index) { state in
      let result = body(&state)
      shard(index).pointee.evictableBytes.store(state.evictableBytes, ordering: .relaxed)
      if shard(index).pointee.root.load(ordering: .relaxed) != state.table.root {
        shard(index).pointee.root.store(state.table.root, ordering: .releasing)
      }
      return result
    }
  }

  /// Asks the policy whether a new chunk may enter.
  func admits(_ key: UInt64, weight: Int) -> Bool {
    admitsAll || withLock(index(of: key)) { $0.policy.admits(key: key, weight: weight) }
  }

  /// Checks whether a shard has its share of what could be evicted, but for a 128th. A store that is full then evicts
  /// there for what is to be stored there: shards keep their sizes, and no thread looks at others'. With more to spare,
  /// shards of different sizes hit less: up to four points in `Docs/Decisions/0010-shards.md`.
  func hasItsShare(_ index: Int, of bytes: Int) -> Bool {
    shard(index).pointee.evictableBytes.load(ordering: .relaxed) >= bytes / count / 128 * 127
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
  func freshPolicy(_ policy: Eviction, _ capacity: Int) -> any EvictionPolicy {
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
