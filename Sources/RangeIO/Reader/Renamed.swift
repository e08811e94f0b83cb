// Names of before, so that the compiler says what they are called now. They go after the first release.

/// Now `.caching`.
@available(*, unavailable, renamed: "ReadPipeline.caching")
public enum Caching {}

/// Now `.merging`.
@available(*, unavailable, renamed: "ReadPipeline.merging")
public enum Merging {}

/// Now `.retrying`.
@available(*, unavailable, renamed: "ReadPipeline.retrying")
public enum Retrying {}

/// Now `.timeLimit`.
@available(*, unavailable, renamed: "ReadPipeline.timeLimit")
public enum TimeLimiting {}

/// Now `.hedging`.
@available(*, unavailable, renamed: "ReadPipeline.hedging")
public enum Hedging {}

/// Now `.verifying`.
@available(*, unavailable, renamed: "ReadPipeline.verifying")
public enum Verifying {}

/// Now `.decoding`.
@available(*, unavailable, renamed: "ReadPipeline.decoding")
public enum Transforming {}

/// Now `.limiting`.
@available(*, unavailable, renamed: "ReadPipeline.limiting")
public enum Limiting {}

/// Now `.readAhead`.
@available(*, unavailable, renamed: "ReadPipeline.readAhead")
public enum ReadAhead {}

/// Now ``Counters``.
@available(*, unavailable, renamed: "Counters")
public enum ReadCounts {}

/// Now ``Counters``, of which a store returns an array.
@available(*, unavailable, renamed: "Counters")
public enum TierStatistics {}

/// Now ``Eviction``.
@available(*, unavailable, renamed: "Eviction")
public enum EvictionPolicyFactory {}

/// Now ``ReadClock``.
@available(*, unavailable, renamed: "ReadClock")
public enum TimeSource {}

/// Now ``ReadClock.Instant``.
@available(*, unavailable, renamed: "ReadClock.Instant")
public enum ReadInstant {}

extension ReadPipeline {
  /// Gone: stages are listed in an array.
  @available(*, unavailable, message: "list the stages in an array: '[.caching(store), .retrying()]'")
  public enum Builder {}

  /// Now ``remoteObject(cache:timeLimit:maxConcurrentReads:hedges:)``.
  @available(*, unavailable, renamed: "remoteObject(cache:timeLimit:maxConcurrentReads:hedges:)")
  public static func remoteObject(
    keepingIn store: any ChunkStore, timeLimit: Duration? = nil, concurrentReads: Int = 16, hedges: Bool = false
  ) -> ReadPipeline { [] }
}

extension RangeSource where Self: ~Copyable {
  /// Now a trait of the description.
  @available(*, unavailable, message: "set 'answersCancellation' in the traits of the description")
  public var isPrompt: Bool { false }

  /// Now a trait of the description.
  @available(*, unavailable, message: "set 'reportsChanges' in the traits of the description")
  public var tellsOfChanges: Bool { false }

  /// Now `read(_ ranges:of:)`.
  @available(*, unavailable, message: "use 'read(grid.pieces(of: range).map(\\.range), of: source)'")
  public func read(
    _ range: ByteRange, of source: SourceDescription, scatteredBy grid: BlockGrid
  ) async throws -> [Bytes] { [] }
}

extension SourceDescription.Traits {
  /// Now variables.
  @available(*, unavailable, message: "write 'var traits = SourceDescription.Traits()', and set its variables")
  public init(
    cost: SourceDescription.Cost, mayGrow: Bool = false, isSettled: Bool = true, isAppendOnly: Bool = false,
    context: (any AnyObject & Sendable)? = nil
  ) { self.init() }
}
