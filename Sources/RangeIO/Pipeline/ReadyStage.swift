/// A stage that can pass on cached bytes without an asynchronous call: a hit of a cache below it then costs a few
/// nanoseconds, and some fifty otherwise.
///
/// For stages that look at what passes, and need not wait to do so:
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
/// A class, so that asking one takes no copy.
public protocol ReadyStage: AnyObject, ReadStage {
  /// What `read` would return now, if it need not wait. `nil` says nothing, and must have done nothing: `read` comes next,
  /// unless a stage above has an answer of its own.
  ///
  /// Must not wait, and takes no more time than handing on what is there.
  func ready(_ request: ReadRequest, next: ReadNext) -> ReadResponse?
}
