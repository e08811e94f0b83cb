/// A middleware of the pipeline: sees every read on its way down and every response on its way up.
///
/// Only one method is required. This stage decodes a file in which every byte is XORed with a key:
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

  /// How this stage changes the source below. By default not at all.
  ///
  /// A stage that changes contents or size must return `below.deriving(…)`, either always or never. Must be pure and
  /// fast: it is called each time the source is described again.
  func describe(_ below: SourceDescription) -> SourceDescription

  /// Where this stage may stand among the others. By default anywhere.
  var placement: ReadPipeline.Placement { get }

  /// What this stage has done so far, for `RangeReader.statistics()`. By default `nil`.
  func statistics() -> Counters?

  /// Ends the stage, after the last read has returned. A stage that is an object is closed once no open reader lists it
  /// any more; a value is closed with each of its readers. By default does nothing.
  ///
  /// A reader that is dropped without being closed does not call it: free in `deinit` what you hold.
  nonisolated(nonsending) func close() async
}

extension ReadStage where Self: ~Copyable {
  /// Returns `below`.
  public func describe(_ below: SourceDescription) -> SourceDescription { below }
  /// Anywhere.
  public var placement: ReadPipeline.Placement { .anywhere }
  /// `nil`.
  public func statistics() -> Counters? { nil }
  /// Does nothing.
  public nonisolated(nonsending) func close() async {}
}

/// A stage that can pass on cached bytes without an asynchronous call. For a hit in a cache below, the stage then costs
/// about 10 nanoseconds instead of 34.
///
/// For stages that look at what passes and do not need to wait for that:
///
/// ```swift
/// final class CountingReads: ReadyStage {
///   private let reads = Atomic<Int>(0)
///   func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
///     reads.add(1, ordering: .relaxed)
///     return try await next(request)
///   }
///   func ready(_ request: ReadRequest, next: ReadNext) -> ReadResponse? {
///     guard let response = next.ready(request) else { return nil }
///     reads.add(1, ordering: .relaxed)
///     return response
///   }
/// }
/// ```
///
/// A class, so that calling it copies nothing.
public protocol ReadyStage: AnyObject, ReadStage {
  /// Returns what `read` would return now, if that needs no waiting. `nil` means nothing in particular, and must have
  /// no side effects: `read` is called next, unless a stage above has an answer of its own.
  ///
  /// Must not wait, and must take no longer than passing on what is there.
  func ready(_ request: ReadRequest, next: ReadNext) -> ReadResponse?

  /// Whether this stage has nothing to do with cache hits: `ready` would return what `next.ready` returns, and do nothing
  /// else. Hits then skip the stage, and cost as much as without it. Must never change. By default `false`.
  var ignoresHits: Bool { get }
}

extension ReadyStage {
  /// `false`: the stage sees cache hits.
  public var ignoresHits: Bool { false }
}

extension ReadStage {
  /// ``ReadyStage/ignoresHits``; `false` of a stage that only reads.
  var isSkippedByHits: Bool { (self as? any ReadyStage)?.ignoresHits ?? false }
}
