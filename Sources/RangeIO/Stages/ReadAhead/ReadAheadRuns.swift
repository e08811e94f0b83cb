/// Detects which reads of a source follow one another, and decides what to prefetch for them: reads go in, ranges come
/// out. It never reads, waits or locks.
///
/// A *run* is a sequence of reads with one rule: each begins near the end of the last one (forwards), ends near the
/// beginning of the last one (backwards), or begins at a fixed distance from it (strided). Three reads make a run. The
/// last sixteen reads that belong to no run are remembered, so that runs may be interleaved with each other and with
/// random reads. A strided run needs four reads if other reads come in between, because three random offsets form an
/// arithmetic progression too often.
///
/// A run has a window: the number of bytes to prefetch for it. The window doubles each time two pieces of it are used up by a
/// reader that waits for them, or one where the source measures what a connection brings. It shrinks by an eighth if all that
/// was asked for is here by then: the reader is slow.
///
/// A read may say how far its reader will go on. Then it makes a run by itself, and nothing is prefetched beyond that.
struct ReadAheadRuns {
  /// Limits set by the source and the caller.
  struct Bounds {
    let byteCount: Int
    /// Forward and backward prefetches are whole blocks of this grid.
    let grid: BlockGrid
    /// The most bytes to prefetch for a run.
    let longest: Int
    /// The window of a run at least, if its reader has said how far it goes on.
    var least = 0
    /// How many pieces of a window are asked for at once.
    var pieces = 4
    /// The bytes that all runs together may have ahead.
    var room = Int.max

    /// The same, of a source that ends at `end`.
    func ending(at end: Int) -> Bounds {
      Bounds(byteCount: min(byteCount, end), grid: grid, longest: longest, least: least, pieces: pieces, room: room)
    }
  }

  /// How a reader keeps up with what is read ahead for it.
  enum Pace {
    /// It waits for the bytes: more ahead may help.
    case waits
    /// What it reads is here, and more is under way.
    case ahead
    /// All that was asked for is here: the reader is slower than the source, and needs less.
    case falls
  }

  struct Noticed: Equatable {
    /// The run that the read belongs to.
    var run: Int?
    /// The ranges to prefetch, in the order in which the run will need them.
    var ask: [ByteRange] = []
    var ended: [Int] = []
  }

  enum Rule: Equatable {
    case forwards
    case backwards
    /// This many bytes from start to start.
    case strided(Int)
  }

  struct Run {
    let number: Int
    let rule: Rule
    var last: ByteRange
    var window: Int
    /// The offset up to which the run has prefetched: going forwards an end, going backwards a start, in a strided run the next
    /// start to prefetch.
    var frontier: Int
    var lastUsed: Int
    /// As of its last read.
    var pace = Pace.waits
  }

  /// The most runs at once. One more ends the least recently used run.
  static let maxRuns = 8
  /// A run ends if none of this many reads belongs to it.
  static let patience = 256
  private static let remembered = 16
  /// The most bytes to prefetch for a run, whatever the settings: no budget allows as many, and they would be thousands
  /// of pieces.
  static let maxAhead = 1 << 30
  /// The most reads of a strided run to prefetch.
  static let maxStrides = 64

  /// The most recently used run comes first.
  private(set) var runs: [Run] = []
  /// Reads that belong to no run, the oldest first.
  private var strangers: [ByteRange] = []
  private var reads = 0
  private var lastNumber = 0

  /// Records a read of `range`.
  ///
  /// - Parameter isHit: whether the cache had it. Strides are searched only among reads that were not hits: a run that
  ///   begins among hits is detected when it leaves them.
  /// - Parameter pace: how the reader keeps up.
  /// - Parameter end: where the reader will stop, if it has said so; until there it reads everything.
  mutating func notice(
    _ range: ByteRange, _ bounds: Bounds, isHit: Bool = false, _ pace: Pace = .waits, until end: Int? = nil
  ) -> Noticed {
    reads += 1
    let isAnnounced = end.map { $0 > range.upperBound } ?? false
    var bounds = end.map(bounds.ending) ?? bounds
    let own = runs.firstIndex { Self.continues($0, range) }
    let others = runs.indices.count { $0 != own && reads - runs[$0].lastUsed <= Self.patience / 4 }
    bounds.room /= others + 1
    // They have as many connections together.
    if bounds.least > 0 { bounds.pieces = max(2, bounds.pieces / (others + 1)) }
    var noticed = Noticed()
    if let index = own {
      if index > 0 { runs.insert(runs.remove(at: index), at: 0) }
      runs[0].lastUsed = reads
      runs[0].pace = pace
      // There was no room, and may be some by now. No doubling would tell.
      if runs[0].window == 0 { runs[0].window = Self.firstWindow(range, bounds) }
      if isAnnounced, pace == .waits {
        runs[0].window = max(runs[0].window, min(bounds.least, Self.longest(range, bounds)))
      }
      Self.advance(&runs[0], to: range)
      noticed.run = runs[0].number
      noticed.ask = Self.extend(&runs[0], bounds)
    } else if let rule = isAnnounced ? .forwards : rule(of: range, isHit) {
      lastNumber += 1
      let window = isAnnounced ? Self.announcedWindow(range, bounds) : Self.firstWindow(range, bounds)
      var run = Run(
        number: lastNumber, rule: rule, last: range, window: window, frontier: 0, lastUsed: reads)
      run.frontier = Self.next(after: run)
      noticed.run = run.number
      noticed.ask = Self.extend(&run, bounds)
      strangers.removeAll { Self.belongs($0, to: rule, endingWith: range) }
      runs.insert(run, at: 0)
      if runs.count > Self.maxRuns { noticed.ended.append(runs.removeLast().number) }
    } else {
      strangers.append(range)
      if strangers.count > Self.remembered { strangers.removeFirst() }
    }
    // Rare enough to cost almost nothing.
    if reads & 31 == 0 {
      noticed.ended += runs.filter { reads - $0.lastUsed > Self.patience }.map(\.number)
      runs.removeAll { reads - $0.lastUsed > Self.patience }
    }
    return noticed
  }

  /// The prefetch of `range` failed: it will be requested again.
  mutating func retract(_ run: Int, to range: ByteRange) {
    guard let index = runs.firstIndex(where: { $0.number == run }) else { return }
    switch runs[index].rule {
    case .forwards: runs[index].frontier = min(runs[index].frontier, range.lowerBound)
    case .backwards: runs[index].frontier = max(runs[index].frontier, range.upperBound)
    case .strided(let stride):
      runs[index].frontier =
        stride > 0 ? min(runs[index].frontier, range.lowerBound) : max(runs[index].frontier, range.lowerBound)
    }
    // Shrinks the window: after a failure, do not request more.
    runs[index].window = max(min(runs[index].last.count, Self.maxAhead), runs[index].window / 2)
  }

  /// Ends runs that go forwards and have read up to one of `offsets`. Returns their numbers.
  mutating func end(at offsets: ClosedRange<Int>) -> [Int] {
    func isOver(_ run: Run) -> Bool { run.rule == .forwards && offsets.contains(run.last.upperBound) }
    defer { runs.removeAll(where: isOver) }
    return runs.filter(isOver).map(\.number)
  }

  /// The run with this number has not ended.
  func isUnderWay(_ number: Int) -> Bool { runs.contains { $0.number == number } }

  mutating func endAll() -> [Int] {
    defer { (runs, strangers) = ([], []) }
    return runs.map(\.number)
  }

  // MARK: rules

  /// The greatest distance of a read from where its run expects it: when a caller reads ahead itself, its reads may overtake one
  /// another.
  private static func slack(_ range: ByteRange) -> Int { min(max(min(range.count, 2 << 20) * 4, 64 << 10), maxSlack) }

  /// As many bytes as a stream asks for at once.
  private static let maxSlack = 8 << 20

  private static func continues(_ run: Run, _ range: ByteRange) -> Bool {
    let slack = slack(range)
    switch run.rule {
    case .forwards:
      return range.lowerBound - run.last.upperBound <= slack && run.last.lowerBound - range.lowerBound <= slack
    case .backwards:
      return run.last.lowerBound - range.upperBound <= slack && range.upperBound - run.last.upperBound <= slack
    case .strided(let stride):
      let distance = range.lowerBound - run.last.lowerBound
      // One read may be missing.
      return distance == stride || distance == 2 * stride || distance == 0
    }
  }

  /// A range that was asked for so far behind the last read that no read there would belong to the run: it was skipped.
  ///
  /// - Parameter isStream: the windows of a stream may overtake one another further than their sizes tell: its last one is short.
  static func hasLeft(_ range: ByteRange, _ run: Run, isStream: Bool = false) -> Bool {
    switch run.rule {
    case .forwards: run.last.lowerBound - range.upperBound > (isStream ? maxSlack : slack(run.last))
    case .backwards: range.lowerBound - run.last.upperBound > slack(run.last)
    case .strided(let stride):
      stride > 0 ? range.lowerBound < run.last.lowerBound : range.lowerBound > run.last.lowerBound
    }
  }

  private static func advance(_ run: inout Run, to range: ByteRange) {
    switch run.rule {
    case .forwards: if range.upperBound > run.last.upperBound { run.last = range }
    case .backwards: if range.lowerBound < run.last.lowerBound { run.last = range }
    case .strided: run.last = range
    }
  }

  /// The rule that `range` follows together with earlier reads.
  private func rule(of range: ByteRange, _ isHit: Bool) -> Rule? {
    // Nearly every read is far from all remembered reads, and then this costs one comparison for each of them.
    for one in strangers.reversed() where Self.areNear(range, one) {
      if Self.follows(range, one), strangers.contains(where: { Self.follows(one, $0) }) { return .forwards }
      if Self.follows(one, range), strangers.contains(where: { Self.follows($0, one) }) { return .backwards }
    }
    return (strideOfLastTwo(to: range) ?? (isHit ? nil : stride(to: range))).map(Rule.strided)
  }

  /// True if `range` begins near the end of `earlier`.
  private static func follows(_ range: ByteRange, _ earlier: ByteRange) -> Bool {
    let gap = range.lowerBound - earlier.upperBound
    return gap <= slack(range, earlier) && range.lowerBound > earlier.lowerBound
      && range.upperBound > earlier.upperBound && (gap >= 0 || -gap <= min(range.count, earlier.count) / 2)
  }

  /// True if one of two reads could follow the other. A quick test: it may be true for reads that do not follow, but is never false
  /// for reads that do.
  private static func areNear(_ a: ByteRange, _ b: ByteRange) -> Bool {
    // No offset is negative, and no count is so large that a sum overflows.
    let count = max(a.upperBound &- a.lowerBound, b.upperBound &- b.lowerBound)
    let distance = a.lowerBound &- b.lowerBound
    return (distance < 0 ? 0 &- distance : distance) &- count <= min(max(count, 16 << 10), 1 << 20)
  }

  /// The greatest distance from the end of the first read to the start of the second.
  private static func slack(_ a: ByteRange, _ b: ByteRange) -> Int { min(max(a.count, b.count, 16 << 10), 1 << 20) }

  private func stride(to range: ByteRange) -> Int? {
    // Nearly every searched offset is missing. A 64-bit filter of the remembered offsets shows that without a search.
    func bit(_ offset: Int) -> UInt64 { 1 << ((UInt64(bitPattern: Int64(offset)) &* 0x9E37_79B9_7F4A_7C15) >> 58) }
    let bits = strangers.reduce(UInt64(0)) { $0 | bit($1.lowerBound) }
    func isThere(_ offset: Int) -> Bool {
      strangers.contains { $0.lowerBound == offset && Self.areAlike($0, range) }
    }
    for one in strangers.reversed() where Self.areAlike(one, range) {
      let distance = range.lowerBound - one.lowerBound
      guard distance != 0, case let (second, o1) = one.lowerBound.subtractingReportingOverflow(distance), !o1,
        case let (third, o2) = second.subtractingReportingOverflow(distance), !o2, bits & bit(second) != 0,
        bits & bit(third) != 0
      else { continue }
      if isThere(second), isThere(third) { return distance }
    }
    return nil
  }

  /// The stride of the last two reads and this one. If no read came in between, three are enough.
  private func strideOfLastTwo(to range: ByteRange) -> Int? {
    guard strangers.count >= 2 else { return nil }
    let (first, last) = (strangers[strangers.count - 2], strangers[strangers.count - 1])
    let distance = range.lowerBound - last.lowerBound
    guard distance != 0, last.lowerBound - first.lowerBound == distance, Self.areAlike(last, range),
      Self.areAlike(first, range)
    else { return nil }
    return distance
  }

  private static func areAlike(_ a: ByteRange, _ b: ByteRange) -> Bool {
    a.count / 2 <= b.count && b.count / 2 <= a.count
  }

  private static func belongs(_ stranger: ByteRange, to rule: Rule, endingWith range: ByteRange) -> Bool {
    switch rule {
    case .forwards: stranger.upperBound <= range.upperBound && range.lowerBound - stranger.upperBound <= 4 << 20
    case .backwards: stranger.lowerBound >= range.lowerBound && stranger.lowerBound - range.upperBound <= 4 << 20
    case .strided(let stride): (range.lowerBound - stranger.lowerBound) % stride == 0
    }
  }
}
