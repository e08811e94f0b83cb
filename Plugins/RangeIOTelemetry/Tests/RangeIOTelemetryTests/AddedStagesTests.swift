#if Telemetry
  import InMemoryTracing
  import MetricsTestKit
  import RangeIO
  import RangeIOTesting
  import Testing
  import Tracing

  @testable import RangeIOTelemetry

  /// The three stages in pipelines that are ready-made.
  @Suite(.timeLimit(.minutes(5))) struct AddedStagesTests {
    private let tracer = InMemoryTracer()
    private let telemetry: Telemetry

    init() { telemetry = Telemetry(tracer: tracer, metrics: TestMetrics()) }

    private func names(_ pipeline: ReadPipeline) -> String {
      pipeline.stages.map { "\(type(of: $0))".replacing("Stage", with: "") }.joined(separator: " ")
    }

    @Test func `each stands where it belongs`() {
      let store = MemoryStore(limit: .mebibytes(1))
      let table: [(ReadPipeline, String)] = [
        (.remoteObject(cache: store), "Reads ReadAhead Caching Merging Fetches Retrying Tries Limiting"),
        (
          .remoteObject(cache: store, timeLimit: .seconds(1), hedges: true),
          "Reads TimeLimit ReadAhead Caching Merging Fetches Retrying Hedging Tries Limiting"
        ),
        (.localFile(cache: store), "Reads Caching Fetches Tries"),
        ([], "Reads Fetches Tries"),
        (
          [.retrying(), .timeLimit(.seconds(1)), .limiting(maxConcurrentReads: 1)],
          "Reads Fetches Retrying TimeLimit Tries Limiting"
        ),
        ([.hedging()], "Reads Fetches Hedging Tries"),
      ]
      for (pipeline, expected) in table { #expect(names(telemetry.added(to: pipeline)) == expected) }
    }

    @Test func `a far object's retries are events of its fetch, below the span of the read`() async throws {
      let source = FaultySource(SyntheticSource(byteCount: 100_000)) { number, _ in number < 1 ? .fail(passing) : nil }
      let pipeline: ReadPipeline = [
        .readAhead(), .caching(MemoryStore(limit: .mebibytes(1))), .merging(),
        .retrying(initialBackoff: .zero, maxBackoff: .zero), .limiting(maxConcurrentReads: 2),
      ]
      let reader = try await RangeReader(source, telemetry.added(to: pipeline))
      for _ in 0..<2 { #expect(try await reader.read(0..<10) == SyntheticSource.bytes(0..<10)) }
      let read = try #require(tracer.spans(.read).first)
      let fetch = try #require(tracer.spans(.fetch).first)
      #expect(tracer.spans(.read).count == 1, "the second read is a hit")
      #expect(fetch.parentSpanID == read.spanID)
      #expect(fetch.eventNames == ["rangeio.retry"])
      await reader.close()
    }
  }
#endif
