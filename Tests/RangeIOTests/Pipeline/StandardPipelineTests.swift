import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// The pipelines that are ready made.
struct StandardPipelineTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func names(_ pipeline: ReadPipeline) -> [String] { pipeline.stages.compactMap { $0.statistics()?.name } }

  @Test func `each has the stages that suit, in an order that works`() async throws {
    #expect(names(.localFile()) == ["Caching"])
    #expect(names(.localFile(cache: nil)) == [])
    #expect(names(.remoteObject()) == ["ReadAhead", "Caching", "Merging", "Retrying", "Limiting"])
    #expect(names(.remoteObject(cache: nil)) == ["Merging", "Retrying", "Limiting"])
    #expect(
      names(.remoteObject(timeLimit: .seconds(1), hedges: true))
        == ["TimeLimit", "ReadAhead", "Caching", "Merging", "Retrying", "Hedging", "Limiting"])
    for hedges in [false, true] {
      for limit in [nil, Duration.seconds(1)] {
        for store in [nil, MemoryStore(limit: .mebibytes(1))] {
          let pipeline = ReadPipeline.remoteObject(cache: store, timeLimit: limit, hedges: hedges)
          let source = SyntheticSource(byteCount: 300_000)
          // Others may stand around it.
          let reader = try await RangeReader(source, [.observing(), pipeline])
          #expect(try await reader.isRight(70_000..<270_000))
          await reader.close()
        }
      }
    }
  }

  @Test func `a local file is read in no other way than without stages`() async throws {
    let (path, bytes) = try await directory.file(count: 1_000_000)
    var random = TestRandom(7)
    // Each byte once, as random point reads of a large file nearly always do.
    var places = (0..<300).map { $0 * 3300 }
    places.shuffle(using: &random)
    let ranges = places.map { $0..<$0 + 1 + random.below(3300) }
    var seen: [[NotingStage.Seen]] = []
    for pipeline: ReadPipeline in [[], .localFile(cache: MemoryStore(limit: .mebibytes(1)))] {
      let notes = Noted<NotingStage.Seen>()
      let reader = try await RangeReader(
        FileSource(path, configuration: TestEngine.configuration()),
        [pipeline, .stage(NotingStage(name: "below", notes: notes))])
      for range in ranges { #expect(try await reader.read(range) == Bytes(bytes[range])) }
      seen.append(notes.all)
      await reader.close()
    }
    #expect(seen[0].count == 300)
    let isSame = seen[0].map(\.range) == seen[1].map(\.range)
    #expect(isSame)
    let reader = try await RangeReader(FileSource(path), .localFile(cache: nil))
    #expect(try await reader.read(5..<10) == Bytes(bytes[5..<10]))
    await reader.close()
  }

  @Test func `far away a scan is read ahead, ranges are merged, and what fails in passing is tried again`() throws {
    try Simulation.run(seed: 1) { simulation in
      let source = SyntheticSource(
        byteCount: 8 << 20, latency: .milliseconds(20), bytesPerSecond: 200e6, time: simulation.time)
      let faulty = FaultySource(source) { number, _ in
        number == 0 ? .fail(ReadError(.inputOutput, "for once", isTransient: true)) : nil
      }
      let store = MemoryStore(limit: .mebibytes(16))
      let reader = try await RangeReader(
        faulty, .remoteObject(cache: store, maxConcurrentReads: 4), configuration: simulation.configuration)
      #expect(try await reader.isRight(0..<10))
      for start in stride(from: 0, to: 4 << 20, by: 65_536) {
        #expect(try await reader.isRight(start..<start + 65_536))
      }
      // 64 reads one after the other would take 1.3 s; the second try of the first waits a moment.
      #expect(simulation.clock.now.offset < .milliseconds(700))
      let before = source.readCount
      let ranges = (0..<8).map { (5 << 20) + $0 * 200_000..<(5 << 20) + $0 * 200_000 + 100 }
      let got = try await reader.read(ranges)
      #expect(got == ranges.map { SyntheticSource.bytes($0) })
      #expect(source.readCount - before < 8)
      #expect(source.mostReadsUnderWay <= 4)
      await reader.close()
    }
  }

  @Test func `a read that takes longer than the limit ends`() throws {
    try Simulation.run(seed: 1) { simulation in
      let source = SyntheticSource(byteCount: 1 << 20, latency: .seconds(20), time: simulation.time)
      let reader = try await RangeReader(
        source, .remoteObject(cache: MemoryStore(limit: .mebibytes(1)), timeLimit: .seconds(1)),
        configuration: simulation.configuration)
      let error = await #expect(throws: ReadError.self) { try await reader.read(0..<10) }
      #expect(error?.code == .timedOut)
      #expect(simulation.clock.now.offset == .seconds(1))
      await reader.close()
    }
  }
}
