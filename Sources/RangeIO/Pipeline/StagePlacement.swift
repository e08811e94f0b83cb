/// Where among the stages one works. An order that cannot work is refused when the reader is made.
///
/// The built-in stages from the top down: ``ReadAhead``, ``Caching``, ``Merging``, ``Retrying``, ``Hedging``,
/// ``Verifying``, ``Limiting``. ``Observing``, ``TimeLimiting`` and ``Transforming`` work anywhere among them.
///
/// What other orders would do: a stage that waits, above ``Caching``, holds up hits, and a permit of ``Limiting`` would
/// be held by one who waits for a fetch that needs one. Above ``Retrying``, ``Limiting`` would hold a permit through
/// its waits, and ``Verifying`` and ``Hedging`` would fail a read, or double it, with all its tries. Above
/// ``Verifying``, ``Limiting`` would not see what is read to check. Of ``Retrying`` and ``Hedging``, two in a pipeline
/// would multiply their tries; two of ``Limiting``, listed in two orders in two pipelines, would wait for each other
/// for ever.
public struct StagePlacement: Hashable, Sendable {
  /// The places from the top down that it may have among those who have ranks; `nil` for anywhere.
  private let ranks: ClosedRange<Int>?
  /// Whether there has to be a cache below it.
  let needsCaching: Bool
  /// Whether a pipeline has one of its kind at most.
  let isUnique: Bool

  private init(_ ranks: ClosedRange<Int>?, needsCaching: Bool = false, isUnique: Bool = false) {
    self.ranks = ranks
    self.needsCaching = needsCaching
    self.isUnique = isUnique
  }

  private init(_ rank: Int, needsCaching: Bool = false, isUnique: Bool = false) {
    self.init(rank...rank, needsCaching: needsCaching, isUnique: isUnique)
  }

  /// Works at every place.
  public static let anywhere = StagePlacement(nil)
  /// Must see all demand, also what the cache answers.
  public static let aboveCaching = StagePlacement(0...10)
  /// Is the cache.
  public static let caching = StagePlacement(20)
  /// Must see only what the cache does not answer.
  public static let belowCaching = StagePlacement(30...90)

  /// Asks ahead of reads what a cache below keeps; once in a pipeline.
  public static let readAhead = StagePlacement(10, needsCaching: true, isUnique: true)
  // As for limits below: it has permits.
  /// Joins near ranges that a cache above lacks; once in a pipeline.
  public static let merging = StagePlacement(30, isUnique: true)
  // The tries of two would multiply.
  /// Tries again; once in a pipeline.
  public static let retrying = StagePlacement(40, isUnique: true)
  /// Makes one read several that race; once in a pipeline, below ``retrying``.
  public static let hedging = StagePlacement(50, isUnique: true)
  /// Checks what comes up; above ``limiting``, so that its own reads are counted there.
  public static let verifying = StagePlacement(60)
  // In two orders in two pipelines they would wait for each other's permits for ever.
  /// Bounds the reads of the source, next to it; once in a pipeline.
  public static let limiting = StagePlacement(70, isUnique: true)

  /// Whether a stage of this placement can stand somewhere above one of `other`.
  func canStandAbove(_ other: StagePlacement) -> Bool {
    guard let ranks, let others = other.ranks else { return true }
    return ranks.lowerBound <= others.upperBound
  }

  var isCaching: Bool { self == .caching }
}
