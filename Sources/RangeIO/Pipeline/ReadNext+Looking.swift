/// A stage that keeps bytes which a reader may know to be of no further use.
protocol DiscardingStage: AnyObject, Sendable {
  /// Drops what it has of `range`.
  func discard(_ range: ByteRange, of source: SourceDescription)
}

/// A stage that keeps what it hands up.
protocol CacheStage: DiscardingStage {
  /// Whether the two keep in the same store: what one fetches by way of the other would wait for itself.
  func sharesStore(with other: any CacheStage) -> Bool

  /// Drops a version that is not read any more.
  func endReading(of source: SourceDescription)

  /// What would have to be fetched of `range`: not kept, and not on its way.
  ///
  /// - Parameter count: the bytes of the reads that it is wanted for. Empty if reads of that size pass the cache by.
  func missing(_ range: ByteRange, of source: SourceDescription, forReadsOf count: Int) -> [ByteRange]

  /// The beginning of `range`, as much of it as there would be room for.
  func kept(of range: ByteRange, of source: SourceDescription) -> ByteRange
}

extension ReadNext {
  /// What would have to be fetched of `range`; `nil` if there is no telling: nothing below keeps anything, or a stage in
  /// between shows it differently.
  func missing(_ range: ByteRange, of source: SourceDescription, forReadsOf count: Int) -> [ByteRange]? {
    var link = link
    while let stage = link as? StageLink {
      if let cache = stage.cache { return cache.missing(range, of: source, forReadsOf: count) }
      link = stage.next.link
    }
    return nil
  }

  /// The beginning of `range`, as much of it as would be kept; below a stage that shows another source, about as much.
  func kept(of range: ByteRange, of source: SourceDescription) -> ByteRange {
    var (link, source, isDerived) = (link, source, false)
    while true {
      if let stage = link as? StageLink {
        if let cache = stage.cache {
          guard isDerived else { return cache.kept(of: range, of: source) }
          // Which bytes it becomes there is not known here, but how many it may be.
          let count = cache.kept(of: 0..<min(range.count, source.byteCount), of: source).count
          return range.lowerBound..<range.lowerBound + count
        }
        link = stage.next.link
      } else if let underiving = link as? UnderivingLink {
        (source, isDerived) = (source.base ?? source, true)
        link = underiving.next.link
      } else {
        return range
      }
    }
  }

  /// Drops what is read ahead and cached of `range`, down to where a stage shows it differently.
  func discard(_ range: ByteRange, of source: SourceDescription) {
    var link = link
    while let stage = link as? StageLink {
      stage.discarding?.discard(range, of: source)
      link = stage.next.link
    }
  }

  /// Whether something below keeps what is read through this.
  var isKept: Bool {
    var link = link
    while true {
      if let stage = link as? StageLink {
        if stage.cache != nil { return true }
        link = stage.next.link
      } else if let underiving = link as? UnderivingLink {
        link = underiving.next.link
      } else {
        return false
      }
    }
  }
}
