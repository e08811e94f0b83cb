/// Evicts the chunk that was not read for the longest time.
///
/// Use it for comparison, or when all you know about the load is that recently read data is read again. One scan over
/// more than the capacity evicts everything; ``S3FIFO`` withstands that.
///
/// Needs 8 bytes a slot. Every call takes constant time. ``hit(_:)`` writes to three places of a list, which is why the
/// other policies are cheaper in use.
package struct LRU: EvictionPolicy {
  package var capacity: Int
  private var queue = SlotQueues(1)

  init(capacity: Int) { self.capacity = capacity }

  package mutating func insert(_ slot: Int, key: UInt64, weight: Int) { queue.append(slot, to: 0) }

  package mutating func hit(_ slot: Int) {
    queue.remove(slot)
    queue.append(slot, to: 0)
  }

  /// Does nothing: this policy ignores weights.
  package mutating func reweigh(_ slot: Int, weight: Int) {}

  package mutating func remove(_ slot: Int) { queue.remove(slot) }

  package mutating func evict() -> Int? {
    guard let slot = queue.oldest(in: 0) else { return nil }
    queue.remove(slot)
    return slot
  }
}
