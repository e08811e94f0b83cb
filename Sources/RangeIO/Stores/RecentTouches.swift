import Synchronization

/// Remembers which blocks were read recently, approximately and in constant space: 32,768 of them in 64 KiB.
///
/// A table of fingerprints with four per place; a new block replaces the oldest of the four. With only one per place,
/// two blocks that share it and are read alternately would always be forgotten, and so never kept. The table forgets
/// some blocks, and mistakes one in 8,192 for another.
final class RecentTouches: @unchecked Sendable {
  // Unchecked: a pointer to memory that is only accessed atomically, freed with its one owner.
  private static let count = 1 << 13
  /// The number of blocks that it remembers.
  static let capacity = 4 * count

  /// Four fingerprints each, the newest in the lowest bits. 0 means none.
  private let places: UnsafeMutablePointer<Atomic<UInt64>>

  init() {
    places = .allocate(capacity: Self.count)
    for index in 0..<Self.count { (places + index).initialize(to: Atomic(0)) }
  }

  deinit { places.deallocate() }

  /// Checks whether a touch is remembered. `hash`: the well-mixed hash of the block.
  func remembers(_ hash: UInt64) -> Bool {
    Self.holds(place(of: hash).pointee.load(ordering: .relaxed), Self.fingerprint(hash))
  }

  /// Records a touch.
  ///
  /// - Parameter hash: the well-mixed hash of the block.
  /// - Returns: `true` if it was already remembered.
  @inline(__always) func touch(_ hash: UInt64) -> Bool {
    let place = place(of: hash)
    let fingerprint = Self.fingerprint(hash)
    let four = place.pointee.load(ordering: .relaxed)
    guard !Self.holds(four, fingerprint) else { return true }
    // If two threads touch at once, one of the touches may be lost.
    place.pointee.store(four << 16 | fingerprint, ordering: .relaxed)
    return false
  }

  private func place(of hash: UInt64) -> UnsafeMutablePointer<Atomic<UInt64>> {
    places + (Int(truncatingIfNeeded: hash) & (Self.count - 1))
  }

  private static func fingerprint(_ hash: UInt64) -> UInt64 { hash >> 48 | 1 }

  private static func holds(_ four: UInt64, _ fingerprint: UInt64) -> Bool {
    // Tests whether one of four 16-bit numbers is zero (Hacker's Delight, 6-1): no bit is set unless one is.
    let differences = four ^ (fingerprint &* 0x0001_0001_0001_0001)
    return (differences &- 0x0001_0001_0001_0001) & ~differences & 0x8000_8000_8000_8000 != 0
  }
}
