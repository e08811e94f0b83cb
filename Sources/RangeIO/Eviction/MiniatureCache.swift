/// A cache of fingerprints without bytes: tells how often a cache would hit.
///
/// Send it the reads of a sample of the keys, chosen by a hash (``ReadSample``), and give it the same share of the
/// capacity: then it hits as often as the whole cache would, nearly. Needs 16 bytes for each fingerprint, and what the
/// policy needs.
///
/// Source: C. Waldspurger, T. Saemundsson, I. Ahmad, N. Park, "Cache Modeling and Optimization using Miniature
/// Simulations", USENIX ATC '17.
struct MiniatureCache<Policy: EvictionPolicy>: Sendable {
  package private(set) var policy: Policy
  /// The limit for the sum of all weights.
  package private(set) var capacity: Int
  package private(set) var hits = 0
  private(set) var misses = 0
  private var weight = 0
  private var fingerprints: [UInt32] = []
  private var weights: [UInt32] = []
  private var free: [UInt32] = []
  /// Slots by fingerprint, with open addressing; `.max` where there is none.
  private var places: [UInt32]
  package private(set) var count = 0

  /// - Parameter policy: of the same capacity.
  init(_ policy: Policy, capacity: Int) {
    self.policy = policy
    self.capacity = capacity
    places = Self.table(for: 0)
  }

  /// Made for the fingerprints that there are: there may be room for any number.
  private static func table(for count: Int) -> [UInt32] { Array(repeating: .max, count: max(8, count * 4)) }

  package var byteCount: Int { (fingerprints.capacity + weights.capacity + free.capacity + places.capacity) * 4 }

  /// Changes the room. Evicts what no longer fits.
  mutating func resize(to capacity: Int) {
    self.capacity = capacity
    policy.capacity = capacity
    while weight > capacity, evict() {}
  }

  private mutating func grow() {
    let stored = places.filter { $0 != .max }
    places = Self.table(for: stored.count)
    for slot in stored { places[place(of: fingerprints[Int(slot)])] = slot }
  }

  /// Reads a key; stores it if it is missing. Returns `true` if it was there.
  package mutating func read(_ fingerprint: UInt32, weight: Int = 1) -> Bool {
    let slot = places[place(of: fingerprint)]
    if slot != .max {
      hits += 1
      policy.hit(Int(slot))
      return true
    }
    misses += 1
    if weight <= capacity, policy.admits(key: UInt64(fingerprint), weight: weight) { store(fingerprint, weight) }
    return false
  }

  /// Reads a key; does not store it if it is missing.
  mutating func readWithoutStoring(_ fingerprint: UInt32) {
    let slot = places[place(of: fingerprint)]
    if slot == .max {
      misses += 1
    } else {
      hits += 1
      policy.hit(Int(slot))
    }
  }

  /// Removes a key, if it is here.
  mutating func remove(_ fingerprint: UInt32) {
    let slot = places[place(of: fingerprint)]
    guard slot != .max else { return }
    policy.remove(Int(slot))
    vacate(Int(slot))
  }

  private mutating func store(_ fingerprint: UInt32, _ weight: Int) {
    while self.weight + weight > capacity, evict() {}
    if (count + 1) * 2 > places.count { grow() }
    // Without free slots, all up to here are used.
    let slot = free.popLast().map(Int.init) ?? count
    fingerprints.extend(toHold: slot, filler: 0)
    weights.extend(toHold: slot, filler: 0)
    fingerprints[slot] = fingerprint
    weights[slot] = UInt32(clamping: weight)
    places[place(of: fingerprint)] = UInt32(slot)
    self.weight += Int(weights[slot])
    count += 1
    policy.insert(slot, key: UInt64(fingerprint), weight: weight)
  }

  /// Returns `true` if there was something to evict.
  private mutating func evict() -> Bool {
    guard let slot = policy.evict() else { return false }
    vacate(slot)
    return true
  }

  /// Empties a slot that the policy has forgotten.
  private mutating func vacate(_ slot: Int) {
    empty(place(of: fingerprints[slot]))
    free.append(UInt32(slot))
    weight -= Int(weights[slot])
    count -= 1
  }

  /// Where a fingerprint is, or where it belongs.
  private func place(of fingerprint: UInt32) -> Int {
    var place = home(of: fingerprint)
    while places[place] != .max, fingerprints[Int(places[place])] != fingerprint { place = next(place) }
    return place
  }

  private func home(of fingerprint: UInt32) -> Int { Int((UInt64(fingerprint) &* UInt64(places.count)) >> 32) }
  private func next(_ place: Int) -> Int { place + 1 == places.count ? 0 : place + 1 }

  /// Empties a place, and moves back what had to go past it.
  private mutating func empty(_ place: Int) {
    var (hole, place) = (place, next(place))
    while places[place] != .max {
      let home = home(of: fingerprints[Int(places[place])])
      // Whether the hole is between home and place, around the end of the table.
      let isReachable = hole <= place ? home <= hole || home > place : home <= hole && home > place
      if isReachable {
        places[hole] = places[place]
        hole = place
      }
      place = next(place)
    }
    places[hole] = .max
  }
}
