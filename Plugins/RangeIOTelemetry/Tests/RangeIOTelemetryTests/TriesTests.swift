#if Telemetry
  import InMemoryLogging
  import InMemoryTracing
  import Logging
  import MetricsTestKit
  import RangeIO
  import RangeIOTesting
  import Testing
  import Tracing

  @testable import RangeIOTelemetry

  /// Retries and hedges as events of the span of their fetch, and as log lines.
  @Suite(.timeLimit(.minutes(5))) struct TriesTests {
    private let tracer = InMemoryTracer()
    private let lines = InMemoryLogHandler()
    private let telemetry: Telemetry

    init() {
      let lines = lines
      var logger = Logger(label: "test", factory: { _ in lines })
      logger.logLevel = .trace
      telemetry = Telemetry(name: "tiles", tracer: tracer, metrics: TestMetrics(), logger: logger)
    }

    @Test func `a retry is an event that says what failed before`() async throws {
      let source = FaultySource(SyntheticSource(byteCount: 1000)) { number, _ in number < 2 ? .fail(passing) : nil }
      let reader = try await RangeReader(
        source,
        [telemetry.fetches, .retrying(maxAttempts: 4, initialBackoff: .zero, maxBackoff: .zero), telemetry.tries])
      _ = try await reader.read(0..<10)
      let span = try #require(tracer.spans(.fetch).first)
      #expect(tracer.finishedSpans.count == 1 && span.status == nil)
      #expect(span.eventNames == ["rangeio.retry", "rangeio.retry"])
      #expect(span.events.map { $0.attributes.get("error.type") } == [.string("inputOutput"), .string("inputOutput")])
      #expect(span.events.map { $0.attributes.get("rangeio.try.number") } == [.int64(2), .int64(3)])
      #expect(
        span.events.map { $0.attributes.get("rangeio.ranges") } == [.stringArray(["0..<10"]), .stringArray(["0..<10"])])
      #expect(span[.tryCount] == .int64(3) && span[.retryCount] == .int64(2) && span[.hedgeCount] == .int64(0))
      #expect(lines.entries.map(\.message) == ["reading from the source again", "reading from the source again"])
      #expect(lines.entries.allSatisfy { $0.level == .debug && $0.metadata["error.type"] == "inputOutput" })
      await reader.close()
    }

    @Test func `a fetch that is given up has its retries and a line with the error`() async throws {
      let source = FaultySource(SyntheticSource(byteCount: 1000)) { _, _ in .fail(passing) }
      let reader = try await RangeReader(
        source,
        [telemetry.fetches, .retrying(maxAttempts: 2, initialBackoff: .zero, maxBackoff: .zero), telemetry.tries])
      await #expect(throws: ReadError.self) { try await reader.read(0..<10) }
      let span = try #require(tracer.spans(.fetch).first)
      #expect(span.eventNames == ["rangeio.retry"] && span[.errorType] == .string("inputOutput"))
      let line = try #require(lines.entries.last)
      #expect(line.message == "reading from the source failed")
      #expect(line.metadata["error.type"] == "inputOutput")
      #expect(line.metadata["rangeio.error.message"] == .string(passing.message))
      #expect(line.metadata["rangeio.reader.name"] == "tiles" && line.metadata["rangeio.source.name"] == "synthetic")
      await reader.close()
    }

    /// Reads once, so that the next read is late after a while. Returns the gated source and its reader.
    private func hedged(_ clock: ManualClock) async throws -> (GatedSource<SyntheticSource>, RangeReader) {
      let source = GatedSource(SyntheticSource(byteCount: 1000))
      let reader = try await RangeReader(
        source, [telemetry.fetches, .hedging(maxShare: 1, percentile: 0.5, minSamples: 1), telemetry.tries],
        time: ReadClock(clock))
      async let first = reader.read(0..<10)
      await source.arrivals(1)
      clock.advance(by: .milliseconds(10))
      source.releaseNext()
      _ = try await first
      return (source, reader)
    }

    @Test func `a hedge is an event, and another one when it wins`() async throws {
      let clock = ManualClock()
      let (source, reader) = try await hedged(clock)
      async let second = reader.read(10..<20)
      await source.arrivals(2)
      await clock.untilSleepers(1)
      clock.advance(by: .seconds(1))
      await source.arrivals(3)
      source.releaseNext(throwing: passing)
      source.releaseNext()
      #expect(try await second == SyntheticSource.bytes(10..<20))
      let span = try #require(tracer.spans(.fetch).last)
      #expect(span.eventNames == ["rangeio.hedge", "rangeio.hedge.won"])
      #expect(span.events.map { $0.attributes.get("rangeio.try.number") } == [.int64(2), .int64(2)])
      #expect(span[.tryCount] == .int64(2) && span[.hedgeCount] == .int64(1) && span[.retryCount] == .int64(0))
      #expect(lines.entries.map(\.metadata["rangeio.try.number"]) == [.stringConvertible(2)])
      source.open()
      await reader.close()
    }

    @Test func `a hedge that loses is an event, and its end is told no more`() async throws {
      let clock = ManualClock()
      let (source, reader) = try await hedged(clock)
      async let second = reader.read(10..<20)
      await source.arrivals(2)
      await clock.untilSleepers(1)
      clock.advance(by: .seconds(1))
      await source.arrivals(3)
      source.releaseNext()
      _ = try await second
      source.open()
      await reader.close()
      #expect(tracer.spans(.fetch).last?.eventNames == ["rangeio.hedge"])
    }

    @Test func `a try that its limit of time has ended is followed by a retry, not by a hedge`() async throws {
      let clock = ManualClock()
      let source = GatedSource(SyntheticSource(byteCount: 1000))
      let reader = try await RangeReader(
        source,
        [
          telemetry.fetches, .retrying(maxAttempts: 2, initialBackoff: .zero, maxBackoff: .zero),
          .timeLimit(.seconds(1)), telemetry.tries,
        ], time: ReadClock(clock))
      async let bytes = reader.read(0..<10)
      await source.arrivals(1)
      await clock.untilSleepers(1)
      clock.advance(by: .seconds(1))
      await source.arrivals(2)
      // The first one hangs on, as far as the source is concerned.
      source.open()
      _ = try await bytes
      let span = try #require(tracer.spans(.fetch).first)
      #expect(span.eventNames == ["rangeio.retry"])
      #expect(span.events.first?.attributes.get("error.type") == .string("cancelled"))
      await reader.close()
    }

    @Test func `without the stage of fetches it does nothing`() async throws {
      let reader = try await RangeReader(SyntheticSource(byteCount: 1000), [telemetry.tries])
      _ = try await reader.read(0..<10)
      #expect(tracer.finishedSpans.isEmpty && lines.entries.isEmpty)
      await reader.close()
    }
  }

  struct ErrorMetadataTests {
    @Test func `a read error is metadata, without secrets`() {
      struct Secret: Error, CustomStringConvertible { var description: String { "token=abc" } }
      var error = ReadError(
        .permissionDenied, "the server refused: sign in", isTransient: true,
        source: "https://me:secret@example.com/a?sig=abc", range: 5..<9, cause: Secret())
      error.retryAfter = .milliseconds(1500)
      let metadata = error.logMetadata
      #expect(metadata["error.type"] == "permissionDenied")
      #expect(metadata["rangeio.error.message"] == "the server refused: sign in")
      #expect(metadata["rangeio.error.transient"] == .stringConvertible(true))
      #expect(metadata["url.full"] == "https://example.com/a?…")
      #expect(metadata["rangeio.ranges"] == "5..<9")
      #expect(metadata["rangeio.error.retry_after"] == .stringConvertible(1.5))
      #expect(metadata["rangeio.error.cause"]?.description.hasSuffix("Secret") == true)
      #expect(!"\(metadata)".contains("abc") && !"\(metadata)".contains("me:"))
    }

    @Test func `what an error does not have is left out`() {
      let metadata = ReadError(.closed, "closed").logMetadata
      #expect(Set(metadata.keys) == ["error.type", "rangeio.error.message", "rangeio.error.transient"])
    }
  }
#endif
