/// A policy's memory of evicted chunks: fingerprints of their keys. It forgets the oldest first.
///
/// Bounded by the limit that comes with each insertion, and deterministic. Two chunks with the same fingerprint are
/// confused with each other. That happens to one look-up in 2^32 ∕ count; its only effect is one more chunk in the
/// wrong queue.
///
/// A table of buckets of 16 places, three places for two chunks, 5 bytes each: 7.5 bytes for each chunk remembered.
/// Ages are kept in *ticks*; the limit is 64 ticks, so forgetting is exact to one part in 64. A full bucket drops its
/// oldest chunk early: this affects one chunk in twelve, after nine tenths of its time.
package struct Ghost: Sendable {
  private static let bucketSize = 16
  private static let ticksToLimit = 64
  /// Chunks that come back leave holes, so that the remembered chunks may span more than 64 ticks. Tick numbers repeat
  /// after 256; this leaves the sweep at least 63.
  private static let maxTicks: UInt8 = 192
  /// At this rate the sweep passes the whole table within 32 ticks.
  private static let placesSweptAtOnce = 3

  private(set) var count = 0

  /// Zero in an empty place. Places of forgotten chunks are free too, but cleared later.
  private var fingerprints: [UInt32] = []
  private var births: [UInt8] = []
  /// The number of remembered chunks that came in each tick.
  private var countOfTick: [UInt32] = []
  private var now: UInt8 = 0
  private var oldest: UInt8 = 0
  private var insertionsInTick = 0
  private var sweepPlace = 0
  /// The limit that the table was made for.
  private var size = 0

  package init() {}

  /// 32 bits of a hash of `key`, never zero.
  package static func fingerprint(of key: UInt64) -> UInt32 {
    // Blocks of one source differ in a few low bits. Two rounds of xor and multiplication spread them over all bits.
    var bits = key
    bits = (bits ^ (bits >> 32)) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 29)) &* 0xD6E8_FEB8_6659_FD93
    return max(1, UInt32(truncatingIfNeeded: bits >> 32))
  }

  /// Remembers a chunk, and at most `limit` chunks in all.
  package mutating func insert(_ fingerprint: UInt32, limit: Int) {
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

  /// Forgets a chunk because it is back. Returns `true` if it was remembered.
  package mutating func remove(_ fingerprint: UInt32) -> Bool {
    guard count > 0 else { return false }
    for place in bucket(of: fingerprint) where fingerprints[place] == fingerprint && isRemembered(births[place]) {
      vacate(place)
      return true
    }
    return false
  }

  package var byteCount: Int { fingerprints.count * 5 + countOfTick.count * 4 }

  private func bucket(of fingerprint: UInt32) -> Range<Int> {
    let buckets = UInt64(fingerprints.count / Self.bucketSize)
    let first = Int((UInt64(fingerprint) * buckets) >> 32) * Self.bucketSize
    return first..<first + Self.bucketSize
  }

  private func age(_ birth: UInt8) -> UInt8 { now &- birth }
  private func isRemembered(_ birth: UInt8) -> Bool { age(birth) <= age(oldest) }

  /// Puts a fingerprint into a free place of its bucket, or replaces the bucket's oldest chunk.
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
    if age(oldest) >= Self.maxTicks { forgetOldestTick() }
    now &+= 1
    insertionsInTick = 0
  }

  private mutating func forgetOldestTick() {
    count -= Int(countOfTick[Int(oldest)])
    countOfTick[Int(oldest)] = 0
    oldest &+= 1
  }

  /// Clears forgotten places before the number of their tick repeats.
  private mutating func sweep() {
    for _ in 0..<Self.placesSweptAtOnce {
      if !isRemembered(births[sweepPlace]) { fingerprints[sweepPlace] = 0 }
      sweepPlace += 1
      if sweepPlace == fingerprints.count { sweepPlace = 0 }
    }
  }

  /// Rebuilds the table for `limit` chunks. Seldom: when the limit has grown by over a quarter, or shrunk to under a
  /// quarter.
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
