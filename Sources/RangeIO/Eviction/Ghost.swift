/// What a policy remembers of chunks that it evicted: fingerprints of their keys, the oldest forgotten first.
///
/// Bounded by the limit that comes with each insertion, and deterministic. Two chunks of the same fingerprint pass for
/// each other, which one look-up in 2^32 ∕ count does: one more chunk in the wrong queue.
///
/// A table of buckets of 16 places, three places for two chunks, 5 bytes each: 7.5 bytes a chunk remembered. The age
/// is kept in *ticks*, of which 64 go into the limit, so forgetting is exact to one part in 64. A bucket that is full
/// gives up its oldest chunk early: one chunk in twelve, after nine tenths of its time.
struct Ghost: Sendable {
  private static let bucketSize = 16
  private static let ticksToLimit = 64
  /// Chunks that come back leave holes, so that the chunks remembered may span more ticks than 64. The number of a
  /// tick comes again after 256; at least 63 are left for the sweep.
  private static let mostTicks: UInt8 = 192
  /// At this rate the sweep is through the table within 32 ticks.
  private static let placesSweptAtOnce = 3

  /// Chunks remembered.
  private(set) var count = 0

  /// Zero where there is none. Places of chunks that were forgotten are free too, but swept later.
  private var fingerprints: [UInt32] = []
  /// When the chunk came.
  private var births: [UInt8] = []
  /// Chunks remembered that came in each tick.
  private var countOfTick: [UInt32] = []
  private var now: UInt8 = 0
  private var oldest: UInt8 = 0
  private var insertionsInTick = 0
  private var sweepPlace = 0
  /// The limit for which the table was made.
  private var size = 0

  /// 32 bits of a hash of `key`, never zero.
  static func fingerprint(of key: UInt64) -> UInt32 {
    // Blocks of one source differ in few low bits. Two rounds of xor and multiplication spread them over all.
    var bits = key
    bits = (bits ^ (bits >> 32)) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 29)) &* 0xD6E8_FEB8_6659_FD93
    return max(1, UInt32(truncatingIfNeeded: bits >> 32))
  }

  /// Remembers a chunk, and of all that are remembered `limit` at most.
  mutating func insert(_ fingerprint: UInt32, limit: Int) {
    let limit = max(limit, 1)
    if limit > size + size / 4 || limit < size / 4 { resize(limit) }
    if insertionsInTick >= (size + Self.ticksToLimit - 1) / Self.ticksToLimit { advance() }
    sweep()
    place(fingerprint, birth: now)
    insertionsInTick += 1
    countOfTick[Int(now)] += 1
    count += 1
    while count > limit, oldest != now { forgetOldestTick() }
  }

  /// Forgets a chunk, since it is back.
  ///
  /// - Returns: whether it was remembered.
  mutating func remove(_ fingerprint: UInt32) -> Bool {
    guard count > 0 else { return false }
    for place in bucket(of: fingerprint) where fingerprints[place] == fingerprint && isRemembered(births[place]) {
      vacate(place)
      return true
    }
    return false
  }

  /// The memory that it takes.
  var byteCount: Int { fingerprints.count * 5 + countOfTick.count * 4 }

  private func bucket(of fingerprint: UInt32) -> Range<Int> {
    let buckets = UInt64(fingerprints.count / Self.bucketSize)
    let first = Int((UInt64(fingerprint) * buckets) >> 32) * Self.bucketSize
    return first..<first + Self.bucketSize
  }

  private func age(_ birth: UInt8) -> UInt8 { now &- birth }
  private func isRemembered(_ birth: UInt8) -> Bool { age(birth) <= age(oldest) }

  /// Puts a fingerprint into a free place of its bucket, or into that of the bucket's oldest chunk.
  private mutating func place(_ fingerprint: UInt32, birth: UInt8) {
    let bucket = bucket(of: fingerprint)
    var chosen = bucket.lowerBound
    for place in bucket {
      guard fingerprints[place] != 0, isRemembered(births[place]) else {
        chosen = place
        break
      }
      if age(births[place]) > age(births[chosen]) { chosen = place }
    }
    if fingerprints[chosen] != 0, isRemembered(births[chosen]) { vacate(chosen) }
    fingerprints[chosen] = fingerprint
    births[chosen] = birth
  }

  private mutating func vacate(_ place: Int) {
    fingerprints[place] = 0
    countOfTick[Int(births[place])] -= 1
    count -= 1
  }

  private mutating func advance() {
    if age(oldest) >= Self.mostTicks { forgetOldestTick() }
    now &+= 1
    insertionsInTick = 0
  }

  private mutating func forgetOldestTick() {
    count -= Int(countOfTick[Int(oldest)])
    countOfTick[Int(oldest)] = 0
    oldest &+= 1
  }

  /// Clears what was forgotten, before its tick's number comes again.
  private mutating func sweep() {
    for _ in 0..<Self.placesSweptAtOnce {
      if !isRemembered(births[sweepPlace]) { fingerprints[sweepPlace] = 0 }
      sweepPlace += 1
      if sweepPlace == fingerprints.count { sweepPlace = 0 }
    }
  }

  /// Rebuilds the table for `limit` chunks. Seldom: when that changed by a quarter.
  @inline(never) private mutating func resize(_ limit: Int) {
    let (oldFingerprints, oldBirths) = (fingerprints, births)
    size = max(limit, Self.bucketSize)
    let buckets = (size + size / 2 + Self.bucketSize - 1) / Self.bucketSize
    fingerprints = Array(repeating: 0, count: buckets * Self.bucketSize)
    births = Array(repeating: now, count: fingerprints.count)
    if countOfTick.isEmpty { countOfTick = Array(repeating: 0, count: 256) }
    sweepPlace = 0
    for (fingerprint, birth) in zip(oldFingerprints, oldBirths) where fingerprint != 0 && isRemembered(birth) {
      place(fingerprint, birth: birth)
    }
  }
}
