#if Telemetry
  import InMemoryTracing
  import MetricsTestKit
  import RangeIO
  import RangeIOTesting
  import Testing

  @testable import RangeIOTelemetry

  @Suite(.timeLimit(.minutes(5))) struct StageTests {
    private let contents = SyntheticSource.bytes(0..<20_000)

    private func telemetry(tracesHits: Bool = false) -> Telemetry {
      Telemetry(name: "x", tracer: InMemoryTracer(), metrics: TestMetrics(), tracesHits: tracesHits)
    }

    @Test func `each is a stage`() async throws {
      try await StageConformance.check(contents) { self.telemetry().reads }
      try await StageConformance.check(contents) { self.telemetry(tracesHits: true).reads }
      try await StageConformance.check(contents) { self.telemetry().fetches }
      try await StageConformance.check(contents) { self.telemetry().tries }
    }

    @Test func `a wrong order is refused`() async throws {
      let (telemetry, store) = (telemetry(), MemoryStore(limit: .mebibytes(1)))
      let wrong: [ReadPipeline] = [
        [.caching(store), telemetry.reads],
        [telemetry.fetches, .caching(store)],
        [telemetry.tries, .caching(store)],
      ]
      for pipeline in wrong {
        await #expect { try await RangeReader(SyntheticSource(byteCount: 10), pipeline) } throws: { error in
          (error as? ReadError)?.code == .invalidConfiguration
        }
      }
    }

    @Test func `readers may share one telemetry, and close in any order`() async throws {
      let telemetry = telemetry()
      let (first, second) = (try await cachedReader(telemetry), try await cachedReader(telemetry))
      _ = try await first.read(0..<10)
      await first.close()
      _ = try await second.read(0..<10)
      await second.close()
    }
  }
#endif
