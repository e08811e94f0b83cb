#if SharedCache
  import RangeIO
  import RangeIOTesting
  import Testing

  @testable import RangeIOSharedCache

  /// Who brings a block, when the one who should does not.
  @Suite(.timeLimit(.minutes(2))) struct LeaseTests {
    private static let latency = Duration.milliseconds(20)

    /// A reader without a memory, of a source that takes 20 ms.
    private func simulate(
      _ faults: SimulatedEngine.Faults = .none, pendingWriteLimit: ByteCount = .mebibytes(32),
      _ body: @escaping @Sendable (RangeReader, ReplacedObject, Simulation, ReadClock) async throws -> Void
    ) throws {
      try Simulation.run(seed: 1) { simulation in
        let time = simulation.time
        let source = ReplacedObject(byteCount: 4_000_000, latency: Self.latency, time: time)
        let engine = SimulatedEngine(time, seed: 1, faults: faults)
        var configuration = SharedCacheConfiguration()
        configuration.pendingWriteLimit = pendingWriteLimit
        let shared: ReadPipeline = .sharedCaching(engine, configuration: configuration)
        let reader = try await RangeReader(source, [shared, .merging()], time: time)
        try await body(reader, source, simulation, time)
        await reader.close()
      }
    }

    private func block(_ number: Int) -> ByteRange { number * 4096..<(number + 1) * 4096 }

    @Test func `a read after one that was cancelled waits for nobody`() throws {
      try simulate { reader, source, simulation, time in
        for number in 0..<10 {
          let task = simulation.start { try await reader.read(block(number)) }
          while source.reads.count <= 2 * number { try await time.sleep(for: .milliseconds(1)) }
          task.cancel()
          _ = await task.result
          let before = time.now
          #expect(try await reader.read(block(number)) == ReplacedObject.bytes(block(number), version: 1))
          #expect(before.duration(to: time.now) < Self.latency + .milliseconds(2), "\(number)")
        }
      }
    }

    @Test func `an engine that takes nothing is not waited for`() throws {
      var faults = SimulatedEngine.Faults.none
      faults.refuse = 1
      try simulate(faults) { reader, _, _, time in
        for _ in 0..<10 {
          let before = time.now
          _ = try await reader.read(block(0))
          #expect(before.duration(to: time.now) < Self.latency + .milliseconds(2))
        }
      }
    }

    @Test func `values for which there is no room are not waited for`() throws {
      try simulate(pendingWriteLimit: .bytes(4096)) { reader, _, _, time in
        for _ in 0..<10 {
          let before = time.now
          _ = try await reader.read(0..<8 * 4096)
          #expect(before.duration(to: time.now) < Self.latency + .milliseconds(2))
        }
      }
    }

    @Test func `what others have brought during a fetch is not fetched again`() throws {
      try Simulation.run(seed: 1) { simulation in
        let time = simulation.time
        let source = ReplacedObject(byteCount: 4_000_000, latency: Self.latency, time: time)
        let engine = SimulatedEngine(time, seed: 1)
        func process() async throws -> RangeReader {
          let shared: ReadPipeline = .sharedCaching(engine)
          return try await RangeReader(source, [shared, .merging()], time: time)
        }
        let (one, other) = (try await process(), try await process())
        // Until it knows well what a fetch takes.
        for number in 0..<60 { _ = try await one.read(block(number)) }
        let before = source.reads.count
        for number in stride(from: 100, to: 180, by: 8) {
          let task = simulation.start { try await other.read(block(number)) }
          try await time.sleep(for: .milliseconds(5))
          _ = try await one.read(number * 4096..<(number + 4) * 4096)
          _ = try await task.value
        }
        #expect(source.reads.count - before == 20)
        await one.close()
        await other.close()
      }
    }

    @Test func `reads of one process that need the same block look for it once`() throws {
      try simulate { reader, source, simulation, time in
        for number in 0..<20 {
          let begin = number * 100_000
          let start = time.now
          // They have a block in common, and each needs one more.
          let reads = [begin..<begin + 5000, begin + 5000..<begin + 9000, begin + 4100..<begin + 8000]
          let tasks = reads.map { range in simulation.start { try await reader.read(range) } }
          for (task, range) in zip(tasks, reads) {
            let bytes = try await task.value
            #expect(bytes == ReplacedObject.bytes(range, version: 1))
          }
          #expect(start.duration(to: time.now) < Self.latency + .milliseconds(2))
        }
        let blocks = source.reads.flatMap { $0.lowerBound / 4096..<($0.upperBound + 4095) / 4096 }
        #expect(Set(blocks).count == blocks.count)
      }
    }

    @Test func `when a read is cancelled, those that wait for its block look for it themselves`() throws {
      try simulate { reader, source, simulation, time in
        for number in 0..<20 {
          let range = block(number * 3)
          let first = simulation.start { try await reader.read(range) }
          while source.reads.count <= 2 * number { try await time.sleep(for: .milliseconds(1)) }
          let second = simulation.start { try await reader.read(range) }
          try await time.sleep(for: .milliseconds(1))
          first.cancel()
          #expect(try await second.value == ReplacedObject.bytes(range, version: 1))
          _ = await first.result
        }
      }
    }

    @Test func `a reader that is closed does not wait for what another one fetches`() throws {
      try Simulation.run(seed: 1) { simulation in
        let time = simulation.time
        let shared: ReadPipeline = .sharedCaching(SimulatedEngine(time, seed: 1))
        func reader(_ latency: Duration) async throws -> RangeReader {
          let source = ReplacedObject(byteCount: 100_000, latency: latency, time: time)
          return try await RangeReader(source, [shared, .merging()], time: time)
        }
        let (slow, quick) = (try await reader(.seconds(3600)), try await reader(Self.latency))
        let first = simulation.start { try await slow.read(block(3)) }
        try await time.sleep(for: .seconds(1))
        let second = simulation.start { try await quick.read(block(3)) }
        try await time.sleep(for: .milliseconds(1))
        let before = time.now
        await quick.close()
        #expect(before.duration(to: time.now) < .milliseconds(1))
        await #expect(throws: ReadError.self) { try await second.value }
        first.cancel()
        _ = await first.result
        await slow.close()
      }
    }

    @Test func `leases that are over, or too many, are forgotten`() {
      var leases = OwnLeases()
      func takesUp(_ key: SharedBlockKey, _ now: ReadClock.Instant) -> Bool { leases.takeUp(key, now: now) }
      let start = ReadClock.continuous.now
      let keys = (0..<5000).map { number in
        SharedBlockKey(digest: (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) })
      }
      leases.abandon([keys[0], keys[1]], until: start.advanced(by: .seconds(1)), now: start)
      #expect(takesUp(keys[0], start))
      // It is in use from then on.
      #expect(!takesUp(keys[0], start))
      #expect(!takesUp(keys[1], start.advanced(by: .seconds(1))))
      leases.abandon(keys, until: start.advanced(by: .seconds(9)), now: start)
      #expect(!takesUp(keys[7], start))
      leases.abandon(Array(keys[..<4000]), until: start.advanced(by: .seconds(1)), now: start)
      leases.abandon(Array(keys[4000...]), until: start.advanced(by: .seconds(9)), now: start.advanced(by: .seconds(2)))
      #expect(takesUp(keys[4999], start.advanced(by: .seconds(2))))
    }
  }
#endif
