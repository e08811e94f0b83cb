/// The tombstones that a segment leaves to the open one when it is freed.
extension SpillState {
  /// A removal that was written down: the blocks of a source, by its slot, and the sequence below which it applies.
  typealias Tombstone = (slot: Int, blocks: Range<UInt64>, bound: UInt64)

  /// The tombstones of a segment that an older one may need.
  func neededTombstones(of place: UInt32) -> [Tombstone] {
    guard let victim = places[Int(place)], !victim.tombstones.isEmpty else { return [] }
    // The contents of a segment that could not be read are not known.
    if unread.keys.contains(where: { $0 < victim.segment.number }) { return victim.tombstones }
    let older = places.compactMap { $0 }.filter { $0.segment.number < victim.segment.number }
    return victim.tombstones.filter { tombstone in older.contains { $0.locals[tombstone.slot] != nil } }
  }

  /// The space that a segment's tombstones take in another segment to which they are copied.
  ///
  /// - Parameters:
  ///   - locals: the sources that are known there.
  ///   - most: if they take more than this, tombstones that say the same are merged.
  mutating func spaceToCarry(_ place: UInt32, beside locals: [Int: UInt32], upTo most: Int = .max) -> Int {
    let space = space(of: neededTombstones(of: place), beside: locals)
    guard space > most, mergeTombstones(of: place) else { return space }
    return self.space(of: neededTombstones(of: place), beside: locals)
  }

  private func space(of tombstones: [Tombstone], beside locals: [Int: UInt32]) -> Int {
    let one = SpillFormat.recordCount(payload: SpillFormat.tombstoneCount) + SpillFooter.tombstoneCount
    let unknown = Set(tombstones.lazy.map(\.slot)).filter { locals[$0] == nil }
    return unknown.reduce(tombstones.count * one) { sum, slot in
      sum + SpillAppender.space(identity: sources[slot].identity.bytes.count)
    }
  }

  /// Merges those of a segment's tombstones that say the same.
  ///
  /// - Returns: whether there are fewer now.
  private mutating func mergeTombstones(of place: UInt32) -> Bool {
    let all = places[Int(place)]!.tombstones
    var bySlot: [Int: SpillRemovedBlocks] = [:]
    for tombstone in all { bySlot[tombstone.slot, default: .init()].add(tombstone.blocks, bound: tombstone.bound) }
    let merged = bySlot.flatMap { slot, removed in
      removed.lists.reduce([]) { SpillRemovedBlocks.merge($0, $1) }
        .map { (slot: slot, blocks: $0.blocks, bound: $0.bound) }
    }
    guard merged.count < all.count else { return false }
    places[Int(place)]!.tombstones = merged
    return true
  }
}
