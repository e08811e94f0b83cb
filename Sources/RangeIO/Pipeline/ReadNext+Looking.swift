/// A stage that keeps what it hands up.
protocol CacheStage: AnyObject, Sendable {
  /// What its store knows sources by.
  var sources: ChunkSources { get }

  /// What would have to be fetched of `range`: not kept, and not on its way.
  ///
  /// - Parameter count: the bytes of the reads that it is wanted for. Empty if reads of that size pass the cache by.
  func missing(_ range: ByteRange, of source: SourceDescription, forReadsOf count: Int) -> [ByteRange]

  /// The beginning of `range`, as much of it as there would be room for.
  func kept(of range: ByteRange, of source: SourceDescription) -> ByteRange

  /// Lets go of what is kept of `range`.
  func discard(_ range: ByteRange, of source: SourceDescription)
}

extension ReadNext {
  /// What would have to be fetched of `range`; `nil` if there is no telling: nothing below keeps anything, or a stage in
  /// between shows it differently.
  func missing(_ range: ByteRange, of source: SourceDescription, forReadsOf count: Int) -> [ByteRange]? {
    nearestCache?.missing(range, of: source, forReadsOf: count)
  }

  /// The beginning of `range`, as much of it as would be kept; all of it, if there is no telling.
  func kept(of range: ByteRange, of source: SourceDescription) -> ByteRange {
    nearestCache?.kept(of: range, of: source) ?? range
  }

  /// The cache below, unless a stage in between shows its source differently.
  private var nearestCache: (any CacheStage)? {
    var link = link
    while let stage = link as? StageLink {
      if let cache = stage.cache { return cache }
      link = stage.next.link
    }
    return nil
  }

  /// Lets go of what is read ahead and kept of `range`, down to where a stage shows it differently.
  func discard(_ range: ByteRange, of source: SourceDescription) {
    var link = link
    while let stage = link as? StageLink {
      stage.readAhead?.discard(range, of: source)
      stage.cache?.discard(range, of: source)
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
