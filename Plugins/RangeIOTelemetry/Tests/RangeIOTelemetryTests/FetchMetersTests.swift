#if Telemetry
  import MetricsTestKit
  import Testing

  @testable import RangeIOTelemetry

  struct FetchMetersTests {
    @Test func `beyond 64 kinds of errors the rest share one`() throws {
      let metrics = TestMetrics()
      let meters = FetchMeters(factory: metrics, readerName: nil)
      for kind in 0..<70 { meters.failed(after: .seconds(1), "kind \(kind)") }
      func values(_ kind: String) throws -> [Int64] {
        try metrics.expectTimer("rangeio.fetch.duration", [("error.type", kind)]).values
      }
      #expect(try values("kind 0") == [1_000_000_000] && values("kind 63") == [1_000_000_000])
      #expect(try values("_OTHER").count == 6)
      meters.failed(after: .seconds(1), "kind 0")
      #expect(try values("kind 0").count == 2)
    }
  }
#endif
