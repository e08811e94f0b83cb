/// New chunks pass through a small queue. Only those that were read there, or that come back, enter the main queue.
///
/// Use this policy unless you have a reason not to. Chunks that are read once leave soon, so that scans do not empty
/// the cache, and reading costs one byte.
///
/// - The *small* queue aims at a tenth of the capacity. A chunk that was read twice there moves to main; any other
///   chunk is evicted, and the ghost remembers its fingerprint.
/// - The *main* queue has the rest. A chunk that was read goes round again, at most three times without another read.
/// - The *ghost* remembers nine tenths as many chunks as there are. A chunk that comes back while remembered enters
///   main.
///
/// Until the first eviction, what does not fit into the small queue enters main, as in the authors' later simulator:
/// there is room, and a longer small queue would waste it.
///
/// Needs 17 bytes a slot and about 7 for the ghost, which is made at the first eviction. ``hit(_:)`` reads one byte and
/// writes it at most three times. ``evict()`` looks at 64 chunks at most: if all of them should stay, it evicts the
/// last one. The other calls take constant time. Weights above 4 GiB count as 4 GiB. Measured with 100,000 chunks, read
/// in random order through `any EvictionPolicy`: 9 ns a hit, 100 ns an eviction with its insertion, mostly the ghost's.
///
/// Source: J. Yang, Y. Zhang, Z. Qiu, Y. Yue, K. V. Rashmi, "FIFO queues are all you need for cache eviction",
/// SOSP '23.
package struct S3FIFO: EvictionPolicy {
  /// The limit for the sum of all weights, in bytes. When you raise it, main takes the new room.
  package var capacity: Int { didSet { if capacity > oldValue { isFilling = true } } }

  static let mostLooks = 64
  private(set) var looks = 0

  /// What else decides about a chunk besides its uses. Kept apart, so that reading touches only one dense array of
  /// bytes.
  private struct Details {
    var weight: UInt32
    var fingerprint: UInt32
  }
  /// A byte for each slot: two bits count uses up to three, and one bit says which queue.
  private enum Mark {
    static let uses: UInt8 = 3
    static let isInMain: UInt8 = 4
  }
  private static let small = 0
  private static let main = 1

  private var queues = SlotQueues(2)
  private var marks: [UInt8] = []
  private var details: [Details] = []
  private var smallWeight = 0
  private var mainWeight = 0
  private var count = 0
  private var ghost = Ghost()
  /// Whether nothing has been evicted since room became available.
  private var isFilling = true

  package init(capacity: Int) { self.capacity = capacity }

  private var smallTarget: Int { capacity / 10 }

  /// Inserts the chunk into the main queue if the ghost remembers it, else into the small one. Until the first
  /// eviction, main also takes what does not fit into the small queue.
  package mutating func insert(_ slot: Int, key: UInt64, weight: Int) {
    let details = Details(weight: UInt32(clamping: weight), fingerprint: Ghost.fingerprint(of: key))
    let isRemembered = ghost.remove(details.fingerprint)
    let entersMain = isRemembered || isFilling && smallWeight >= smallTarget
    queues.append(slot, to: entersMain ? Self.main : Self.small)
    marks.extend(toHold: slot, filler: 0)
    marks[slot] = entersMain ? Mark.isInMain : 0
    self.details.extend(toHold: slot, filler: Details(weight: 0, fingerprint: 0))
    self.details[slot] = details
    charge(slot, Int(details.weight))
    count += 1
  }

  package mutating func hit(_ slot: Int) {
    let mark = marks[slot]
    if mark & Mark.uses != Mark.uses { marks[slot] = mark &+ 1 }
  }

  package mutating func reweigh(_ slot: Int, weight: Int) {
    let weight = UInt32(clamping: weight)
    charge(slot, Int(weight) - Int(details[slot].weight))
    details[slot].weight = weight
  }

  package mutating func remove(_ slot: Int) {
    queues.remove(slot)
    charge(slot, -Int(details[slot].weight))
    count -= 1
    if count == 0 { isFilling = true }
  }

  /// Returns the oldest chunk that was not read enough to stay: from main if main exceeds its share, else from the
  /// small queue.
  package mutating func evict() -> Int? {
    isFilling = false
    looks = 0
    var isMain = mainWeight > capacity - smallTarget
    while let slot = oldest(&isMain) {
      looks += 1
      let uses = marks[slot] & Mark.uses
      let isEnough = isMain ? uses > 0 : uses > 1
      guard isEnough, looks < Self.mostLooks else {
        if !isMain { ghost.insert(details[slot].fingerprint, limit: count * 9 / 10) }
        remove(slot)
        return slot
      }
      moveToMain(slot, uses: isMain ? uses - 1 : 0)
    }
    return nil
  }

  /// The oldest chunk of the requested queue, or of the other if that one is empty.
  private func oldest(_ isMain: inout Bool) -> Int? {
    if let slot = queues.oldest(in: isMain ? Self.main : Self.small) { return slot }
    isMain.toggle()
    return queues.oldest(in: isMain ? Self.main : Self.small)
  }

  private mutating func moveToMain(_ slot: Int, uses: UInt8) {
    let weight = Int(details[slot].weight)
    charge(slot, -weight)
    marks[slot] = Mark.isInMain | uses
    charge(slot, weight)
    queues.remove(slot)
    queues.append(slot, to: Self.main)
  }

  /// Adds `weight` to the queue that the chunk's mark names.
  private mutating func charge(_ slot: Int, _ weight: Int) {
    if marks[slot] & Mark.isInMain != 0 { mainWeight += weight } else { smallWeight += weight }
  }
}
