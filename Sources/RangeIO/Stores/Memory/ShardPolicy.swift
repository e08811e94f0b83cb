/// The policy of a shard. S3-FIFO, which the default policy is too, is held as itself, so that a hit calls it directly:
/// by way of `any` each call would ask whether the value is shared.
struct ShardPolicy: EvictionPolicy {
  /// Which of the two is used. Not an optional: asking that takes longer.
  private let isStandard: Bool
  private var queues: S3FIFO
  private var other: any EvictionPolicy

  init(_ policy: any EvictionPolicy) {
    let queues = policy as? S3FIFO
    isStandard = queues != nil
    self.queues = queues ?? S3FIFO(capacity: 0)
    other = queues == nil ? policy : LRU(capacity: 0)
  }

  var capacity: Int {
    get { isStandard ? queues.capacity : other.capacity }
    set { if isStandard { queues.capacity = newValue } else { other.capacity = newValue } }
  }

  @inline(__always) mutating func hit(_ slot: Int) {
    if isStandard { queues.hit(slot) } else { other.hit(slot) }
  }

  mutating func admits(key: UInt64, weight: Int) -> Bool {
    if isStandard { queues.admits(key: key, weight: weight) } else { other.admits(key: key, weight: weight) }
  }

  mutating func insert(_ slot: Int, key: UInt64, weight: Int) {
    if isStandard {
      queues.insert(slot, key: key, weight: weight)
    } else {
      other.insert(slot, key: key, weight: weight)
    }
  }

  mutating func reweigh(_ slot: Int, weight: Int) {
    if isStandard { queues.reweigh(slot, weight: weight) } else { other.reweigh(slot, weight: weight) }
  }

  mutating func remove(_ slot: Int) { if isStandard { queues.remove(slot) } else { other.remove(slot) } }

  mutating func evict() -> Int? { if isStandard { queues.evict() } else { other.evict() } }

  mutating func consult(_ tuner: inout PolicyTuner) {
    if isStandard { queues.consult(&tuner) } else { other.consult(&tuner) }
  }
}
