/// Evicts the chunk that has not been read for longest.
///
/// For comparison, and for loads of which nothing is known but that what was read lately is read again. One scan
/// through more than the capacity evicts all; ``S3FIFO`` withstands that.
///
/// Needs 8 bytes a slot. Every call takes constant time. ``hit(_:)`` writes to three places of a list, which is why the
/// other policies are cheaper in use.
public struct LRU: EvictionPolicy {
  /// How many bytes the chunks may weigh together. No decision depends on it.
  public var capacity: Int
  private var queue = SlotQueues(1)

  /// A policy without chunks.
  public init(capacity: Int) { self.capacity = capacity }

  /// Enters the chunk as the one read last.
  public mutating func insert(_ slot: Int, key: UInt64, weight: Int) { queue.append(slot, to: 0) }

  /// Makes the chunk the one read last.
  public mutating func hit(_ slot: Int) {
    queue.remove(slot)
    queue.append(slot, to: 0)
  }

  /// Weights decide nothing here.
  public mutating func reweigh(_ slot: Int, weight: Int) {}

  /// Forgets the chunk.
  public mutating func remove(_ slot: Int) { queue.remove(slot) }

  /// Gives the chunk that has not been read for longest.
  public mutating func evict() -> Int? {
    guard let slot = queue.oldest(in: 0) else { return nil }
    queue.remove(slot)
    return slot
  }
}
