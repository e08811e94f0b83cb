import Synchronization

/// Counts and times the reads that pass: a stage to put wherever you want to look.
///
/// ```swift
/// let observing = Observing()
/// let reader = try await RangeReader(source) { observing }
/// …
/// print(observing.statistics().latency.quantile(0.99))
/// ```
///
/// **Place.** Anywhere: above a cache it sees what callers see, below it what is fetched, above the source its reads.
///
/// **Cost.** Two looks at the clock for what is cached, three otherwise, and a handful of relaxed additions. May stand at
/// several places of one pipeline, and in several pipelines: it counts them all together.
public final class Observing: ReadyStage {
  private let counts = Counts()

  /// A stage that has seen nothing.
  public init() {}

  /// Passes the read on, and notes how it went.
  public nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
    let start = next.time.now
    do {
      let response = try await next(request)
      counts.latency.add(start.duration(to: next.time.now))
      counts.bytes.wrappingAdd(response.byteCount, ordering: .relaxed)
      return response
    } catch {
      let counter = error is CancellationError ? counts.cancellations : counts.failures
      counter.add()
      throw error
    }
  }

  /// Passes on what is cached, and notes it.
  public func ready(_ request: ReadRequest, next: ReadNext) -> ReadResponse? {
    let start = next.time.now
    guard let response = next.ready(request) else { return nil }
    counts.latency.add(start.duration(to: next.time.now))
    counts.bytes.wrappingAdd(response.byteCount, ordering: .relaxed)
    return response
  }

  /// What has passed so far.
  public func statistics() -> Statistics {
    Statistics(
      bytes: counts.bytes.load(ordering: .relaxed), failures: counts.failures.count,
      cancellations: counts.cancellations.count, latency: counts.latency.snapshot())
  }

  /// What has passed so far, in the form that all stages have: times in microseconds. Prefer ``statistics()-(Statistics)``
  /// where you have the stage.
  @_disfavoredOverload public func statistics() -> StageStatistics? {
    let seen: Statistics = statistics()
    func microseconds(_ share: Double) -> Int { Int(seen.latency.quantile(share) / .microseconds(1)) }
    return StageStatistics(
      stage: "Observing",
      counts: [
        .init("reads", seen.reads), .init("bytes", seen.bytes), .init("failures", seen.failures),
        .init("cancelled", seen.cancellations), .init("median µs", microseconds(0.5)),
        .init("99th percentile µs", microseconds(0.99)),
      ])
  }

  /// What an ``Observing`` stage has seen.
  public struct Statistics: Hashable, Sendable, Codable {
    /// Reads that succeeded.
    public var reads: Int { latency.count }
    /// Bytes of the reads that succeeded.
    public var bytes: Int
    /// Reads that threw anything but `CancellationError`.
    public var failures: Int
    /// Reads that threw `CancellationError`.
    public var cancellations: Int
    /// How long the reads took that succeeded.
    public var latency: LatencyHistogram
  }

  private final class Counts: Sendable {
    final class Counter: Sendable {
      private let value = Atomic<Int>(0)
      var count: Int { value.load(ordering: .relaxed) }
      func add() { value.wrappingAdd(1, ordering: .relaxed) }
    }
    let bytes = Atomic<Int>(0)
    let failures = Counter()
    let cancellations = Counter()
    let latency = LatencyRecorder()
  }
}

extension Observing.Statistics: CustomStringConvertible {
  /// One line for people.
  public var description: String {
    "\(reads) reads, \(bytes) bytes, \(failures) failures, \(cancellations) cancelled, median "
      + "\(latency.quantile(0.5)), 99% within \(latency.quantile(0.99))"
  }
}
