extension ReadPipeline {
  /// Where a stage may stand among the others. An order that cannot work is refused when the reader is made.
  ///
  /// The built-in stages from the top down: ``ReadAhead``, ``Caching``, ``Merging``, ``Retrying``, ``Hedging``,
  /// ``Verifying``, ``Limiting``. ``Observing``, ``TimeLimiting`` and ``Transforming`` work anywhere among them.
  ///
  /// Why other orders are refused:
  ///
  /// - Above ``Caching``, a stage that waits delays cache hits. ``Limiting`` there would hold a permit while its read
  ///   waits for a fetch that needs one too.
  /// - Above ``Retrying``, ``Limiting`` would hold a permit while that waits to retry. ``Verifying`` and ``Hedging``
  ///   would fail a read, or double it, with all its retries.
  /// - Above ``Verifying``, ``Limiting`` would not see what is read to check.
  /// - Two of ``Retrying`` or ``Hedging`` in a pipeline would multiply their retries.
  /// - Two of ``Limiting``, in different orders in two pipelines, would deadlock.
  public struct Placement: Hashable, Sendable {
    /// The places it may take among ranked stages, counted from the top down; `nil` for anywhere.
    private let ranks: ClosedRange<Int>?
    /// Whether a cache must be below it.
    let needsCaching: Bool
    /// Whether a pipeline has at most one stage of this kind.
    let isUnique: Bool

    private init(_ ranks: ClosedRange<Int>?, needsCaching: Bool = false, isUnique: Bool = false) {
      self.ranks = ranks
      self.needsCaching = needsCaching
      self.isUnique = isUnique
    }

    private init(_ rank: Int, needsCaching: Bool = false, isUnique: Bool = false) {
      self.init(rank...rank, needsCaching: needsCaching, isUnique: isUnique)
    }

    /// The stage works at every place.
    public static let anywhere = Placement(nil)
    /// The stage must see all demand, including what the cache answers.
    public static let aboveCaching = Placement(0...10)
    /// The stage is the cache.
    package static let caching = Placement(20)
    /// The stage must see only what the cache does not answer.
    public static let belowCaching = Placement(30...90)

    /// Asks ahead of reads what a cache below keeps; once in a pipeline.
    package static let readAhead = Placement(10, needsCaching: true, isUnique: true)
    // Unique for the same reason as `limiting` below: it has permits.
    /// Joins near ranges that a cache above lacks; once in a pipeline.
    package static let merging = Placement(30, isUnique: true)
    // The retries of two would multiply.
    /// Tries again; once in a pipeline.
    public static let retrying = Placement(40, isUnique: true)
    /// Makes one read several that race; once in a pipeline, below ``retrying``.
    public static let hedging = Placement(50, isUnique: true)
    /// Checks what comes up; above ``limiting``, so that its own reads are counted there.
    public static let verifying = Placement(60)
    // Two, in different orders in two pipelines, would wait for each other's permits forever.
    /// Bounds the reads of the source, next to it; once in a pipeline.
    public static let limiting = Placement(70, isUnique: true)

    /// Whether a stage of this placement can stand somewhere above one of `other`.
    func canStandAbove(_ other: Placement) -> Bool {
      guard let ranks, let others = other.ranks else { return true }
      return ranks.lowerBound <= others.upperBound
    }

    var isCaching: Bool { self == .caching }
  }
}
