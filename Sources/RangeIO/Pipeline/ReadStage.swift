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

  /// Ends the stage: called once, after the last read has returned and before the source is closed. By default nothing.
  ///
  /// A reader that is dropped without being closed does not call it: free in `deinit` what you hold.
  nonisolated(nonsending) func close() async
}

extension ReadStage where Self: ~Copyable {
  /// The same source.
  public func describe(_ below: SourceDescription) -> SourceDescription { below }
  /// Anywhere.
  public var placement: StagePlacement { .anywhere }
  /// Nothing to end.
  public nonisolated(nonsending) func close() async {}
}

/// Where among the stages one works. An order that cannot is refused when the reader is made.
public struct StagePlacement: Hashable, Sendable {
  private enum Kind { case anywhere, aboveCaching, caching, belowCaching }
  private let kind: Kind

  /// Works at every place.
  public static let anywhere = StagePlacement(kind: .anywhere)
  /// Must see all demand, also what the cache answers: read-ahead.
  public static let aboveCaching = StagePlacement(kind: .aboveCaching)
  /// Is the cache.
  public static let caching = StagePlacement(kind: .caching)
  /// Must see only what the cache does not answer: retries, limits of the source.
  public static let belowCaching = StagePlacement(kind: .belowCaching)

  /// The stages' order from the top down, where it matters.
  var rank: Int? {
    switch kind {
    case .anywhere: nil
    case .aboveCaching: 0
    case .caching: 1
    case .belowCaching: 2
    }
  }
}
