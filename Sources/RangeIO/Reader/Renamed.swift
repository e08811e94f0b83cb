// Names of before, so that the compiler says what they are called now. They go after the first release.

public import SystemPackage

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

  /// Now ``answer(_:of:)``.
  @available(*, unavailable, message: "write 'answer(_:of:)', which returns '.here(bytes)' or '.later'")
  public func ready(_ range: ByteRange, of source: SourceDescription) -> Bytes? { nil }

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

extension ReadAdvice {
  /// Now ``willNeed``.
  @available(*, unavailable, renamed: "willNeed")
  public static var willRead: ReadAdvice { .willNeed }

  /// Now ``dontNeed``.
  @available(*, unavailable, renamed: "dontNeed")
  public static var discard: ReadAdvice { .dontNeed }
}

extension RangeReader {
  /// Now ``advise(_:_:)``.
  @available(*, unavailable, message: "use 'advise(.willNeed, range)'")
  public nonisolated func willRead(_ range: ByteRange) {}

  /// Now ``advise(_:_:)``.
  @available(*, unavailable, message: "use 'advise(.dontNeed, range)'")
  public nonisolated func discard(_ range: ByteRange) {}

  /// Now of the stream.
  @available(*, unavailable, message: "use 'stream().lines(maxLength:)'")
  public nonisolated func lines(longest: ByteCount) -> ByteStream.LineSequence { stream().lines }
}

extension ByteStream {
  /// Now ``lines(maxLength:)``.
  @available(*, unavailable, renamed: "lines(maxLength:)")
  public func lines(longest: ByteCount) -> LineSequence { lines }
}

extension ChunkStore {
  /// Now ``setTimeLimits(age:idle:)``.
  @available(*, unavailable, renamed: "setTimeLimits(age:idle:)")
  public func limit(age: Duration?, idle: Duration?) {}
}

extension Bytes {
  /// Now ``withSpan(_:)``.
  @available(*, unavailable, renamed: "withSpan(_:)")
  public func withBytes<Result, E: Error>(_ body: (RawSpan) throws(E) -> Result) throws(E) -> Result {
    try withSpan(body)
  }

  /// Now `init(unsafeNoCopy:owner:)`.
  @available(*, unavailable, renamed: "init(unsafeNoCopy:owner:)")
  public init(unsafeShowing memory: UnsafeRawBufferPointer, owner: any AnyObject & Sendable) { self.init() }

  /// Now `init(count:initializingWith:)`.
  @available(*, unavailable, renamed: "init(count:initializingWith:)")
  public init(count: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) { self.init() }
}

extension Bytes.Cursor {
  /// Now ``bytes(_:)``.
  @available(*, unavailable, renamed: "bytes(_:)")
  public mutating func take(_ count: Int) throws(ReadError) -> Bytes { try bytes(count) }
}

extension FileSource {
  /// Now `withDescriptor(of:for:mayBlock:_:)`.
  @available(*, unavailable, renamed: "withDescriptor(of:for:mayBlock:_:)")
  public nonisolated(nonsending) func withDescriptor<Value: Sendable>(
    of source: SourceDescription, for range: ByteRange, waits: Bool,
    _ work: @escaping @Sendable (FileDescriptor) throws -> Value
  ) async throws -> Value { try await withDescriptor(of: source, for: range, work) }
}

/// Now a part of ``ReadStage``.
@available(
  *, unavailable, renamed: "ReadStage", message: "conform to 'ReadStage', and write 'answer' in place of 'ready'"
)
public protocol ReadyStage {}

extension ReadNext {
  /// Now ``answer(_:)``.
  @available(*, unavailable, message: "write 'answer(_:)', which returns '.here(response)' or '.later'")
  public func ready(_ request: ReadRequest) -> ReadResponse? { nil }
}

extension DeferredPiece {
  /// Now one initializer for both.
  @available(*, unavailable, message: "write 'answer: { .here(bytes) }' in place of 'loadNow', and 'load'")
  public init(
    range: ByteRange, wanted: ByteRange, ticket: ChunkTicket, shouldPromote: Bool = false,
    loadNow: @escaping @Sendable () -> Bytes?
  ) { self.init(range: range, wanted: wanted, ticket: ticket, shouldPromote: shouldPromote) { _ in loadNow() } }
}
