import RangeIO

extension SpillState {
  /// Enters the contents of a segment, unless a newer segment says otherwise. `removed` has the tombstones of newer
  /// segments, by the slots of sources; those of this segment are added. Returns the segment's place.
  ///
  /// - Parameter codec: the identity of the store's codec. What another codec of the user's has encoded is not entered.
  ///   `nil`: all is, to be counted and not read.
  @discardableResult package mutating func enter(
    _ contents: SpillOpening.Contents, readingCodec codec: UInt64? = nil, _ removed: inout [Int: SpillRemovedBlocks]
  ) -> UInt32 {
    let (number, writer, footer) = (contents.segment.number, contents.segment.codec, contents.footer)
    let overhead = contents.segment.overhead
    let place = add(.init(segment: contents.segment, rank: number, length: contents.length, isSealed: true))
    // A footer does not say how each chunk is encoded. Some may be LZ4's, copied from an older segment: those are lost.
    let isForeign = codec.map { writer != 0 && writer != $0 } ?? false
    // A source beyond the maximum is not known, so its records here are not found.
    let slots = footer.identities.map { sources.enter($0) }
    for (local, slot) in slots.enumerated() {
      guard let slot else { continue }
      places[Int(place)]!.locals[slot] = UInt32(local)
      sources[slot].newestSegment = max(sources[slot].newestSegment, number)
    }
    for tombstone in footer.tombstones {
      guard let slot = slots[Int(tombstone.source)] else { continue }
      removed[slot, default: SpillRemovedBlocks()].add(tombstone.blocks, bound: tombstone.bound)
      places[Int(place)]!.tombstones.append((slot, tombstone.blocks, tombstone.bound))
    }
    let removedHere = slots.map { slot -> SpillRemovedBlocks? in
      guard let slot else { return nil }
      removed[slot]?.prepare(forQuestions: footer.entries.count)
      return removed[slot]
    }
    for entry in footer.entries.reversed() {
      guard let slot = slots[Int(entry.source)], entry.block <= SpillTable.maxBlock, entry.lower == 0,
        Int(entry.count) == sources[slot].identity.count(ofBlock: Int(entry.block)),
        Int(entry.stored) <= Int(entry.count) + overhead,
        !isForeign || Int(entry.stored) == Int(entry.count) + overhead,
        table.find(source: slot, block: Int(entry.block)) == 0,
        // Sums can be made right: no age overflows.
        entry.fetchedAt >= 0
      else { continue }
      guard removedHere[Int(entry.source)]?.removes(entry.block, entry.sequence) != true else { continue }
      set(
        slot, Int(entry.block),
        SpillTable.Record(segment: place, offset: entry.offset, stored: entry.stored, fetchedAt: entry.fetchedAt))
    }
    return place
  }
}
