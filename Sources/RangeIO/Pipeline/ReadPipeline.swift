/// The stages between a reader and its source, from the top down.
///
/// Write them as an array: each of its elements is a stage of the library, one of yours, or another pipeline.
///
/// ```swift
/// let reader = try await RangeReader(
///   source, [.stage(Unscrambling(key: 7)), .caching(store), isSlow ? .hedging() : [], .limiting(maxConcurrentReads: 8)])
/// ```
///
/// The list is made where you write it, such as on the main actor: its elements may use what is isolated there. Closures that a
/// stage calls for reads may not, so copy into a `let` what they use.
///
/// If several readers list the same pipeline, they share its stages: a limit then holds for all of them.
///
/// ```swift
/// let limit: ReadPipeline = .limiting(maxConcurrentReads: 8)
/// let one = try await RangeReader(first, [.caching(store), limit])
/// let other = try await RangeReader(second, [.caching(store), limit])
/// ```
///
/// For as many stages as a collection has elements: `keys.reduce([]) { [$0, .stage(Unscrambling(key: $1))] }`.
public struct ReadPipeline: ExpressibleByArrayLiteral, Sendable {
  /// The stages, from the top down: those of pipelines that were listed in it, too.
  public let stages: [any ReadStage]

  /// Creates a pipeline of the stages listed, from the top down.
  public init(arrayLiteral parts: ReadPipeline...) { stages = parts.flatMap(\.stages) }

  package init(stages: some Sequence<any ReadStage>) { self.stages = Array(stages) }

  /// One stage: a stage of your own. An object that several readers list is one stage for all of them.
  public static func stage(_ stage: any ReadStage) -> ReadPipeline { ReadPipeline(stages: [stage]) }
}

extension ReadPipeline {
  func describe(_ below: SourceDescription) -> SourceDescription {
    stages.reversed().reduce(below) { $1.describe($0) }
  }

  func stageStatistics() -> [Counters] { stages.compactMap { $0.statistics() } }

  /// Tells caches, and stages that read ahead, to drop a version that is no longer read.
  ///
  /// - Parameter source: the source as the topmost stage shows it.
  func endReading(_ source: SourceDescription) {
    var source = source
    for stage in stages {
      // Stages above see what this one derives; stages below see what it was derived from.
      let role = stage.knownRole
      role?.cache?.endReading(of: source)
      if case .readingAhead(let discard, _)? = role { discard(0..<source.byteCount, source) }
      if let base = source.base, stage.describe(base).id.hasSameBytes(as: source.id) { source = base }
    }
  }

  /// Links the stages above `bottom`, for the source that `below` describes. Throws
  /// `ReadError.Code.invalidConfiguration` for an order that cannot work.
  func link(above bottom: ReadNext, for below: SourceDescription) throws(ReadError) -> ReadNext {
    try checkOrder()
    var next = bottom
    var description = below
    for (index, stage) in stages.enumerated().reversed() {
      let above = stage.describe(description)
      guard above === description || above.base === description else {
        throw ReadError(
          .invalidConfiguration,
          "\(type(of: stage)) makes up a description: return `below` as it is, or `below.deriving(…)`")
      }
      _ = try above.checked()
      let caller = index > 0 ? type(of: stages[index - 1]) : nil
      next = next.under(stage, changesSource: above !== description, calledBy: caller)
      description = above
    }
    return next
  }

  /// Describes the source that is being opened, by `describe`, which a stage may try again: within the limits of the stages
  /// above it.
  nonisolated(nonsending) func opening(
    _ bottom: ReadNext, _ describe: nonisolated(nonsending) () async throws -> SourceDescription
  ) async throws -> SourceDescription {
    var deadline: ReadClock.Instant?
    for stage in stages {
      switch stage.knownRole {
      case .retrying(let opening): return try await opening(bottom, deadline, describe)
      case .limitingTime(let limit):
        let end = bottom.time.now.advanced(by: limit)
        deadline = min(end, deadline ?? end)
      default: break
      }
    }
    return try await describe()
  }

  /// True for two caches with the same store: a fetch of one through the other would wait for itself.
  private func shareStore(_ one: any ReadStage, _ other: any ReadStage) -> Bool {
    guard let one = one.knownRole?.cache, let other = other.knownRole?.cache else { return false }
    return one.sharesStore(with: other)
  }

  /// As it is listed: `.caching` for a stage of this library, the name of its type for others.
  private static func name(of stage: any ReadStage) -> String {
    let type = "\(type(of: stage))"
    guard String(reflecting: Swift.type(of: stage)) == "RangeIO.\(type)", type.hasSuffix("Stage") else { return type }
    return ".\(type.first?.lowercased() ?? "")\(type.dropFirst().dropLast("Stage".count))"
  }

  private func checkOrder() throws(ReadError) {
    for (index, stage) in stages.enumerated() {
      let (placement, below) = (stage.placement, stages[(index + 1)...])
      for other in below {
        guard placement.canStandAbove(other.placement) else {
          throw ReadError(
            .invalidConfiguration, "\(Self.name(of: other)) belongs above \(Self.name(of: stage)): list it before")
        }
        guard !placement.isUnique || other.placement != placement else {
          throw ReadError(
            .invalidConfiguration, "\(Self.name(of: stage)) stands twice in this pipeline: list it once")
        }
      }
      guard !below.contains(where: { shareStore($0, stage) }) else {
        throw ReadError(
          .invalidConfiguration,
          "two caches of this pipeline keep in one store, and would wait for each other: give one a store of its own")
      }
      guard !placement.needsCaching || below.contains(where: { $0.placement.isCaching }) else {
        throw ReadError(
          .invalidConfiguration,
          "\(Self.name(of: stage)) needs a cache that keeps what it reads: list .caching below it")
      }
    }
  }
}

extension ReadPipeline {
  /// Where a stage may stand among the others. An order that cannot work is refused when the reader is made.
  ///
  /// The built-in stages from the top down: `.readAhead`, `.caching`, `.merging`, `.retrying`, `.hedging`,
  /// `.verifying`, `.limiting`. ``Observing``, `.timeLimit` and `.decoding` work anywhere among them.
  ///
  /// Why other orders are refused:
  ///
  /// - Above `.caching`, a stage that waits delays cache hits. `.limiting` there would hold a permit while its read
  ///   waits for a fetch that needs one too.
  /// - Above `.retrying`, `.limiting` would hold a permit while that waits to retry. `.verifying` and `.hedging`
  ///   would fail a read, or double it, with all its retries.
  /// - Above `.verifying`, `.limiting` would not see what is read to check.
  /// - Two of `.retrying` or `.hedging` in a pipeline would multiply their retries.
  /// - Two of `.limiting`, in different orders in two pipelines, would deadlock.
  public struct Placement: Hashable, Sendable {
    /// The places it may take among ranked stages, counted from the top down; `nil` for anywhere.
    private let ranks: ClosedRange<Int>?
    /// Such a stage must have a cache below it.
    let needsCaching: Bool
    /// A pipeline has at most one stage of this kind.
    let isUnique: Bool

    private init(_ ranks: ClosedRange<Int>?, needsCaching: Bool = false, isUnique: Bool = false) {
      self.ranks = ranks
      self.needsCaching = needsCaching
      self.isUnique = isUnique
    }

    /// The stage works at every place.
    public static let anywhere = Placement(nil)
    /// The stage must see all demand, including what the cache answers.
    public static let aboveCaching = Placement(0...10)
    /// The stage is the cache.
    package static let caching = Placement(20...20)
    /// The stage must see only what the cache does not answer.
    public static let belowCaching = Placement(30...90)

    /// Asks ahead of reads what a cache below keeps; once in a pipeline.
    static let readAhead = Placement(10...10, needsCaching: true, isUnique: true)
    // Unique for the same reason as `limiting` below: it has permits.
    /// Joins near ranges that a cache above lacks; once in a pipeline.
    static let merging = Placement(30...30, isUnique: true)
    // The retries of two would multiply.
    /// Tries again; once in a pipeline.
    public static let retrying = Placement(40...40, isUnique: true)
    /// Makes one read several that race; once in a pipeline, below ``retrying``.
    public static let hedging = Placement(50...50, isUnique: true)
    /// Checks what comes up; above ``limiting``, so that its own reads are counted there.
    public static let verifying = Placement(60...60)
    // Two, in different orders in two pipelines, would wait for each other's permits forever.
    /// Bounds the reads of the source, next to it; once in a pipeline.
    public static let limiting = Placement(70...70, isUnique: true)

    /// True if a stage of this placement can stand somewhere above one of `other`.
    func canStandAbove(_ other: Placement) -> Bool {
      guard let ranks, let others = other.ranks else { return true }
      return ranks.lowerBound <= others.upperBound
    }

    var isCaching: Bool { self == .caching }
  }
}
