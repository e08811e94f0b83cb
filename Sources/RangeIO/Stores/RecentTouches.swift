import Synchronization

/// Remembers which blocks were read lately, roughly and in constant space: 32,768 of them in 64 KiB.
///
/// A table of fingerprints in which a newer block takes the place of an older one. It forgets some, and takes one in
/// 65,536 for another.
final class RecentTouches: @unchecked Sendable {
  // Unchecked: a pointer to what is only touched atomically, freed with its one owner.
  private static let count = 1 << 15

  private let fingerprints: UnsafeMutablePointer<Atomic<UInt16>>

  init() {
    fingerprints = .allocate(capacity: Self.count)
    for index in 0..<Self.count { (fingerprints + index).initialize(to: Atomic(0)) }
  }

  deinit { fingerprints.deallocate() }

  /// Whether a touch is remembered.
  func remembers(_ hash: UInt64) -> Bool {
    let place = fingerprints + (Int(truncatingIfNeeded: hash) & (Self.count - 1))
    return place.pointee.load(ordering: .relaxed) == UInt16(truncatingIfNeeded: hash >> 48) | 1
  }

  /// Notes a touch.
  ///
  /// - Parameter hash: of the block, well mixed.
  /// - Returns: whether it is remembered from before.
  func touch(_ hash: UInt64) -> Bool {
    let place = fingerprints + (Int(truncatingIfNeeded: hash) & (Self.count - 1))
    // 0 stands for none.
    let fingerprint = UInt16(truncatingIfNeeded: hash >> 48) | 1
    guard place.pointee.load(ordering: .relaxed) != fingerprint else { return true }
    place.pointee.store(fingerprint, ordering: .relaxed)
    return false
  }
}
