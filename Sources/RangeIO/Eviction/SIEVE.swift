/// Evicts the first chunk not read since a hand last passed it, going from the oldest chunk to the newest.
///
/// Kept exact, for comparison with published figures: one eviction may pass every chunk there is. Good on the skewed
/// loads of web caches; scans are its weakness, in the words of its authors. ``S3FIFO`` is made for those.
///
/// Needs 9 bytes a slot. Constant time, but for ``evict()``: that takes a step for each chunk passed, and each step
/// is paid for by a hit before it.
///
/// Source: Y. Zhang, J. Yang, Y. Yue, Y. Vigfusson, K. V. Rashmi, "SIEVE is Simpler than LRU: an Efficient Turn-Key
/// Eviction Algorithm for Web Caches", NSDI '24.
public struct SIEVE: EvictionPolicy {
  /// How many bytes the chunks may weigh together. No decision depends on it.
  public var capacity: Int
  private var queue = SlotQueues(1)
  /// One if the chunk has been read since the hand passed it.
  private var isRead: [UInt8] = []
  /// Where the next search begins; `nil` for the oldest.
  private var hand: Int?

  /// A policy without chunks.
  public init(capacity: Int) { self.capacity = capacity }

  /// Enters the chunk as the newest.
  public mutating func insert(_ slot: Int, key: UInt64, weight: Int) {
    queue.append(slot, to: 0)
    isRead.extend(toHold: slot, filler: 0)
    isRead[slot] = 0
  }

  /// Marks the chunk. It keeps its place.
  public mutating func hit(_ slot: Int) {
    // What is often read is marked already: its cache line then stays clean.
    if isRead[slot] == 0 { isRead[slot] = 1 }
  }

  /// Weights decide nothing here.
  public mutating func reweigh(_ slot: Int, weight: Int) {}

  /// Forgets the chunk.
  public mutating func remove(_ slot: Int) {
    if hand == slot { hand = queue.next(after: slot) }
    queue.remove(slot)
  }

  /// Gives the first chunk from the hand on that is not marked, and takes the marks off those it passes.
  public mutating func evict() -> Int? {
    guard let oldest = queue.oldest(in: 0) else { return nil }
    var slot = hand ?? oldest
    while isRead[slot] != 0 {
      isRead[slot] = 0
      slot = queue.next(after: slot) ?? oldest
    }
    hand = slot
    remove(slot)
    return slot
  }
}
