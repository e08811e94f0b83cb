/// The policy of a shard. S3-FIFO, which the default policy is too, is held as itself, so that a hit calls it directly:
/// by way of `any` each call would ask whether the value is shared.
///
/// S3-FIFO needs to know only how often a chunk was read since it last looked, so readers note that without the lock. Every other
/// policy is told of each read, under the lock.
struct ShardPolicy {
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

  /// - Parameter notes: those of the chunks, here and below.
  @inline(__always) mutating func hit(_ slot: Int, _ notes: SlotNotes) {
    if isStandard { queues.hit(slot, notes) } else { other.hit(slot) }
  }

  /// The policy admits every chunk without being asked.
  var admitsAll: Bool { isStandard }

  mutating func admits(key: UInt64, weight: Int) -> Bool { isStandard || other.admits(key: key, weight: weight) }

  mutating func insert(_ slot: Int, key: UInt64, weight: Int, isRead: Bool, _ notes: SlotNotes) {
    if isStandard {
      queues.insert(slot, key: key, weight: weight, isRead: isRead, notes)
    } else {
      other.insert(slot, key: key, weight: weight)
    }
  }

  mutating func reweigh(_ slot: Int, weight: Int, _ notes: SlotNotes) {
    if isStandard { queues.reweigh(slot, weight: weight, notes) } else { other.reweigh(slot, weight: weight) }
  }

  mutating func remove(_ slot: Int, _ notes: SlotNotes) {
    if isStandard { queues.remove(slot, notes) } else { other.remove(slot) }
  }

  /// Removes a chunk that the store no longer has, for a reason other than making room.
  mutating func lose(_ slot: Int, _ notes: SlotNotes) {
    if isStandard { queues.lose(slot, notes) } else { other.remove(slot) }
  }

  mutating func evict(_ notes: SlotNotes) -> Int? { if isStandard { queues.evict(notes) } else { other.evict() } }

  /// Chunks whose reads are sampled from this level on have to be told of each read; all have to for a policy of another kind.
  var floor: UInt8 { isStandard ? queues.sample.floor : 0 }

  /// The level of a chunk, in the upper three bits.
  func level(_ slot: Int) -> UInt8 { isStandard ? queues.marks[slot] & S3FIFO.Mark.level : 0 }

  /// Policies of another kind tune themselves.
  mutating func consult(_ tuner: inout PolicyTuner) {
    if isStandard { queues.consult(&tuner) }
  }
}

/// The tuner of a store, which the policies of all its shards consult. Its lock is taken inside a shard's lock, and
/// nothing is locked inside it.
final class SharedTuner: Sendable {
  private let tuner: Locked<PolicyTuner>

  init(_ tuner: PolicyTuner) { self.tuner = Locked(tuner) }

  /// Lets a policy consult the tuner. Returns `false` if another shard holds the lock of the tuner.
  func advise(_ policy: inout ShardPolicy) -> Bool { tuner.withLockIfFree { policy.consult(&$0) } }

  func setCapacity(_ capacity: Int) { tuner.withLock { $0.capacity = capacity } }

  func removeAll() { tuner.withLock { $0.removeAll() } }

  var state: PolicyTuner.State { tuner.withLock { $0.state } }
}
