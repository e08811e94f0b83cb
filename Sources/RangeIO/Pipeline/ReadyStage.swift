/// A stage that can pass on cached bytes without an asynchronous call. A hit in a cache below it then costs a few
/// nanoseconds instead of some fifty.
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
}
