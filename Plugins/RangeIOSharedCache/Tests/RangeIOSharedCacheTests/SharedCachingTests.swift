#if SharedCache
  import Foundation
  import RangeIO
  import RangeIOTesting
  import Testing

  @testable import RangeIOSharedCache

  @Suite(.timeLimit(.minutes(10))) struct SharedCachingTests {
    private static let size = 300_000
    /// Four, or a part of `RANGEIO_SEEDS`.
    private static func seeds(oneIn part: UInt64) -> ClosedRange<UInt64> {
      1...max(4, (ProcessInfo.processInfo.environment["RANGEIO_SEEDS"].flatMap { UInt64($0) } ?? 0) / part)
    }

    /// A reader of another process: it has a memory of its own, and shares the engine.
    private static func process(
      _ source: ReplacedObject, _ engine: any SharedCacheEngine, _ time: ReadClock, _ shared: ReadPipeline? = nil
    ) async throws -> RangeReader {
      try await RangeReader(
        source, [.caching(MemoryStore(limit: .mebibytes(1))), shared ?? .sharedCaching(engine), .merging()], time: time)
    }

    @Test func `it is a stage`() async throws {
      let contents = SyntheticSource.bytes(0..<20_000)
      try await StageConformance.check(contents) { .sharedCaching(SimulatedEngine(.continuous, seed: 1)) }
    }

    @Test(arguments: seeds(oneIn: 1000))
    func `four processes that begin together ask the source once for each block`(_ seed: UInt64) throws {
      try Simulation.run(seed: seed) { simulation in
        let source = ReplacedObject(byteCount: Self.size, latency: .milliseconds(20), time: simulation.time)
        let engine = SimulatedEngine(simulation.time, seed: seed)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for process in 0..<4 {
            group.addTask {
              let reader = try await Self.process(source, engine, simulation.time)
              var numbers = SeededNumbers(seed &+ UInt64(process))
              for block in (0..<Self.size / 4096).shuffled(using: &numbers) {
                let range = block * 4096..<block * 4096 + 4096
                #expect(try await reader.read(range) == ReplacedObject.bytes(range, version: 1))
              }
              await reader.close()
            }
          }
          try await group.waitForAll()
        }
        let blocks = source.reads.flatMap { $0.lowerBound / 4096..<($0.upperBound + 4095) / 4096 }
        #expect(Set(blocks).count == blocks.count, "seed \(seed): \(blocks.count) of \(Set(blocks).count)")
        // Begun anew, the processes ask the source for nothing.
        let before = source.reads.count
        let reader = try await Self.process(source, engine, simulation.time)
        #expect(try await reader.read(0..<200_000) == ReplacedObject.bytes(0..<200_000, version: 1))
        #expect(source.reads.count == before)
        await reader.close()
      }
    }

    @Test func `what may be changing still is not shared`() throws {
      try Simulation.run(seed: 1) { simulation in
        let source = ReplacedObject(
          byteCount: Self.size, latency: .milliseconds(2), time: simulation.time, isSettled: false)
        let engine = SimulatedEngine(simulation.time, seed: 1)
        let shared: ReadPipeline = .sharedCaching(engine)
        let reader = try await Self.process(source, engine, simulation.time, shared)
        for _ in 0..<2 { #expect(try await reader.read(0..<9000) == ReplacedObject.bytes(0..<9000, version: 1)) }
        await reader.close()
        let counts = shared.stages[0].statistics()
        #expect(engine.valueCount == 0 && counts?["reads passed"] == 2)
      }
    }

    /// 240 reads a seed: a million of them with 100,000 seeds.
    @Test(arguments: seeds(oneIn: 24))
    func `an engine that stalls, forgets and lies, and objects that are replaced, make no wrong byte`(_ seed: UInt64)
      throws
    {
      try Simulation.run(seed: seed) { simulation in
        let source = ReplacedObject(byteCount: Self.size, latency: .milliseconds(20), time: simulation.time)
        let engine = SimulatedEngine(simulation.time, seed: seed, faults: .all)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for process in 0..<4 {
            group.addTask {
              var numbers = SeededNumbers(seed &* 16 &+ UInt64(process))
              var opened: (reader: RangeReader, version: String)?
              for _ in 0..<60 {
                if numbers.below(60) == 0 { source.replace() }
                if opened == nil || numbers.below(10) == 0 {
                  await opened?.reader.close()
                  let reader = try await Self.process(source, engine, simulation.time)
                  opened = (reader, (reader.source.validator as? Tag)?.text ?? "")
                }
                guard let (reader, version) = opened else { continue }
                let start = numbers.below(Self.size)
                let range = start..<min(Self.size, start + 1 + numbers.below(30_000))
                do {
                  let bytes = try await reader.read(range)
                  #expect(bytes == ReplacedObject.bytes(range, version: Int(version) ?? 0), "seed \(seed)")
                } catch let error as ReadError where error.code == .sourceChanged {
                  await reader.close()
                  opened = nil
                }
              }
              await opened?.reader.close()
            }
          }
          try await group.waitForAll()
        }
        #expect(engine.lies > 0, "seed \(seed) tells no lie")
      }
    }

    @Test func `an engine that never answers costs a tenth of what the source takes`() throws {
      try Simulation.run(seed: 1) { simulation in
        // One of these: each counts from when it was asked for.
        let time = simulation.time
        let source = ReplacedObject(byteCount: Self.size, latency: .milliseconds(20), time: time)
        let engine = SimulatedEngine(time, seed: 1, latency: .seconds(3600))
        let reader = try await Self.process(source, engine, time)
        for block in 0..<50 {
          let before = time.now
          _ = try await reader.read(block * 4096..<block * 4096 + 4096)
          #expect(before.duration(to: time.now) <= .milliseconds(22))
        }
        await reader.close()
      }
    }

    /// An engine that ignores its time limit.
    private struct Forgetful: SharedCacheEngine {
      let time: ReadClock
      let valueLimit = 1 << 20

      nonisolated(nonsending) func get(
        _ keys: [SharedBlockKey], lease: Duration?, within limit: Duration
      ) async -> [SharedBlockAnswer] {
        // `try?`: cancelled, it answers at once.
        try? await time.sleep(for: .seconds(3600))
        return keys.map { _ in .missing }
      }
      nonisolated(nonsending) func set(
        _ values: [(key: SharedBlockKey, value: Bytes)], lifetime: Duration
      ) async -> Int { values.count }
      nonisolated(nonsending) func close() async {}
      func statistics() -> [Counters] { [] }
    }

    @Test func `an engine that forgets its time costs no more than another fetch`() throws {
      try Simulation.run(seed: 1) { simulation in
        let time = simulation.time
        let source = ReplacedObject(byteCount: Self.size, latency: .milliseconds(20), time: time)
        let shared: ReadPipeline = .sharedCaching(Forgetful(time: time))
        let reader = try await Self.process(source, Forgetful(time: time), time, shared)
        for block in 0..<50 {
          let (range, before) = (block * 4096..<block * 4096 + 4096, time.now)
          #expect(try await reader.read(range) == ReplacedObject.bytes(range, version: 1))
          // The first fetch tells how long others take.
          #expect(block == 0 || before.duration(to: time.now) <= .milliseconds(50))
        }
        let counts = shared.stages[0].statistics()
        #expect(counts?["late"] == 50)
        // What still asks ends with the reader.
        let before = time.now
        await reader.close()
        #expect(before.duration(to: time.now) <= .milliseconds(50))
      }
    }

    @Test func `what one source takes says nothing of another that goes through the same stage`() throws {
      try Simulation.run(seed: 1) { simulation in
        let time = simulation.time
        let engine = SimulatedEngine(time, seed: 1)
        let shared: ReadPipeline = .sharedCaching(engine)
        let quick = ReplacedObject(byteCount: Self.size, latency: .milliseconds(2), time: time)
        let slow = ReplacedObject(
          byteCount: Self.size, latency: .seconds(2), time: time, id: "https://slow.example/object")
        let (a, b) = (
          try await Self.process(quick, engine, time, shared), try await Self.process(slow, engine, time, shared)
        )
        for block in 0..<8 { _ = try await b.read(block * 4096..<block * 4096 + 4096) }
        let dead = try #require(BlockFamily(try await quick.describe(), blockSize: 4096))
        _ = await engine.get((0..<20).map(dead.key), lease: .seconds(3600), within: .seconds(1))
        for block in 0..<20 {
          let before = time.now
          _ = try await a.read(block * 4096..<block * 4096 + 4096)
          #expect(before.duration(to: time.now) <= .milliseconds(10))
        }
        await a.close()
        await b.close()
      }
    }

    @Test func `a holder of a lease who dies delays nobody beyond one fetch`() throws {
      try Simulation.run(seed: 1) { simulation in
        // One of these: each counts from when it was asked for.
        let time = simulation.time
        let source = ReplacedObject(byteCount: Self.size, latency: .milliseconds(20), time: time)
        let engine = SimulatedEngine(time, seed: 1)
        let dead = try #require(BlockFamily(try await source.describe(), blockSize: 4096))
        _ = await engine.get((0..<20).map(dead.key), lease: .seconds(3600), within: .seconds(1))
        let reader = try await Self.process(source, engine, time)
        for block in 0..<20 {
          let before = time.now
          _ = try await reader.read(block * 4096..<block * 4096 + 4096)
          #expect(before.duration(to: time.now) <= .milliseconds(64))
        }
        await reader.close()
      }
    }
  }
#endif
