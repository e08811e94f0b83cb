import Synchronization

/// What ``Observing`` does.
final class ObservingStage: ReadyStage {
  private let counts = Counts()

  /// Passes the read on and records the result.
  nonisolated(nonsending) func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse {
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
  func ready(_ request: ReadRequest, next: ReadNext) -> ReadResponse? {
    let start = next.time.now
    guard let response = next.ready(request) else { return nil }
    counts.latency.add(start.duration(to: next.time.now))
    counts.bytes.wrappingAdd(response.byteCount, ordering: .relaxed)
    return response
  }

  /// The counts so far.
  func counted() -> Observing.Statistics {
    Observing.Statistics(
      bytes: counts.bytes.load(ordering: .relaxed), failures: counts.failures.count,
      cancellations: counts.cancellations.count, latency: counts.latency.snapshot())
  }

  /// The counts so far: reads that succeeded and their bytes, reads that failed, reads that were cancelled, and two
  /// times in microseconds. ``latency(_:)`` has all times.
  func statistics() -> ReadCounts? {
    let seen = counted()
    func microseconds(_ share: Double) -> Int { Int(seen.latency.quantile(share) / .microseconds(1)) }
    return ReadCounts(
      "Observing",
      counts: [
        .init("reads", seen.reads), .init("bytes", seen.bytes), .init("failures", seen.failures),
        .init("cancelled", seen.cancellations), .init("median µs", microseconds(0.5)),
        .init("99th percentile µs", microseconds(0.99)),
      ])
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
