import RangeIOTiers

#if Telemetry
  import Foundation
  import InMemoryLogging
  import Logging
  import MetricsTestKit
  import RangeIO
  import RangeIOTesting
  import ServiceLifecycle
  import ServiceLifecycleTestKit
  import Testing

  @testable import RangeIOTelemetry

  @Suite(.timeLimit(.minutes(5))) struct ReadingServiceTests {
    /// A directory that goes with the test.
    private final class Directory: Sendable {
      let path: String

      init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "rangeio-telemetry-\(UUID())")
        try FileManager.default.createDirectory(
          at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        path = folder.path(percentEncoded: false)
      }

      // `try?`: what stays behind is the system's to clean.
      deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private let directory: Directory

    init() throws { directory = try Directory() }

    private func store() async throws -> TieredStore {
      var disk = DiskConfiguration(directory: directory.path + "/cache", limit: .mebibytes(64))
      disk.keepsFastSources = true
      disk.keepsFirstReads = true
      disk.freeSpaceFloor = .bytes(0)
      return try await TieredStore(memory: .mebibytes(16), disk: disk)
    }

    private func reader(_ store: TieredStore, _ source: some RangeSource) async throws -> RangeReader {
      try await RangeReader(source, [.caching(store)])
    }

    @Test func `a graceful shutdown closes readers, then stores, then exports`() async throws {
      let metrics = TestMetrics()
      let (store, source) = (try await store(), SyntheticSource(byteCount: 1 << 20))
      let reader = try await reader(store, source)
      let exporter = StatisticsExporter(metrics: metrics)
      exporter.add(reader, name: "tiles")
      exporter.add(store, name: "main")
      let service = ReadingService(
        readers: [reader], stores: [store], exporter: exporter, time: ReadClock(ManualClock()))
      _ = try await reader.read(0..<1 << 20)
      try await testGracefulShutdown { trigger in
        async let running: Void = service.run()
        trigger.triggerGracefulShutdown()
        try await running
      }
      #expect(source.isClosed)
      await #expect(throws: ReadError.self) { try await reader.read(0..<10) }
      // The last export knows what closing has written.
      let written = try metrics.expectCounter(
        "rangeio.cache.writes", [("rangeio.cache.name", "main"), ("rangeio.cache.tier", "disk")])
      #expect(written.totalValue == 16)
      // The directory is free, and has everything.
      let next = try await self.store()
      #expect(next.statistics()["disk"]?["blocks"] == 16)
      let again = SyntheticSource(byteCount: 1 << 20)
      let nextReader = try await self.reader(next, again)
      #expect(try await nextReader.read(0..<1 << 20) == SyntheticSource.bytes(0..<1 << 20))
      #expect(again.readCount == 0)
      await nextReader.close()
      try await next.close()
    }

    @Test func `a service group runs it`() async throws {
      let (store, source) = (try await store(), SyntheticSource(byteCount: 1 << 20))
      let service = ReadingService(readers: [try await reader(store, source)], stores: [store])
      let group = ServiceGroup(
        services: [service], logger: Logger(label: "test", factory: { _ in InMemoryLogHandler() }))
      async let running: Void = group.run()
      await group.triggerGracefulShutdown()
      try await running
      #expect(source.isClosed)
      try await self.store().close()
    }

    @Test func `a cancelled service closes everything and writes nothing more`() async throws {
      let (store, source) = (try await store(), SyntheticSource(byteCount: 1 << 20))
      let reader = try await reader(store, source)
      _ = try await reader.read(0..<1 << 20)
      let running = Task { [service = ReadingService(readers: [reader], stores: [store])] in try await service.run() }
      running.cancel()
      await #expect(throws: CancellationError.self) { try await running.value }
      #expect(source.isClosed)
      let next = try await self.store()
      #expect(next.statistics()["disk"]?["blocks"] == 0)
      try await next.close()
    }

    @Test func `a source that hangs does not hold up the stores`() async throws {
      let clock = ManualClock()
      let (store, source) = (try await store(), GatedSource(SyntheticSource(byteCount: 1 << 20)))
      let reader = try await reader(store, source)
      let hanging = Task { try await reader.read(0..<10) }
      await source.arrivals(1)
      try await testGracefulShutdown {
        [service = ReadingService(readers: [reader], stores: [store], time: ReadClock(clock))] trigger in
        async let running: Void = service.run()
        trigger.triggerGracefulShutdown()
        await clock.untilSleepers(1)
        clock.advance(by: .seconds(10))
        try await running
      }
      await #expect(throws: ReadError.self) { try await hanging.value }
      try await self.store().close()
      source.open()
    }

    @Test func `cancelling it while readers close cuts that short`() async throws {
      let clock = ManualClock()
      let (store, source) = (try await store(), GatedSource(SyntheticSource(byteCount: 1 << 20)))
      let reader = try await reader(store, source)
      let hanging = Task { try await reader.read(0..<10) }
      await source.arrivals(1)
      let service = ReadingService(readers: [reader], stores: [store], time: ReadClock(clock))
      await testGracefulShutdown { trigger in
        let running = Task { try await service.run() }
        trigger.triggerGracefulShutdown()
        // The reader is being closed, and its source hangs.
        await clock.untilSleepers(1)
        running.cancel()
        _ = await running.result
      }
      await #expect(throws: ReadError.self) { try await hanging.value }
      try await self.store().close()
      source.open()
    }

    @Test func `it exports while it runs`() async throws {
      let (metrics, clock) = (TestMetrics(), ManualClock())
      let exporter = StatisticsExporter(metrics: metrics)
      let reader = try await RangeReader(SyntheticSource(byteCount: 1000))
      exporter.add(reader, name: "tiles")
      var times = ReadingService.Times()
      times.exportInterval = .seconds(3)
      let service = ReadingService(readers: [reader], exporter: exporter, times: times, time: ReadClock(clock))
      try await testGracefulShutdown { trigger in
        async let running: Void = service.run()
        await clock.untilSleepers(1)
        #expect(clock.nextWake?.offset == .seconds(3))
        _ = try await reader.read(0..<10)
        clock.advance(by: .seconds(3))
        await clock.untilSleepers(1)
        let bytes = try metrics.expectCounter("rangeio.reader.io", [("rangeio.reader.name", "tiles")])
        #expect(bytes.totalValue == 10)
        trigger.triggerGracefulShutdown()
        try await running
      }
    }

    @Test func `it says when it closes`() async throws {
      let lines = InMemoryLogHandler()
      var logger = Logger(label: "test", factory: { _ in lines })
      logger.logLevel = .debug
      let service = ReadingService(readers: [], logger: logger)
      try await testGracefulShutdown { trigger in
        trigger.triggerGracefulShutdown()
        try await service.run()
      }
      #expect(lines.entries.map(\.message) == ["closing readers and stores", "readers and stores are closed"])
    }
  }
#endif
