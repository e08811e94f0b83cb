import RangeIO

/// The tombstones that freed segments leave to the open one, because an older segment may need them.
///
/// There may be hundreds of thousands, so the store's lock is held only to copy where they are. Only the writer changes
/// what is copied, and it does not while this is made.
struct SpillNeededTombstones {
  /// A sealed segment.
  struct Segment {
    let place: UInt32
    let number: UInt64
    let locals: [Int: UInt32]
    let tombstones: [SpillState.Tombstone]
  }

  private(set) var byPlace: [UInt32: [SpillState.Tombstone]] = [:]
  /// The tombstones and sources that were looked at. For tests.
  private(set) var work = 0

  /// - Parameter unread: the oldest segment whose contents are not known.
  init(_ segments: [Segment], unread: UInt64?) {
    // Sources with tombstones, of which no segment so far has anything.
    var unseen = Set(segments.lazy.flatMap(\.tombstones).map(\.slot))
    for segment in segments.sorted(by: { $0.number < $1.number }) {
      let (tombstones, locals) = (segment.tombstones, segment.locals)
      work += 2 * tombstones.count + min(locals.count, unseen.count)
      let isUnknown = unread.map { $0 < segment.number } ?? false
      byPlace[segment.place] = isUnknown ? tombstones : tombstones.filter { !unseen.contains($0.slot) }
      if locals.count < unseen.count {
        unseen.subtract(locals.keys)
      } else {
        unseen = unseen.filter { locals[$0] == nil }
      }
    }
  }

  /// Tombstones that say the same as these, as few as possible.
  static func merged(_ tombstones: [SpillState.Tombstone]) -> [SpillState.Tombstone] {
    var bySlot: [Int: SpillRemovedBlocks] = [:]
    for (slot, blocks, bound) in tombstones { bySlot[slot, default: .init()].add(blocks, bound: bound) }
    return bySlot.flatMap { slot, removed in
      removed.lists.reduce([]) { SpillRemovedBlocks.merge($0, $1) }
        .map { (slot: slot, blocks: $0.blocks, bound: $0.bound) }
    }
  }
}

extension SpillState {
  /// The sealed segments with their tombstones, and the oldest one whose contents are not known.
  var tombstones: (segments: [SpillNeededTombstones.Segment], unread: UInt64?) {
    let segments = places.indices.compactMap { index -> SpillNeededTombstones.Segment? in
      guard let place = places[index], place.isSealed else { return nil }
      return .init(
        place: UInt32(index), number: place.segment.number, locals: place.locals, tombstones: place.tombstones)
    }
    return (segments, unread.keys.min())
  }
}

extension SpillWriter {
  func neededTombstones() -> [UInt32: [SpillState.Tombstone]] {
    let (segments, unread) = core.state.withLock { $0.tombstones }
    return SpillNeededTombstones(segments, unread: unread).byPlace
  }

  /// The segments whose tombstones take at most so much space in the open one. If those of one take more, the ones that
  /// say the same are merged.
  func segmentsToCarry(upTo most: Int) -> Set<UInt32> {
    var fitting: Set<UInt32> = []
    for (place, needed) in neededTombstones() {
      var space = spaceToCarry(needed)
      if space > most, most > 0 {
        var merged = SpillNeededTombstones.merged(needed)
        if merged.count < needed.count {
          space = spaceToCarry(merged)
          // What no older segment needs now, none will.
          core.state.withLock { swap(&merged, &$0.places[Int(place)]!.tombstones) }
        }
      }
      if space <= most { fitting.insert(place) }
    }
    return fitting
  }

  /// The space that tombstones take in the open segment.
  func spaceToCarry(_ tombstones: [SpillState.Tombstone]) -> Int {
    let one = core.recordCount(payload: SpillFormat.tombstoneCount) + SpillFooter.tombstoneCount
    let known = appender.open?.locals ?? [:]
    var sum = tombstones.count * one
    var unknown = Array(Set(tombstones.lazy.map(\.slot).filter { known[$0] == nil }))[...]
    while !unknown.isEmpty {
      let part = unknown.prefix(SpillState.sweptAtOnce)
      unknown = unknown.dropFirst(part.count)
      sum += core.state.withLock { state in
        part.reduce(0) { $0 + core.space(identity: state.sources[$1].identity.bytes.count) }
      }
    }
    return sum
  }
}
