/// A middleware of the pipeline: sees every read on its way down and every response on its way up. Only ``read(_:next:)`` is
/// required. A stage above a cache that has no ``answer(_:next:)`` makes each cache hit an asynchronous call (36 ns), and
/// `RangeReader.cached(_:)` finds nothing below it.
///
/// This stage decodes a file in which every byte is XORed with a key:
///
/// ```swift
/// struct Unscrambling: ReadStage {
///   let key: UInt8
///   func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
///     try await next(request).map(request) { _, bytes in Bytes(bytes.map { $0 ^ key }) }
///   }
///   func describe(_ below: SourceDescription) -> SourceDescription {
///     below.deriving("xor:\(key)", byteCount: below.byteCount)
///   }
/// }
/// ```
///
/// **What the caller guarantees.** The request's ranges lie within its `source`, which came from ``describe(_:)`` of
/// this stage. Reads are concurrent and come from any thread and actor. A stage with state must protect it itself.
///
/// **What you must do.** Return exactly the bytes of each range, or throw. Pass `next` only requests within the
/// description below: it throws `ReadError.Code.invalidResponse` for others, with the name of your stage, and gives empty
/// bytes for an empty range. Honour cancellation in your own waits: `Task.sleep`, streams and `next` do. Do not hold a lock
/// while you call `next`. You may keep `next` for work that outlives the call; start that work with `next.start`,
/// and take the time from `next.time`, so that tests can control both.
public protocol ReadStage: ~Copyable, Sendable {
  /// Answers `request`, usually by calling `next`.
  nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse

  /// Returns what ``read(_:next:)`` would return now, if that needs no waiting: as a rule what `next.answer(request)` returns.
  /// A hit in a cache below then costs about 16 ns for this stage. By default ``ReadAnswer/later``, after which `read` is
  /// called, unless a stage above has an answer of its own.
  ///
  /// ```swift
  /// func answer(_ request: ReadRequest, next: ReadNext) -> ReadAnswer<ReadResponse> {
  ///   let answer = next.answer(request)
  ///   if case .here = answer { reads.add(1, ordering: .relaxed) }  // else `read` counts it
  ///   return answer
  /// }
  /// ```
  ///
  /// Must not wait, and must take no longer than passing on what is there.
  func answer(_ request: ReadRequest, next: ReadNext) -> ReadAnswer<ReadResponse>

  /// `true` if this stage has nothing to do with cache hits: ``answer(_:next:)`` would return what `next.answer` returns, and do
  /// nothing else. Hits then skip the stage, and cost as much as without it. Asked once, when a reader is made. By default
  /// `false`.
  var ignoresHits: Bool { get }

  /// Describes the source as the stages above see it. By default `below`, unchanged.
  ///
  /// A stage that changes contents or size must return `below.deriving(…)`, either always or never. Must be pure and
  /// fast: it is called each time the source is described again.
  func describe(_ below: SourceDescription) -> SourceDescription

  /// Where this stage may stand among the others. By default anywhere.
  var placement: ReadPipeline.Placement { get }

  /// The counts of this stage so far, for `RangeReader.statistics()`. By default `nil`.
  func statistics() -> Counters?

  /// Ends the stage, after the last read has returned. A stage that is an object is closed once no open reader lists it
  /// any more; a value is closed with each of its readers. By default does nothing.
  ///
  /// A reader that is dropped without being closed does not call it: free in `deinit` what you hold.
  nonisolated(nonsending) func close() async
}

extension ReadStage where Self: ~Copyable {
  /// Returns ``ReadAnswer/later``.
  public func answer(_ request: ReadRequest, next: ReadNext) -> ReadAnswer<ReadResponse> { .later }
  /// `false`.
  public var ignoresHits: Bool { false }
  /// Returns `below`.
  public func describe(_ below: SourceDescription) -> SourceDescription { below }
  /// Anywhere.
  public var placement: ReadPipeline.Placement { .anywhere }
  /// `nil`.
  public func statistics() -> Counters? { nil }
  /// Does nothing.
  public nonisolated(nonsending) func close() async {}
}
