/// Blocks within a number of bytes, in the order of their last reads: the contents of an LRU cache. A pure value, for
/// simulations.
struct HeldBlocks: Sendable {
  private struct Entry {
    var key: UInt64
    var weight: Int
  }
  private var places: [UInt64: Int] = [:]
  private var entries: [Entry] = []
  private var free: [Int] = []
  private var queue = SlotQueues(1)
  private(set) var bytes = 0

  /// A block is read. Returns `true` if it is here.
  ///
  /// - Parameter weight: what the store would charge for it. The largest of a block counts.
  mutating func read(_ key: UInt64, weight: Int) -> Bool {
    guard let place = places[key] else { return false }
    queue.remove(place)
    queue.append(place, to: 0)
    bytes += max(0, weight - entries[place].weight)
    entries[place].weight = max(weight, entries[place].weight)
    return true
  }

  /// Takes a block that is not here.
  mutating func add(_ key: UInt64, weight: Int) {
    let entry = Entry(key: key, weight: weight)
    let place = free.popLast() ?? entries.count
    if place == entries.count { entries.append(entry) } else { entries[place] = entry }
    places[key] = place
    queue.append(place, to: 0)
    bytes += weight
  }

  /// Removes the blocks that were read longest ago until the rest fits.
  mutating func trim(to limit: Int) {
    while bytes > limit, let oldest = queue.oldest(in: 0) {
      queue.remove(oldest)
      bytes -= entries[oldest].weight
      places[entries[oldest].key] = nil
      free.append(oldest)
    }
  }
}
