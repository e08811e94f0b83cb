import RangeIOTiers

#if Telemetry
  import InMemoryTracing
  import MetricsTestKit
  import RangeIO
  import RangeIOTesting
  import Testing

  @testable import RangeIOTelemetry

  @Suite(.timeLimit(.minutes(5))) struct StatisticsExporterTests {
    private let metrics = TestMetrics()
    private let exporter: StatisticsExporter

    init() { exporter = StatisticsExporter(metrics: metrics) }

    private func reads(_ outcome: String, _ name: String = "tiles") throws -> Int64 {
      try metrics.expectCounter("rangeio.reader.reads", [("rangeio.reader.name", name), ("rangeio.outcome", outcome)])
        .totalValue
    }

    private func lookups(_ result: String) throws -> Int64 {
      try metrics.expectCounter(
        "rangeio.reader.cache.lookups", [("rangeio.reader.name", "tiles"), ("rangeio.cache.result", result)]
      ).totalValue
    }

    @Test func `the counts of a reader are exported, and only what was added the next time`() async throws {
      let reader = try await cachedReader(Telemetry(tracer: InMemoryTracer(), metrics: metrics))
      exporter.add(reader, name: "tiles")
      _ = try await reader.read(0..<100)
      _ = try await reader.read(0..<100)
      await #expect(throws: ReadError.self) { try await reader.read(-1..<5) }
      exporter.export()
      #expect(try reads("success") == 2 && reads("failure") == 1 && reads("cancelled") == 0)
      #expect(try lookups("hit") == 1 && lookups("miss") == 1)
      exporter.export()
      #expect(try reads("success") == 2 && reads("failure") == 1)
      _ = try await reader.read(0..<100)
      exporter.export()
      let bytes = try metrics.expectCounter("rangeio.reader.io", [("rangeio.reader.name", "tiles")])
      #expect(try reads("success") == 3 && bytes.values == [200, 100])
      await reader.close()
    }

    @Test func `readers with one name are added up`() async throws {
      let (first, second) = (try await cachedReader(Telemetry()), try await cachedReader(Telemetry()))
      exporter.add(first, name: "tiles")
      exporter.add(second, name: "tiles")
      _ = try await first.read(0..<10)
      for _ in 0..<3 { _ = try await second.read(0..<10) }
      exporter.export()
      exporter.export()
      #expect(try reads("success") == 4)
      await first.close()
      await second.close()
    }

    @Test func `the counts of stages and of the source keep their names`() async throws {
      let source = FaultySource(SyntheticSource(byteCount: 1000)) { number, _ in number == 0 ? .fail(passing) : nil }
      let reader = try await RangeReader(source, [.retrying(maxAttempts: 2, initialBackoff: .zero, maxBackoff: .zero)])
      exporter.add(reader, name: "tiles")
      _ = try await reader.read(0..<10)
      exporter.export()
      func events(_ count: String) throws -> Int64 {
        try metrics.expectCounter(
          "rangeio.stage.events",
          [("rangeio.reader.name", "tiles"), ("rangeio.stage.name", "Retrying"), ("rangeio.count.name", count)]
        ).totalValue
      }
      #expect(try events("retries") == 1 && events("recovered") == 1 && events("given up") == 0)
      await reader.close()
    }

    @Test func `stages are left out when asked`() async throws {
      let reader = try await RangeReader(SyntheticSource(byteCount: 1000), [.retrying()])
      exporter.add(reader, name: "tiles", includesStages: false)
      exporter.export()
      #expect(metrics.counters(label: "rangeio.stage.events").isEmpty)
      await reader.close()
    }

    @Test func `a file reports its ways to read`() async throws {
      let reader = try await RangeReader(#filePath, cache: nil)
      exporter.add(reader, name: "tiles")
      _ = try await reader.read(0..<100)
      exporter.export()
      let bytes = metrics.counters(label: "rangeio.source.io", dimensions: [("rangeio.count.name", "bytes")])
      #expect(bytes.map(\.totalValue).reduce(0, +) == 100)
      #expect(
        Set(bytes.flatMap { $0.dimensions.filter { $0.0 == "rangeio.source.lane" }.map(\.1) }).contains("resident"))
      await reader.close()
    }

    @Test func `a store in memory has look-ups, a limit and what it takes`() async throws {
      let store = MemoryStore(limit: .mebibytes(1))
      exporter.add(store, name: "main")
      let reader = try await RangeReader(SyntheticSource(byteCount: 1000), [.caching(store)])
      for _ in 0..<3 { _ = try await reader.read(0..<10) }
      exporter.export()
      let tier = [("rangeio.cache.name", "main"), ("rangeio.cache.tier", "memory")]
      let seen = try #require(store.statistics().first)
      #expect(try metrics.expectMeter("rangeio.cache.limit", tier).lastValue == Double(1 << 20))
      #expect(try metrics.expectMeter("rangeio.cache.usage", tier).lastValue == seen.bytes.map(Double.init))
      #expect(try metrics.expectMeter("rangeio.cache.blocks", tier).lastValue == 1)
      let hits = try metrics.expectCounter("rangeio.cache.lookups", tier + [("rangeio.cache.result", "hit")])
      #expect(hits.totalValue == seen.hits.map(Int64.init) && hits.totalValue >= 2)
      await reader.close()
    }

    @Test func `a store of tiers reports each, and all memory together`() async throws {
      let store = TieredStore(memory: .mebibytes(1), compressed: .mebibytes(1))
      exporter.add(store, name: "main")
      exporter.export()
      #expect(
        try metrics.expectMeter("rangeio.cache.memory.limit", [("rangeio.cache.name", "main")]).lastValue
          == Double(2 << 20))
      let tiers = metrics.meters(label: "rangeio.cache.usage").flatMap {
        $0.dimensions.filter { $0.0 == "rangeio.cache.tier" }.map(\.1)
      }
      #expect(Set(tiers) == ["memory", "compressed"])
    }

    @Test func `tiers count by tier, and their queues for the tier that chunks leave`() {
      let tiers = [
        Counters("all memory", counts: ["bytes": 1, "limit": 2]), Counters("memory", counts: ["hits": 3, "limit": 4]),
        Counters("memory queue", counts: ["demoted": 5, "dropped": 6, "hits": 7]),
        Counters("disk", counts: ["rejectedFastSource": 8, "notInUse": 1]),
        Counters("mine", counts: ["misses": 9, "own": 10]),
        Counters("none", counts: ["misses": 1, "limit": 0]),
      ]
      let samples = Sample.all(of: tiers, name: "main").map { sample in
        "\(sample.name.text) \(sample.dimensions.dropFirst().map(\.1).joined(separator: " ")) \(sample.value)"
      }
      #expect(
        samples == [
          "rangeio.cache.memory.usage  level(1)", "rangeio.cache.memory.limit  level(2)",
          "rangeio.cache.lookups memory hit total(3)", "rangeio.cache.limit memory level(4)",
          "rangeio.cache.demotions memory total(5)", "rangeio.cache.drops memory queue_full total(6)",
          "rangeio.cache.drops disk source_is_fast total(8)", "rangeio.cache.disk.in_use disk level(0)",
          "rangeio.cache.lookups mine miss total(9)",
        ])
    }

    @Test func `it keeps neither readers nor stores alive`() async throws {
      weak var weakStore: MemoryStore?
      weak var weakReader: RangeReader?
      do {
        let store = MemoryStore(limit: .mebibytes(1))
        let reader = try await RangeReader(SyntheticSource(byteCount: 10), [.caching(store)])
        exporter.add(store, name: "main")
        exporter.add(reader, name: "tiles")
        (weakStore, weakReader) = (store, reader)
        await reader.close()
      }
      #expect(weakReader == nil && weakStore == nil)
      exporter.export()
      #expect(metrics.counters.isEmpty && metrics.meters.isEmpty)
    }

    @Test func `it exports after each interval until it is cancelled`() async throws {
      let (clock, exporter) = (ManualClock(), exporter)
      let reader = try await cachedReader(Telemetry())
      exporter.add(reader, name: "tiles")
      let exporting = Task { try await exporter.export(every: .seconds(10), time: ReadClock(clock)) }
      for count in 1...3 {
        _ = try await reader.read(0..<10)
        await clock.untilSleepers(1)
        clock.advance(by: .seconds(10))
        // It sleeps again when it has exported.
        await clock.untilSleepers(1)
        #expect(try reads("success") == Int64(count))
      }
      exporting.cancel()
      await #expect(throws: CancellationError.self) { try await exporting.value }
      await reader.close()
    }
  }

  struct SampleTests {
    @Test func `a total that became smaller adds nothing`() {
      var totals = Totals()
      let key = SampleKey(Sample(.readerReads, .total(0), [("a", "b")]))
      #expect([5, 7, 6, 7, 9, .min, .max].map { totals.added($0, to: key) } == [5, 2, 0, 0, 2, 0, .max - 9])
      let other = SampleKey(Sample(.readerReads, .total(0), [("a", "c")]))
      #expect(totals.added(3, to: other) == 3)
    }

    @Test(arguments: [
      ("reads", CountKind.events), ("second tries that won", .events), ("bytes", .bytes), ("bytes asked for", .bytes),
      ("over-read bytes kept", .bytes), ("microseconds waited", .microseconds), ("median µs", .latency),
      ("99th percentile µs", .latency), ("longest queue", .peak), ("", .events), ("most bytes", .peak),
    ])
    func `the name of a count says what it counts`(name: String, kind: CountKind) {
      #expect(CountKind(name) == kind)
    }
  }

  /// A stage with counts of every kind.
  struct Counting: ReadStage {
    func read(_ request: ReadRequest, next: ReadNext) async throws -> ReadResponse { try await next(request) }
    func statistics() -> Counters? {
      Counters(
        "Counting",
        counts: ["reads": 1, "bytes": 2, "microseconds waited": 3_000_000, "median µs": 4_000, "longest queue": 5],
        wastedBytes: 6)
    }
  }

  @Suite(.timeLimit(.minutes(5))) struct StageSampleTests {
    @Test func `the counts of any stage go to metrics of one unit each`() async throws {
      let metrics = TestMetrics()
      let exporter = StatisticsExporter(metrics: metrics)
      let reader = try await RangeReader(SyntheticSource(byteCount: 10), [.stage(Counting())])
      exporter.add(reader, name: "tiles")
      exporter.export()
      let stage = [("rangeio.reader.name", "tiles"), ("rangeio.stage.name", "Counting")]
      func named(_ count: String) -> [(String, String)] { stage + [("rangeio.count.name", count)] }
      #expect(try metrics.expectCounter("rangeio.stage.events", named("reads")).totalValue == 1)
      #expect(try metrics.expectCounter("rangeio.stage.io", named("bytes")).totalValue == 2)
      // The factory has no counter of fractions, so that a backend of whole numbers gets whole seconds.
      #expect(try metrics.expectCounter("rangeio.stage.time", named("microseconds waited")).totalValue == 3)
      #expect(try metrics.expectMeter("rangeio.stage.latency", named("median µs")).lastValue == 0.004)
      #expect(try metrics.expectMeter("rangeio.stage.peak", named("longest queue")).lastValue == 5)
      #expect(try metrics.expectCounter("rangeio.stage.waste", stage).totalValue == 6)
      await reader.close()
    }
  }
#endif
