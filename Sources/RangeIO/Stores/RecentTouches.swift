import Synchronization

/// Remembers which blocks were read lately, roughly and in constant space: 32,768 of them in 64 KiB.
///
/// A table of fingerprints, four to a place, in which a newer block takes the place of the oldest of its four. With one to a
/// place two blocks that share one and are read in turn would be forgotten for ever, and so never kept. It forgets some,
/// and takes one in 8,192 for another.
final class RecentTouches: @unchecked Sendable {
  // Unchecked: a pointer to what is only touched atomically, freed with its one owner.
  private static let count = 1 << 13

  /// Of four fingerprints each, the newest in the lowest bits. 0 stands for none.
  private let places: UnsafeMutablePointer<Atomic<UInt64>>

  init() {
    places = .allocate(capacity: Self.count)
    for index in 0..<Self.count { (places + index).initialize(to: Atomic(0)) }
  }

  deinit { places.deallocate() }

  /// Whether a touch is remembered.
  ///
  /// - Parameter hash: of the block, well mixed.
  func remembers(_ hash: UInt64) -> Bool {
    Self.holds(place(of: hash).pointee.load(ordering: .relaxed), Self.fingerprint(hash))
  }

  /// Notes a touch.
  ///
  /// - Parameter hash: of the block, well mixed.
  /// - Returns: whether it is remembered from before.
  func touch(_ hash: UInt64) -> Bool {
    let place = place(of: hash)
    let fingerprint = Self.fingerprint(hash)
    let four = place.pointee.load(ordering: .relaxed)
    guard !Self.holds(four, fingerprint) else { return true }
    // Of two who touch at once one may be forgotten.
    place.pointee.store(four << 16 | fingerprint, ordering: .relaxed)
    return false
  }

  private func place(of hash: UInt64) -> UnsafeMutablePointer<Atomic<UInt64>> {
    places + (Int(truncatingIfNeeded: hash) & (Self.count - 1))
  }

  private static func fingerprint(_ hash: UInt64) -> UInt64 { hash >> 48 | 1 }

  private static func holds(_ four: UInt64, _ fingerprint: UInt64) -> Bool {
    // Whether one of four numbers of 16 bits is zero (Hacker's Delight, 6-1): no bit is set unless one is.
    let differences = four ^ (fingerprint &* 0x0001_0001_0001_0001)
    return (differences &- 0x0001_0001_0001_0001) & ~differences & 0x8000_8000_8000_8000 != 0
  }
}
