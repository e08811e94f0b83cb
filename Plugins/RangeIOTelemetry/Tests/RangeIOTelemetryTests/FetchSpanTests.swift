#if Telemetry
  import InMemoryTracing
  import Metrics
  import MetricsTestKit
  import RangeIO
  import RangeIOTesting
  import Testing
  import Tracing

  @testable import RangeIOTelemetry

  @Suite(.timeLimit(.minutes(5))) struct FetchSpanTests {
    private let tracer = InMemoryTracer()
    private let metrics = TestMetrics()

    @Test func `a read that needs the source has a span, with one for its fetch in it`() async throws {
      let reader = try await cachedReader(Telemetry(name: "tiles", tracer: tracer, metrics: metrics))
      _ = try await reader.read(100..<200)
      let read = try #require(tracer.spans(.read).first)
      let fetch = try #require(tracer.spans(.fetch).first)
      #expect(tracer.finishedSpans.count == 2)
      #expect(fetch.parentSpanID == read.spanID && fetch.traceID == read.traceID)
      #expect(read[.ranges] == .stringArray(["100..<200"]) && read[.requestSize] == .int64(100))
      #expect(read[.fetchCount] == .int64(1) && read[.readerName] == .string("tiles"))
      // The cache asks for its block.
      #expect(fetch[.ranges] == .stringArray(["0..<4096"]) && fetch[.requestSize] == .int64(4096))
      #expect(fetch[.sourceName] == .string("synthetic") && fetch[.sourceSize] == .int64(1 << 20))
      #expect(fetch[.tryCount] == .int64(1) && fetch.events.isEmpty && fetch.status == nil && fetch[.errorType] == nil)
      await reader.close()
    }

    @Test func `a hit leaves nothing behind`() async throws {
      let reader = try await cachedReader(Telemetry(tracer: tracer, metrics: metrics))
      _ = try await reader.read(0..<4096)
      let (spans, fetches) = (tracer.finishedSpans.count, try metrics.expectRecorder("rangeio.fetch.size").values)
      for _ in 0..<100 { _ = try await reader.read(10..<20) }
      #expect(reader.cached(0..<4096) != nil)
      #expect(tracer.finishedSpans.count == spans && tracer.activeSpans.isEmpty)
      #expect(try metrics.expectRecorder("rangeio.fetch.size").values == fetches)
      #expect(reader.statistics().cacheHits == 100 + 1)
      await reader.close()
    }

    @Test func `a hit over several blocks has no span either`() async throws {
      let reader = try await cachedReader(Telemetry(tracer: tracer, metrics: metrics))
      _ = try await reader.read(0..<16_384)
      let spans = tracer.finishedSpans.count
      _ = try await reader.read(1000..<15_000)
      #expect(tracer.finishedSpans.count == spans && tracer.activeSpans.isEmpty)
      await reader.close()
    }

    @Test func `hits have spans when asked for`() async throws {
      let reader = try await cachedReader(Telemetry(tracer: tracer, metrics: metrics, tracesHits: true))
      _ = try await reader.read(0..<4096)
      _ = try await reader.read(10..<20)
      _ = try await reader.read(10..<20)
      #expect(
        tracer.spans(.read).map { $0[.ranges] }.dropFirst() == [.stringArray(["10..<20"]), .stringArray(["10..<20"])])
      #expect(tracer.spans(.fetch).count == 1)
      #expect(tracer.spans(.fetch).first?.parentSpanID == tracer.spans(.read).first?.spanID)
      await reader.close()
    }

    @Test func `the span of a fetch is part of what the caller does, through the tasks of the cache`() async throws {
      let reader = try await cachedReader(Telemetry(tracer: tracer, metrics: metrics))
      _ = try await tracer.withSpan("caller") { _ in try await reader.read(0..<100_000) }
      let caller = try #require(tracer.finishedSpans.first { $0.operationName == "caller" })
      let read = try #require(tracer.spans(.read).first)
      #expect(read.parentSpanID == caller.spanID)
      let fetches = tracer.spans(.fetch)
      #expect(!fetches.isEmpty && fetches.allSatisfy { $0.parentSpanID == read.spanID && $0.traceID == caller.traceID })
      await reader.close()
    }

    @Test func `without the stage of reads, the caller's span is the parent`() async throws {
      let telemetry = Telemetry(tracer: tracer, metrics: metrics)
      let reader = try await RangeReader(SyntheticSource(byteCount: 1000), [telemetry.fetches])
      _ = try await tracer.withSpan("caller") { _ in try await reader.read(0..<10) }
      let caller = try #require(tracer.finishedSpans.first { $0.operationName == "caller" })
      #expect(tracer.spans(.fetch).map(\.parentSpanID) == [caller.spanID])
      await reader.close()
    }

    @Test func `a fetch that fails has the error, its kind and the status`() async throws {
      let telemetry = Telemetry(tracer: tracer, metrics: metrics)
      let source = FaultySource(SyntheticSource(byteCount: 1000)) { _, _ in .fail(ReadError(.notFound, "gone")) }
      let reader = try await RangeReader(source, [telemetry.reads, telemetry.fetches])
      await #expect(throws: ReadError.self) { try await reader.read(0..<10) }
      for name in [TelemetryName.read, .fetch] {
        let span = try #require(tracer.spans(name).first)
        #expect(span[.errorType] == .string("notFound") && span.status?.code == .error && span.errors.count == 1)
      }
      let failed = try metrics.expectTimer("rangeio.fetch.duration", [("error.type", "notFound")])
      #expect(failed.values.count == 1 && metrics.recorders.isEmpty)
      await reader.close()
    }

    @Test func `a cancelled fetch is no failure`() async throws {
      let telemetry = Telemetry(tracer: tracer, metrics: metrics)
      let source = GatedSource(SyntheticSource(byteCount: 1000))
      let reader = try await RangeReader(source, [telemetry.fetches])
      let read = Task { try await reader.read(0..<10) }
      await source.arrivals(1)
      read.cancel()
      await #expect(throws: CancellationError.self) { try await read.value }
      let span = try #require(tracer.spans(.fetch).first)
      #expect(span[.errorType] == .string("cancelled") && span.status == nil && span.errors.isEmpty)
      source.open()
      await reader.close()
    }

    @Test func `a prefetch says so, and is part of no read`() async throws {
      let telemetry = Telemetry(tracer: tracer, metrics: metrics)
      let (source, store) = (GatedSource(SyntheticSource(byteCount: 1 << 20)), MemoryStore(limit: .mebibytes(4)))
      let reader = try await RangeReader(source, [telemetry.reads, .caching(store), telemetry.fetches])
      reader.advise(.willNeed, 0..<100)
      await source.arrivals(1)
      // It ends the prefetch, and returns when its span has ended.
      async let closing: Void = reader.close()
      source.open()
      await closing
      #expect(tracer.spans(.fetch).map { $0[.isPrefetch] } == [.bool(true)])
      #expect(tracer.spans(.read).isEmpty)
    }

    @Test func `several ranges are listed up to a limit`() async throws {
      let telemetry = Telemetry(tracer: tracer, metrics: metrics)
      let reader = try await RangeReader(SyntheticSource(byteCount: 1000), [telemetry.fetches])
      _ = try await reader.read((0..<40).map { $0 * 10..<$0 * 10 + 2 })
      let span = try #require(tracer.spans(.fetch).first)
      guard case .stringArray(let ranges)? = span[.ranges] else { throw passing }
      #expect(ranges.count == 16 && ranges.first == "0..<2" && ranges.last == "150..<152")
      #expect(span[.rangeCount] == .int64(40) && span[.requestSize] == .int64(80))
      await reader.close()
    }

    @Test func `durations and sizes are measured on the reader's clock`() async throws {
      let clock = ManualClock()
      let telemetry = Telemetry(name: "tiles", tracer: tracer, metrics: metrics)
      let source = SyntheticSource(byteCount: 1000, latency: .milliseconds(20), time: ReadClock(clock))
      let reader = try await RangeReader(source, [telemetry.fetches], time: ReadClock(clock))
      async let bytes = reader.read(0..<10)
      await clock.untilSleepers(1)
      clock.advance(by: .milliseconds(20))
      _ = try await bytes
      let labels = [("rangeio.reader.name", "tiles")]
      let timer = try metrics.expectTimer("rangeio.fetch.duration", labels)
      #expect(timer.values == [20_000_000] && timer.displayUnit == .seconds)
      #expect(try metrics.expectRecorder("rangeio.fetch.size", labels).values == [10])
      await reader.close()
    }

    @Test func `a file in the page cache is a fetch, though it is there at once`() async throws {
      let telemetry = Telemetry(tracer: tracer, metrics: metrics)
      let store = MemoryStore(limit: .mebibytes(4))
      let reader = try await RangeReader(
        FileSource(#filePath), [telemetry.reads, .caching(store), telemetry.fetches, telemetry.tries])
      _ = try await reader.read(0..<100)
      let (read, fetch) = (try #require(tracer.spans(.read).first), try #require(tracer.spans(.fetch).first))
      #expect(fetch.parentSpanID == read.spanID && fetch[.filePath] == .string(#filePath))
      _ = try await reader.read(0..<100)
      #expect(tracer.spans(.fetch).count == 1)
      await reader.close()
    }

    @Test func `without a tracer, factory and logger the stages do nothing`() async throws {
      let reader = try await cachedReader(Telemetry())
      for _ in 0..<2 { #expect(try await reader.read(5..<50_000) == SyntheticSource.bytes(5..<50_000)) }
      await reader.close()
    }
  }
#endif
