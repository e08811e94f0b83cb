/// Queues of slots, each in the order of arrival. A slot can be removed from any position in constant time.
///
/// Stores the order and nothing else: 8 bytes a slot, however many queues there are. They are in the notes of a table, if one is
/// given, the same with each call; else in an array, with up to a quarter more in reserve. A slot is in one queue at most.
struct SlotQueues: Sendable {
  private typealias Links = BlockBacking.Links

  /// Every queue is a ring that begins and ends at its own place, so that the ends are no special case. Those places
  /// come first, then one for each slot, unless a table has them.
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
  func next(after slot: Int, _ notes: SlotNotes = .none) -> Int? { self.slot(links(slot + queueCount, notes).newer) }

  func contains(_ slot: Int, _ notes: SlotNotes = .none) -> Bool {
    (notes.facts(slot) != nil || slot + queueCount < links.count)
      && links(slot + queueCount, notes).newer != Links.none.newer
  }

  /// Adds `slot`, which is in no queue, at the newest end of `queue`.
  mutating func append(_ slot: Int, to queue: Int, _ notes: SlotNotes = .none) {
    assert(!contains(slot, notes), "slot \(slot) is in a queue already")
    let place = slot + queueCount
    if notes.facts(slot) == nil { links.extend(toHold: place, filler: .none) }
    let newest = links[queue].older
    change(place, notes) { $0 = Links(older: newest, newer: UInt32(queue)) }
    change(Int(newest), notes) { $0.newer = UInt32(place) }
    links[queue].older = UInt32(place)
  }

  mutating func remove(_ slot: Int, _ notes: SlotNotes = .none) {
    assert(contains(slot, notes), "slot \(slot) is in no queue")
    let around = links(slot + queueCount, notes)
    change(Int(around.older), notes) { $0.newer = around.newer }
    change(Int(around.newer), notes) { $0.older = around.older }
    change(slot + queueCount, notes) { $0 = .none }
  }

  var byteCount: Int { links.capacity * MemoryLayout<Links>.stride }

  private func slot(_ place: UInt32) -> Int? { Int(place) < queueCount ? nil : Int(place) - queueCount }

  private func links(_ place: Int, _ notes: SlotNotes) -> Links {
    place < queueCount ? links[place] : notes.facts(place - queueCount)?.pointee.links ?? links[place]
  }

  private mutating func change(_ place: Int, _ notes: SlotNotes, _ body: (inout Links) -> Void) {
    if place >= queueCount, let facts = notes.facts(place - queueCount) {
      body(&facts.pointee.links)
    } else {
      body(&links[place])
    }
  }
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
