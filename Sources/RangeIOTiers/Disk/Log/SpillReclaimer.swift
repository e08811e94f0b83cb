import RangeIO

/// Decides which segment of a spill directory is freed, and which of its blocks are copied on. A value: the writer
/// tells it what there is, and does what it says. The rules and their numbers are in
/// `Docs/Decisions/0017-spill-eviction.md` and 0032.
struct SpillReclaimer {
  /// A segment with a live share below this is freed before all others.
  static let emptyBelow = 0.2
  /// A segment is spared, once, if this share of it was read since it was written. This needs no copying.
  static let sparedFrom = 0.7
  /// The share of the segments that may be spared before one is freed.
  static let maxSparedShare = 0.125
  /// Records that were read this often are copied.
  static let hitsToCopy = 2
  /// The share of a segment that may be copied when one is freed.
  static let maxCopiedShare = 0.35

  struct Candidate: Equatable {
    let place: UInt32
    /// Its place in the order in which segments are freed.
    let rank: UInt64
    let length: Int
    var liveBytes = 0
    /// The part of the live bytes that was read.
    var hitBytes = 0

    fileprivate var liveShare: Double { Double(liveBytes) / Double(max(1, length)) }
    fileprivate var hitShare: Double { Double(hitBytes) / Double(max(1, length)) }
  }

  struct Victim: Equatable {
    let place: UInt32
    /// The segments that get a later rank, in this order: they were its turn before the victim, but were read. If it is
    /// the only candidate, this may include the victim.
    var spared: [UInt32] = []
    /// All its live records are copied, so that nothing is evicted.
    var isMerged = false
  }

  let segmentBytes: Int
  /// The number of segments above which small ones are merged: twice as many as full ones would fit. Then the smallest
  /// is less than half full, so copying it costs less than half a segment.
  let maxSegments: Int

  init(segmentBytes: Int, limit: Int) {
    self.segmentBytes = segmentBytes
    maxSegments = max(16, limit / segmentBytes * 2)
  }

  /// The room for tombstones that must be copied from a victim to the open segment.
  ///
  /// Without an open segment (`free` is 0) there is nowhere to copy them to. They must not fill a new one, or making room
  /// would gain nothing. Then an older segment goes, for which they are needed.
  func roomForTombstones(free: Int) -> Int { max(0, min(free, segmentBytes / 2)) }

  /// The segment to free now: one that is nearly empty, otherwise the oldest that is not spared.
  func victim(among candidates: [Candidate]) -> Victim? {
    guard let emptiest = candidates.min(by: { $0.liveShare < $1.liveShare }) else { return nil }
    guard emptiest.liveShare >= Self.emptyBelow else { return Victim(place: emptiest.place) }
    let oldestFirst = candidates.sorted { $0.rank < $1.rank }
    let most = max(1, Int(Double(oldestFirst.count) * Self.maxSparedShare))
    let spared = oldestFirst.prefix(most).prefix { $0.hitShare >= Self.sparedFrom }
    // If all were spared, the oldest of them.
    let chosen = spared.count < oldestFirst.count ? oldestFirst[spared.count] : oldestFirst[0]
    return Victim(place: chosen.place, spared: spared.map(\.place))
  }

  /// The segment to merge into the open one, in which `free` bytes are left, if there are too many segments: each time a
  /// process opens the directory, it leaves one that is not full.
  func victimToMerge(among candidates: [Candidate], of count: Int, free: Int) -> Victim? {
    guard count > maxSegments else { return nil }
    // `length` includes the footer: otherwise only a part would be copied, and copied again another time.
    let small = candidates.filter { $0.length <= segmentBytes / 2 && $0.length <= free }
    return small.min { $0.length < $1.length }.map { Victim(place: $0.place, isMerged: true) }
  }

  // MARK: what is copied on

  /// The records of a victim, collected in one walk through the index.
  struct Survey {
    enum Step: Equatable {
      /// It leaves with the victim, or is copied.
      case leave
      case spendHit
      /// It is elsewhere.
      case stay
    }

    private let victim: Victim
    private let spared: Set<UInt32>
    private var survivors: [SpillTable.Record] = []

    init(_ victim: Victim) {
      self.victim = victim
      spared = Set(victim.spared)
    }

    /// Sees a record of the index. Takes a hit from those of spared segments.
    mutating func see(_ record: SpillTable.Record) -> Step {
      if record.segment == victim.place {
        if victim.isMerged || record.hits >= SpillReclaimer.hitsToCopy { survivors.append(record) }
        return .leave
      }
      return spared.contains(record.segment) ? .spendHit : .stay
    }

    /// Returns the records to copy, in the order of the victim's file, and the blocks that were read but must go. At
    /// most `room` bytes are copied, but a victim that is merged is always copied whole.
    func copies(room: Int) -> (copied: [SpillTable.Record], forgotten: [SpillTable.Record]) {
      guard !victim.isMerged else { return (survivors.sorted { $0.offset < $1.offset }, []) }
      let mostReadFirst = survivors.sorted { ($0.hits, $1.offset) > ($1.hits, $0.offset) }
      var room = room
      let chosen = mostReadFirst.prefix { record in
        room -= record.span
        return room >= 0
      }
      return (chosen.sorted { $0.offset < $1.offset }, Array(mostReadFirst.dropFirst(chosen.count)))
    }
  }

  /// The bytes of a victim that may be copied: none if so much waits to be written that it is more urgent.
  func roomForCopies(isCopying: Bool, isBehind: Bool) -> Int {
    isCopying && !isBehind ? Int(Double(segmentBytes) * Self.maxCopiedShare) : 0
  }
}
