/// Queues of slots, each in the order of arrival. A slot can be removed from any position in constant time.
///
/// Stores the order and nothing else. All queues are doubly linked through one array: 8 bytes a slot, however many
/// queues there are, and up to a quarter more in reserve. A slot is in one queue at most.
struct SlotQueues: Sendable {
  private struct Links {
    var older: UInt32
    var newer: UInt32
    static let none = Links(older: .max, newer: .max)
  }

  /// Every queue is a ring that begins and ends at its own place, so that the ends are no special case. Those places
  /// come first, then one for each slot.
  private var links: [Links]
  private let queueCount: Int

  /// Creates `count` empty queues, numbered from zero.
  init(_ count: Int) {
    queueCount = count
    links = (0..<UInt32(count)).map { Links(older: $0, newer: $0) }
  }

  /// The slot that has been in `queue` the longest.
  func oldest(in queue: Int) -> Int? { slot(links[queue].newer) }

  /// The slot that entered the same queue next after `slot`; `nil` if `slot` is the newest.
  func next(after slot: Int) -> Int? { self.slot(links[slot + queueCount].newer) }

  func contains(_ slot: Int) -> Bool {
    slot + queueCount < links.count && links[slot + queueCount].newer != Links.none.newer
  }

  /// Adds `slot`, which is in no queue, at the newest end of `queue`.
  mutating func append(_ slot: Int, to queue: Int) {
    assert(!contains(slot), "slot \(slot) is in a queue already")
    let place = slot + queueCount
    links.extend(toHold: place, filler: .none)
    let newest = links[queue].older
    links[place] = Links(older: newest, newer: UInt32(queue))
    links[Int(newest)].newer = UInt32(place)
    links[queue].older = UInt32(place)
  }

  mutating func remove(_ slot: Int) {
    assert(contains(slot), "slot \(slot) is in no queue")
    let place = slot + queueCount
    let around = links[place]
    links[Int(around.older)].newer = around.newer
    links[Int(around.newer)].older = around.older
    links[place] = .none
  }

  var byteCount: Int { links.capacity * MemoryLayout<Links>.stride }

  private func slot(_ place: UInt32) -> Int? { Int(place) < queueCount ? nil : Int(place) - queueCount }
}

extension Array {
  /// Makes `index` valid and sets new elements to `filler`. Grows by a quarter: doubling would leave half unused.
  mutating func extend(toHold index: Int, filler: Element) {
    if index >= count { grow(toHold: index, filler) }
  }

  @inline(never) private mutating func grow(toHold index: Int, _ filler: Element) {
    let wanted = Swift.max(index + 1, count + count / 4, 16)
    reserveCapacity(wanted)
    append(contentsOf: repeatElement(filler, count: wanted - count))
  }
}
