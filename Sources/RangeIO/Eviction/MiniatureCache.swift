/// A cache of fingerprints without bytes: tells how often a cache would hit.
///
/// Send it the reads of a sample of the keys, chosen by a hash (``ReadSample``), and give it the same share of the
/// capacity: then it hits as often as the whole cache would, nearly. Needs 12 bytes for each fingerprint, and what the
/// policy needs.
///
/// Source: C. Waldspurger, T. Saemundsson, I. Ahmad, N. Park, "Cache Modeling and Optimization using Miniature
/// Simulations", USENIX ATC '17.
package struct MiniatureCache<Policy: EvictionPolicy>: Sendable {
  package var policy: Policy
  /// The number of fingerprints that there is room for.
  package private(set) var capacity: Int
  private var fingerprints: [UInt32] = []
  private var free: [UInt32] = []
  /// Slots by fingerprint, with open addressing; `.max` where there is none.
  private var places: [UInt32]
  package private(set) var count = 0

  /// - Parameter policy: for as many chunks of weight 1.
  package init(_ policy: Policy, capacity: Int) {
    self.policy = policy
    self.capacity = capacity
    places = Self.table(for: 0)
  }

  /// Made for the fingerprints that there are: there may be room for any number.
  private static func table(for count: Int) -> [UInt32] { Array(repeating: .max, count: max(8, count * 4)) }

  package var byteCount: Int { (fingerprints.capacity + free.capacity + places.capacity) * 4 }

  /// Changes the room. Evicts what no longer fits.
  package mutating func resize(to capacity: Int) {
    self.capacity = capacity
    policy.capacity = capacity
    while count > capacity { evict() }
  }

  private mutating func grow() {
    let stored = places.filter { $0 != .max }
    places = Self.table(for: stored.count)
    for slot in stored { places[place(of: fingerprints[Int(slot)])] = slot }
  }

  /// Reads a key; stores it if it is missing. Returns whether it was there.
  package mutating func read(_ fingerprint: UInt32) -> Bool {
    let slot = places[place(of: fingerprint)]
    if slot != .max {
      policy.hit(Int(slot))
      return true
    }
    if count >= capacity { evict() }
    if (count + 1) * 2 > places.count { grow() }
    let new = free.popLast() ?? UInt32(fingerprints.count)
    if new == fingerprints.count { fingerprints.append(fingerprint) } else { fingerprints[Int(new)] = fingerprint }
    places[place(of: fingerprint)] = new
    policy.insert(Int(new), key: UInt64(fingerprint), weight: 1)
    count += 1
    return false
  }

  private mutating func evict() {
    guard let slot = policy.evict() else { return }
    vacate(place(of: fingerprints[slot]))
    free.append(UInt32(slot))
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
  private mutating func vacate(_ place: Int) {
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
