/// A middleware of the pipeline: sees every read on its way down and every answer on its way up.
///
/// One method is needed. This stage decodes a file in which every byte is XORed with a key:
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
/// this stage. Reads come concurrently, from any thread and actor; a stage that keeps state guards it itself.
///
/// **What you must do.** Answer each range with exactly its bytes, or throw. Hand `next` a request within the
/// description below. Honour cancellation in waits of your own: `Task.sleep`, streams and `next` do. Do not hold a
/// lock while you call `next`. Keep `next` for work that outlives the call, if you need to; start that work with
/// `next.background`, and tell the time by `next.time`, so that tests can drive both.
public protocol ReadStage: ~Copyable, Sendable {
  /// Answers `request`, usually by way of `next`.
  nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse

  /// What this stage makes of the source below. By default the same.
  ///
  /// A stage that changes contents or size answers `below.deriving(…)`, always or never. Pure and fast: it is called
  /// again whenever the source is looked at.
  func describe(_ below: SourceDescription) -> SourceDescription

  /// Where among the stages this one works. By default anywhere.
  var placement: StagePlacement { get }

  /// Where the bytes of `range` would come from now, for `RangeReader.explain(_:)`: parts in order, together `range`. By
  /// default what lies below says of it; ``ReadOrigin/unknown`` if this stage derives a source of its own.
  ///
  /// Reads nothing and counts nothing.
  func explain(_ range: ByteRange, of source: SourceDescription, next: ReadNext) -> [ReadExplanation.Part]

  /// What this stage has done so far, for `RangeReader.statistics()`. By default nothing.
  func statistics() -> StageStatistics?

  /// Ends the stage: an object once no reader that lists it is open any more, after the last read has returned; a value
  /// with each of its readers. By default nothing.
  ///
  /// A reader that is dropped without being closed does not call it: free in `deinit` what you hold.
  nonisolated(nonsending) func close() async
}

extension ReadStage where Self: ~Copyable {
  /// The same source.
  public func describe(_ below: SourceDescription) -> SourceDescription { below }
  /// Anywhere.
  public var placement: StagePlacement { .anywhere }
  /// What lies below says.
  public func explain(
    _ range: ByteRange, of source: SourceDescription, next: ReadNext
  ) -> [ReadExplanation.Part] {
    guard next.showsSameBytes else {
      let why = "\(Self.self) shows other bytes than those below it, and does not tell which become which"
      return [ReadExplanation.Part(range, .unknown, detail: why)]
    }
    return next.explain(range, of: source)
  }
  /// Nothing to tell.
  public func statistics() -> StageStatistics? { nil }
  /// Nothing to end.
  public nonisolated(nonsending) func close() async {}
}
