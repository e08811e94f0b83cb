/// The reads of a policy's chunks that a tuner is to hear of: of a part of the keys, chosen by a hash.
///
/// Keys have a *level*: one key in two has 1 or more, one in four 2 or more, up to 7. Only keys of a given level or
/// higher are sampled. A policy keeps the level in the upper three bits of its mark, so that a hit needs one comparison
/// with ``floor``.
struct ReadSample: Sendable {
  /// What happened to a key: it was read, or the store has it no longer, for a reason other than making room.
  enum Event: UInt64, Sendable {
    case miss, hit, removal
  }

  static let highestLevel = 7
  /// Reads that wait to be told. Further ones are dropped: only a cache that nearly always hits has so many between two
  /// misses, and needs no tuning.
  private static let maxWaiting = 256

  /// Marks from here on are those of sampled chunks; no mark is above 254. While no further read can wait, there are none.
  private(set) var floor: UInt8
  /// The floor while reads can wait.
  private var levelFloor: UInt8
  private let seed: UInt32
  /// What happened to each is in the lowest two bits.
  private var fingerprints: [UInt64] = []
  private var first = 0

  /// Nothing is sampled.
  static let none = ReadSample(floor: .max, seed: 0)

  /// Everything is sampled, until ``set(level:)``.
  static func all(seed: UInt32) -> ReadSample { ReadSample(floor: 0, seed: seed) }

  var isOn: Bool { levelFloor != .max }

  private init(floor: UInt8, seed: UInt32) {
    self.floor = floor
    levelFloor = floor
    self.seed = seed
  }

  mutating func set(level: Int) {
    levelFloor = UInt8(level) << 5
    if floor != .max { floor = levelFloor }
  }

  /// The level of a key, in the upper three bits.
  func level(of fingerprint: UInt32) -> UInt8 {
    isOn ? UInt8(Self.level(of: fingerprint, seed: seed)) << 5 : 0
  }

  static func level(of fingerprint: UInt32, seed: UInt32) -> Int {
    // The finalizer of MurmurHash3 (A. Appleby): ghosts and sketches take the bits of the fingerprint as they are.
    var hash = fingerprint ^ seed
    hash = (hash ^ hash >> 16) &* 0x85EB_CA6B
    hash = (hash ^ hash >> 13) &* 0xC2B2_AE35
    return min(Self.highestLevel, (hash ^ hash >> 16).trailingZeroBitCount)
  }

  mutating func note(_ fingerprint: UInt32, _ event: Event) {
    guard fingerprints.count < Self.maxWaiting else { return }
    if fingerprints.isEmpty { fingerprints.reserveCapacity(Self.maxWaiting) }
    fingerprints.append(UInt64(fingerprint) << 2 | event.rawValue)
    // Hits then cost nothing.
    if fingerprints.count == Self.maxWaiting { floor = .max }
  }

  /// The next read that waits.
  mutating func next() -> (fingerprint: UInt32, event: Event)? {
    guard first < fingerprints.count else {
      fingerprints.removeAll(keepingCapacity: true)
      first = 0
      floor = levelFloor
      return nil
    }
    defer { first += 1 }
    return (UInt32(fingerprints[first] >> 2), Event(rawValue: fingerprints[first] & 3)!)
  }
}
