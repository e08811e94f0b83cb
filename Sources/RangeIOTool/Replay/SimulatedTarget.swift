import RangeIO

/// A cache that knows which blocks it has, and has no bytes of them: what the policy alone makes of a trace.
struct SimulatedTarget: ReplayTarget {
  private let grid: BlockGrid
  private let byteCount: Int
  private var shards: [SimulatedShard]

  init(_ cache: ReplayCache) {
    grid = cache.grid
    byteCount = cache.byteCount
    let count = cache.shards ?? 1
    shards = (0..<count).map { _ in SimulatedShard(policy: cache.policy.make(cache.capacity.bytes / count)) }
  }

  mutating func lookUp(_ range: ByteRange) -> [Range<Int>] {
    var missing: [Range<Int>] = []
    for block in grid.blocks(covering: range) where !shards[shard(of: block)].read(block) {
      if let last = missing.last, last.upperBound == block {
        missing[missing.count - 1] = last.lowerBound..<block + 1
      } else {
        missing.append(block..<block + 1)
      }
    }
    return missing
  }

  mutating func insert(_ blocks: Range<Int>) {
    for block in blocks {
      shards[shard(of: block)].insert(block, weight: grid.range(of: block, in: byteCount).count)
    }
  }

  private func shard(of block: Int) -> Int {
    // Hashed, so that a stride which the number of shards divides goes to more than one.
    Int((UInt64(block) &* 0x9E37_79B9_7F4A_7C15) >> 32) % shards.count
  }
}

private struct SimulatedShard {
  var policy: any EvictionPolicy
  private var slots: [Int: Int] = [:]
  /// What each slot holds.
  private var chunks: [(block: Int, weight: Int)] = []
  private var free: [Int] = []
  private var weight = 0

  init(policy: any EvictionPolicy) { self.policy = policy }

  mutating func read(_ block: Int) -> Bool {
    guard let slot = slots[block] else { return false }
    policy.hit(slot)
    return true
  }

  mutating func insert(_ block: Int, weight: Int) {
    guard weight <= policy.capacity else { return }
    while self.weight + weight > policy.capacity, let victim = policy.evict() {
      slots[chunks[victim].block] = nil
      self.weight -= chunks[victim].weight
      free.append(victim)
    }
    let slot = free.popLast() ?? chunks.count
    if slot == chunks.count { chunks.append((block, weight)) } else { chunks[slot] = (block, weight) }
    slots[block] = slot
    self.weight += weight
    policy.insert(slot, key: UInt64(block), weight: weight)
  }
}
