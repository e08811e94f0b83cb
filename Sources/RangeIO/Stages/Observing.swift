import Synchronization

/// Counts and times the reads that pass through it. Put it wherever you want to measure.
///
/// ```swift
/// let observing = Observing()
/// let reader = try await RangeReader(source) { observing }
/// …
/// print(observing.statistics().latency.quantile(0.99))
/// ```
///
/// **Place.** Anywhere. Above a cache it sees what callers see, below a cache what is fetched, directly above the
/// source the reads of the source.
///
/// **Cost.** For a cache hit the clock is read twice, otherwise three times, plus a handful of relaxed additions. One
/// `Observing` may stand in several places of one pipeline, and in several pipelines; it adds up all of them.
public final class Observing: ReadyStage {
  private let counts = Counts()

  /// Creates a stage that has counted nothing yet.
  public init() {}

  /// Passes the read on and records the result.
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

  /// Passes a cache hit on and records it.
  public func ready(_ request: ReadRequest, next: ReadNext) -> ReadResponse? {
    let start = next.time.now
    guard let response = next.ready(request) else { return nil }
    counts.latency.add(start.duration(to: next.time.now))
    counts.bytes.wrappingAdd(response.byteCount, ordering: .relaxed)
    return response
  }

  /// The counts so far.
  public func statistics() -> Statistics {
    Statistics(
      bytes: counts.bytes.load(ordering: .relaxed), failures: counts.failures.count,
      cancellations: counts.cancellations.count, latency: counts.latency.snapshot())
  }

  /// The counts so far, in the form that all stages share, with times in microseconds. If you have the stage itself,
  /// prefer ``statistics()-(Statistics)``.
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

  /// What an ``Observing`` stage has counted.
  public struct Statistics: Hashable, Sendable, Codable {
    /// Reads that succeeded.
    public var reads: Int { latency.count }
    /// Bytes returned by the reads that succeeded.
    public var bytes: Int
    /// Reads that threw an error other than `CancellationError`.
    public var failures: Int
    /// Reads that threw `CancellationError`.
    public var cancellations: Int
    /// How long the successful reads took.
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
  /// One line of text for people.
  public var description: String {
    "\(reads) reads, \(bytes) bytes, \(failures) failures, \(cancellations) cancelled, median "
      + "\(latency.quantile(0.5)), 99% within \(latency.quantile(0.99))"
  }
}
