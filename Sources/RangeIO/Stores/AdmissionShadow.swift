/// A simulation of what a store would hold if it kept everything that is read a second time, and if the reads bypassed it:
/// for a sample of the blocks, two lists in the order of their last reads. A pure value.
///
/// Which blocks are in the sample follows from a hash of their numbers, so that all reads of these are seen, and none of
/// others. Each list has room for the same share of the store's bytes. Its order is LRU's: what the store's own policy does
/// better, such as keeping a part of a loop that does not fit, is not counted.
///
/// Source: C. Waldspurger, T. Saemundsson, I. Ahmad, N. Park, "Cache modeling and optimization using miniature
/// simulations", USENIX ATC '17.
struct AdmissionShadow: Sendable {
  /// The result that a read would have had.
  enum Outcome: Sendable {
    /// It would have the bytes.
    case hit
    /// It would keep them now: they were read lately, and are not there.
    case admitted
    /// They would bypass it.
    case first
  }

  /// The results of a read in both simulations: the store keeps second reads, or reads bypass it.
  struct Outcomes: Equatable, Sendable {
    var keeping: Outcome
    var bypassing: Outcome
  }

  /// The room of a simulation: bytes for blocks read twice, and the number of blocks remembered after one read.
  struct Room: Equatable, Sendable {
    var bytes: Int
    var touches: Int
  }

  private struct Entry {
    var key: UInt64
    var weight: Int
    var isHeld: Bool
  }
  private static let held = 0
  private static let touched = 1

  private var places: [UInt64: Int] = [:]
  private var entries: [Entry] = []
  private var free: [Int] = []
  private var queues = SlotQueues(2)
  private(set) var heldBytes = 0
  private(set) var touchCount = 0
  /// The blocks that the store would hold if reads bypassed it.
  private(set) var bypassing = HeldBlocks()
  private var readCount = 0

  /// Notes a read of the block with this key.
  ///
  /// - Parameter weight: what the store would charge for it.
  /// - Complexity: O(1), amortized.
  mutating func read(_ key: UInt64, weight: Int, room: Room) -> Outcomes {
    let isHit = bypassing.read(key, weight: weight)
    let keeping = keep(key, weight: weight, room: room)
    let isAdmitted = !isHit && keeping != .first && (bypassing.bytes + weight <= room.bytes || isKeptThisTime())
    if isAdmitted { bypassing.add(key, weight: weight) }
    bypassing.trim(to: room.bytes)
    return Outcomes(keeping: keeping, bypassing: isHit ? .hit : isAdmitted ? .admitted : .first)
  }

  private mutating func isKeptThisTime() -> Bool {
    readCount += 1
    return readCount % AdmissionGain.bypassShare == 0
  }

  private mutating func keep(_ key: UInt64, weight: Int, room: Room) -> Outcome {
    guard let place = places[key] else {
      let place = add(Entry(key: key, weight: weight, isHeld: false))
      queues.append(place, to: Self.touched)
      touchCount += 1
      while touchCount > room.touches, let oldest = queues.oldest(in: Self.touched) { forget(oldest) }
      return .first
    }
    let wasHeld = entries[place].isHeld
    queues.remove(place)
    queues.append(place, to: Self.held)
    if wasHeld { heldBytes -= entries[place].weight } else { touchCount -= 1 }
    entries[place].isHeld = true
    entries[place].weight = max(weight, wasHeld ? entries[place].weight : 0)
    heldBytes += entries[place].weight
    while heldBytes > room.bytes, let oldest = queues.oldest(in: Self.held) { letGo(oldest) }
    return wasHeld ? .hit : .admitted
  }

  private mutating func add(_ entry: Entry) -> Int {
    let place: Int
    if let last = free.popLast() {
      place = last
      entries[place] = entry
    } else {
      place = entries.count
      entries.append(entry)
    }
    places[entry.key] = place
    return place
  }

  /// Takes a block out of the simulated store; it is still known to have been read.
  private mutating func letGo(_ place: Int) {
    queues.remove(place)
    queues.append(place, to: Self.touched)
    heldBytes -= entries[place].weight
    entries[place].isHeld = false
    touchCount += 1
  }

  private mutating func forget(_ place: Int) {
    queues.remove(place)
    touchCount -= 1
    places[entries[place].key] = nil
    free.append(place)
  }
}
