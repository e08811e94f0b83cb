/// A cache without contents: which keys a store with a given policy and capacity would have.
///
/// Used to find out how a store of another size would do. Takes about 50 bytes for each key that it has, the policy's
/// memory included.
struct ModelCache: Sendable {
  /// The accesses that found their key.
  private(set) var hits = 0
  /// The other accesses.
  private(set) var misses = 0

  /// The limit for the sum of all weights, in bytes.
  var capacity: Int {
    didSet {
      policy.capacity = capacity
      while weight > capacity, evict() {}
    }
  }

  private var policy: any EvictionPolicy
  private var index = KeyIndex()
  private var weights: [UInt32] = []
  private var weight = 0
  /// Slots that are not used.
  private var free: [UInt32] = []

  init(capacity: Int, policy: any EvictionPolicy) {
    self.capacity = capacity
    self.policy = policy
  }

  /// Reads `key`, and keeps it if it was not there.
  mutating func access(_ key: UInt64, weight: Int) {
    if let slot = index.slot(of: key) {
      hits += 1
      policy.hit(slot)
      return
    }
    misses += 1
    guard weight <= capacity, policy.admits(key: key, weight: weight) else { return }
    while self.weight + weight > capacity, evict() {}
    let slot = free.popLast().map(Int.init) ?? index.slotCount
    weights.extend(toHold: slot, filler: 0)
    weights[slot] = UInt32(clamping: weight)
    self.weight += Int(weights[slot])
    index.add(key, slot)
    policy.insert(slot, key: key, weight: weight)
  }

  /// Returns whether there was something to evict.
  private mutating func evict() -> Bool {
    guard let slot = policy.evict() else { return false }
    weight -= Int(weights[slot])
    index.remove(slot)
    free.append(UInt32(slot))
    return true
  }
}

/// Slots by key: open addressing with linear probing, at most half full.
private struct KeyIndex: Sendable {
  /// The key in each slot.
  private var keys: [UInt64] = []
  /// A slot plus one, or 0 in an empty place.
  private var places: [UInt32] = Array(repeating: 0, count: 16)
  private var count = 0
  /// The number of slots that were ever used.
  private(set) var slotCount = 0

  func slot(of key: UInt64) -> Int? {
    var place = home(of: key)
    while places[place] != 0 {
      let slot = Int(places[place]) - 1
      if keys[slot] == key { return slot }
      place = (place + 1) & (places.count - 1)
    }
    return nil
  }

  /// - Precondition: `key` is not here, and `slot` is not used.
  mutating func add(_ key: UInt64, _ slot: Int) {
    if (count + 1) * 2 > places.count { grow() }
    keys.extend(toHold: slot, filler: 0)
    keys[slot] = key
    slotCount = max(slotCount, slot + 1)
    count += 1
    place(slot)
  }

  /// - Precondition: `slot` is used.
  mutating func remove(_ slot: Int) {
    count -= 1
    var hole = home(of: keys[slot])
    while Int(places[hole]) - 1 != slot { hole = (hole + 1) & (places.count - 1) }
    // Later entries of the same run move up, unless that would be before their home.
    var next = hole
    while true {
      next = (next + 1) & (places.count - 1)
      guard places[next] != 0 else { break }
      let wanted = home(of: keys[Int(places[next]) - 1])
      if (next - wanted) & (places.count - 1) >= (next - hole) & (places.count - 1) {
        places[hole] = places[next]
        hole = next
      }
    }
    places[hole] = 0
  }

  private func home(of key: UInt64) -> Int {
    // Fibonacci hashing: the high bits of the product depend on all bits of the key.
    Int(truncatingIfNeeded: (key &* 0xD6E8_FEB8_6659_FD93) >> 32) & (places.count - 1)
  }

  private mutating func place(_ slot: Int) {
    var place = home(of: keys[slot])
    while places[place] != 0 { place = (place + 1) & (places.count - 1) }
    places[place] = UInt32(slot + 1)
  }

  private mutating func grow() {
    let old = places
    places = Array(repeating: 0, count: old.count * 2)
    for slot in old where slot != 0 { place(Int(slot) - 1) }
  }
}
