/// Evicts the first chunk that was not read since a hand last passed it. The hand moves from the oldest chunk to the
/// newest.
///
/// Kept exact, for comparison with published figures: one eviction may pass every chunk there is. Good on the skewed
/// loads of web caches; scans are its weakness, its authors say. ``S3FIFO`` is made for scans.
///
/// Needs 9 bytes a slot. Constant time, except ``evict()``: it takes a step for each chunk passed, and an earlier hit
/// pays for each step.
///
/// Source: Y. Zhang, J. Yang, Y. Yue, Y. Vigfusson, K. V. Rashmi, "SIEVE is Simpler than LRU: an Efficient Turn-Key
/// Eviction Algorithm for Web Caches", NSDI '24.
package struct SIEVE: EvictionPolicy {
  package var capacity: Int
  private var queue = SlotQueues(1)
  /// 1 if the chunk was read since the hand passed it.
  private var isRead: [UInt8] = []
  /// Where the next search starts; `nil` for the oldest chunk.
  private var hand: Int?

  init(capacity: Int) { self.capacity = capacity }

  package mutating func insert(_ slot: Int, key: UInt64, weight: Int) {
    queue.append(slot, to: 0)
    isRead.extend(toHold: slot, filler: 0)
    isRead[slot] = 0
  }

  /// Marks the chunk. It keeps its place.
  package mutating func hit(_ slot: Int) {
    // A chunk that is often read is already marked: without a write its cache line stays clean.
    if isRead[slot] == 0 { isRead[slot] = 1 }
  }

  /// Does nothing: this policy ignores weights.
  package mutating func reweigh(_ slot: Int, weight: Int) {}

  package mutating func remove(_ slot: Int) {
    if hand == slot { hand = queue.next(after: slot) }
    queue.remove(slot)
  }

  /// Returns the first unmarked chunk from the hand on, and clears the marks of those it passes.
  package mutating func evict() -> Int? {
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
