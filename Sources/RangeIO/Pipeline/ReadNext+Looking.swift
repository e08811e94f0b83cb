/// A stage that keeps the bytes it returns.
protocol CacheStage: AnyObject, Sendable {
  /// Drops what it has of `range`.
  func discard(_ range: ByteRange, of source: SourceDescription)

  /// Where the bytes of `range` would come from now. The parts are in order and together make up `range`. Must read
  /// nothing and count nothing.
  func explain(_ range: ByteRange, of source: SourceDescription, next: ReadNext) -> [ReadExplanation.Part]

  /// True if the two keep bytes in the same store: a fetch of one through the other would wait for itself.
  func sharesStore(with other: any CacheStage) -> Bool

  /// Drops a version that is no longer read.
  func endReading(of source: SourceDescription)

  /// The parts of `range` that would have to be fetched: not kept, and not in flight.
  ///
  /// - Parameter count: the size of the reads that need it. The result is empty if reads of that size bypass the cache.
  func missing(_ range: ByteRange, of source: SourceDescription, forReadsOf count: Int) -> [ByteRange]

  /// The room in the cache for what is read ahead; `nil` if it holds nothing until it is read.
  var aheadBudget: ReadAheadBudget? { get }

  /// The first part of `range` that the cache has room for.
  func kept(of range: ByteRange, of source: SourceDescription) -> ByteRange
}

extension ReadNext {
  /// The nearest cache below, the description that it sees of `source`, and whether a stage in between shows other bytes
  /// than it.
  private func cache(
    below source: SourceDescription?
  ) -> (cache: any CacheStage, source: SourceDescription?, isDerived: Bool)? {
    var (link, source, isDerived) = (link, source, false)
    while true {
      if let stage = link as? StageLink {
        if let cache = stage.role?.cache { return (cache, source, isDerived) }
        link = stage.next.link
      } else if let underiving = link as? BaseDescriptionLink {
        (source, isDerived) = (source?.base ?? source, true)
        link = underiving.next.link
      } else {
        return nil
      }
    }
  }

  /// The parts of `range` that would have to be fetched. `nil` if that is unknown: no stage below keeps anything, or a
  /// stage in between shows other bytes.
  func missing(_ range: ByteRange, of source: SourceDescription, forReadsOf count: Int) -> [ByteRange]? {
    guard let (cache, _, isDerived) = self.cache(below: nil), !isDerived else { return nil }
    return cache.missing(range, of: source, forReadsOf: count)
  }

  /// The first part of `range` that would be kept. Below a stage that shows another source this is approximate.
  func kept(of range: ByteRange, of source: SourceDescription) -> ByteRange {
    guard case (let cache, let below?, let isDerived)? = self.cache(below: source) else { return range }
    guard isDerived else { return cache.kept(of: range, of: source) }
    // Which bytes the range becomes there is unknown here, but not how many they may be.
    let count = cache.kept(of: 0..<min(range.count, below.byteCount), of: below).count
    return range.lowerBound..<range.lowerBound + count
  }

  /// The room in the nearest cache below for what is read ahead.
  var aheadBudget: ReadAheadBudget? { cache(below: nil)?.cache.aheadBudget }

  /// A stream asks for no more. Its last read ended at one of `offsets`.
  func leaveSequence(at offsets: ClosedRange<Int>, of source: SourceDescription) {
    var link = link
    while let stage = link as? StageLink {
      if case .readingAhead(_, let leave) = stage.role { leave(offsets, source) }
      link = stage.next.link
    }
  }

  /// Drops what is read ahead and cached of `range`, down to the first stage that shows other bytes.
  func discard(_ range: ByteRange, of source: SourceDescription) {
    var link = link
    while let stage = link as? StageLink {
      switch stage.role {
      case .caching(let cache): cache.discard(range, of: source)
      case .readingAhead(let discard, _): discard(range, source)
      default: break
      }
      link = stage.next.link
    }
  }

  /// A stage below keeps what is read through this.
  var isKept: Bool { cache(below: nil) != nil }
}
