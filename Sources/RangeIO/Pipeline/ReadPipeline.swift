/// The stages between a reader and its source, from the top down.
///
/// Usually you pass the stages as a trailing closure. Make a pipeline first if the stages read state that is isolated
/// to an actor, or if several readers use the same stages:
///
/// ```swift
/// let pipeline = ReadPipeline {
///   observing
///   if let key { Unscrambling(key: key) }
/// }
/// let reader = try await RangeReader(source, pipeline)
/// ```
public struct ReadPipeline: Sendable {
  let stages: [any ReadStage]

  /// Creates a pipeline of the stages listed, from the top down. You can use `if`, `else`, `for` and optionals.
  public init(@ReadPipeline.Builder _ stages: () throws -> [any ReadStage]) rethrows { self.stages = try stages() }

  init(_ stages: [any ReadStage]) { self.stages = stages }

  /// Creates a pipeline without stages.
  package init() { stages = [] }
}

extension ReadPipeline {
  /// Collects the stages of a pipeline.
  @resultBuilder public enum Builder {
    /// One stage, or none.
    public static func buildExpression(_ stage: (any ReadStage)?) -> [any ReadStage] { stage.map { [$0] } ?? [] }
    /// All stages of another pipeline.
    public static func buildExpression(_ pipeline: ReadPipeline) -> [any ReadStage] { pipeline.stages }
    /// One stage after the other.
    public static func buildBlock(_ parts: [any ReadStage]...) -> [any ReadStage] { parts.flatMap { $0 } }
    /// `if` without `else`.
    public static func buildOptional(_ part: [any ReadStage]?) -> [any ReadStage] { part ?? [] }
    /// `if`.
    public static func buildEither(first part: [any ReadStage]) -> [any ReadStage] { part }
    /// `else`.
    public static func buildEither(second part: [any ReadStage]) -> [any ReadStage] { part }
    /// `for`.
    public static func buildArray(_ parts: [[any ReadStage]]) -> [any ReadStage] { parts.flatMap { $0 } }
  }
}

extension ReadPipeline {
  /// What the stages make of `below`.
  func describe(_ below: SourceDescription) -> SourceDescription {
    stages.reversed().reduce(below) { $1.describe($0) }
  }

  /// What the stages have done, from the top down.
  func statistics() -> [ReadCounts] { stages.compactMap { $0.statistics() } }

  /// Tells caches to drop a version that is no longer read.
  ///
  /// - Parameter source: the source as the topmost stage shows it.
  func endReading(_ source: SourceDescription) {
    var source = source
    for stage in stages {
      // Stages above see what this one derives; stages below see what it was derived from.
      (stage.linked as? any CacheStage)?.endReading(of: source)
      if let base = source.base, stage.describe(base).id.hasSameBytes(as: source.id) { source = base }
    }
  }

  /// Links the stages above `bottom`, for the source that `below` describes.
  ///
  /// - Throws: `ReadError.Code.invalidConfiguration` for an order that cannot work.
  func link(above bottom: ReadNext, for below: SourceDescription) throws(ReadError) -> ReadNext {
    try checkOrder()
    var next = bottom
    var description = below
    for stage in stages.reversed() {
      let above = stage.describe(description)
      guard above === description || above.base === description else {
        throw ReadError(
          .invalidConfiguration,
          "\(type(of: stage)) makes up a description: return `below` as it is, or `below.deriving(…)`")
      }
      _ = try above.checked()
      next = next.under(stage, changesSource: above !== description)
      description = above
    }
    return next
  }

  /// Whether both are caches with the same store: a fetch of one through the other would wait for itself.
  private func shareStore(_ one: any ReadStage, _ other: any ReadStage) -> Bool {
    guard let one = one.linked as? any CacheStage, let other = other.linked as? any CacheStage else { return false }
    return one.sharesStore(with: other)
  }

  private func checkOrder() throws(ReadError) {
    for (index, stage) in stages.enumerated() {
      let (placement, below) = (stage.placement, stages[(index + 1)...])
      for other in below {
        guard placement.canStandAbove(other.placement) else {
          throw ReadError(
            .invalidConfiguration, "\(type(of: other)) belongs above \(type(of: stage)): list it before")
        }
        guard !placement.isUnique || other.placement != placement else {
          throw ReadError(
            .invalidConfiguration, "\(type(of: stage)) stands twice in this pipeline: list it once")
        }
      }
      guard !below.contains(where: { shareStore($0, stage) }) else {
        throw ReadError(
          .invalidConfiguration,
          "two caches of this pipeline keep in one store, and would wait for each other: give one a store of its own")
      }
      guard !placement.needsCaching || below.contains(where: { $0.placement.isCaching }) else {
        throw ReadError(
          .invalidConfiguration, "\(type(of: stage)) needs a cache that keeps what it reads: list Caching below it")
      }
    }
  }
}
