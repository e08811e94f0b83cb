import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Everything at once on both tiers, from many threads. Runs under the sanitizers as well.
struct TieredStoreStressTests {
  private static let memory = 400 << 10
  private static let compressed = 200 << 10
  private let background = CountedExecutor()

  @Test(arguments: [0, 65_536]) func `many threads on two tiers read right bytes and leave accounts that add up`(
    _ inline: Int
  ) async throws {
    let seed = UInt64(TestScale.firstSeed)
    var configuration = TieredStore.Configuration(memory: .bytes(Self.memory), compressed: .bytes(Self.compressed))
    configuration.memory.shards = 4
    configuration.compressed.shards = 2
    configuration.compressed.inlineLimit = .bytes(inline)
    configuration.background = BackgroundWork(executor: background)
    let store = TieredStore(configuration)
    let sources = (0..<3).map { FillRangeSource(byteCount: 1 << 20, id: "\($0)") }
    var readers: [RangeReader] = []
    for source in sources {
      for fill in [ReadPipeline.CacheFill.block, .exact] {
        readers.append(
          try await RangeReader(
            source, [.caching(store, fill: fill, blockSize: .kibibytes(4))],
            configuration: .init(background: BackgroundWork(executor: background))))
      }
    }
    await withTaskGroup(of: Void.self) { [readers] group in
      for worker in 0..<8 {
        group.addTask {
          var hammer = Hammer(store: store, readers: readers, random: TestRandom(seed &* 1000 &+ UInt64(worker)))
          await hammer.run(operations: TestScale.stress / 24)
        }
      }
    }
    let statistics = store.counts()
    #expect(statistics.compressed.hits > 0, "\(statistics)")
    #expect(statistics.moving.demoted > 0, "\(statistics)")
    try await check(store)
    for reader in readers { await reader.close() }
    store.removeAll()
    #expect(store.counts().memory.bytes == 0)
    #expect(store.counts().compressed.blocks == 0)
    #expect(store.sources.all.allSatisfy { !$0.isCharged })
  }

  private func check(_ store: TieredStore) async throws {
    store.handleMemoryPressure(.normal)
    store.setTimeLimits(age: nil, idle: nil)
    try await store.resize(memory: .bytes(Self.memory), compressed: .bytes(Self.compressed))
    try await background.quiet()
    #expect(store.mover.isIdle && store.mover.counts().bytes == 0)
    #expect(store.sources.all.allSatisfy { $0.flights.count == 0 })
    let tiers = try #require(store.memory)
    #expect(tiers.memory.counts().reservedBytes == 0)
    let above = MemoryRecount(tiers.memory)
    #expect(above.faults.isEmpty)
    let memory = above.bytes + tiers.memory.ledger.metadataBytes
    #expect(tiers.memory.ledger.bytes == memory)
    let below = CompressedRecount(tiers.compressed!)
    #expect(below.faults.isEmpty)
    let statistics = store.counts()
    #expect(statistics.bytes == memory + below.footprint + store.mover.counts().limit)
    #expect(statistics.peakBytes <= Hammer.most)
    #expect(statistics.bytes <= statistics.limit)
  }
}

/// One task's share of the operations.
private struct Hammer {
  /// The highest limits together, and a queue that grows before the tiers have shrunk.
  static let most = (400 << 10) + (200 << 10) + (100 << 10)

  let store: TieredStore
  let readers: [RangeReader]
  var random: TestRandom

  mutating func run(operations: Int) async {
    for _ in 0..<operations { await operate() }
  }

  private mutating func operate() async {
    let reader = readers[random.below(readers.count)]
    let source = reader.source
    // Most reads go to few blocks.
    let block = random.below(3) > 0 ? random.below(100) : random.below(250)
    let start = block * 4096 + random.below(4096)
    let range = start..<min(1 << 20, start + 1 + random.below(20_000))
    switch random.below(400) {
    case 0..<330: await read(reader, [range])
    case 330..<360: await read(reader, [range, start / 2..<start / 2 + 5000, start..<start + 1])
    case 360..<370: store.remove(range, of: source)
    case 370: store.remove(source: source.id)
    case 371: store.removeAll()
    case 372..<376:
      let memory = (200 << 10) + random.below(200 << 10)
      try? await store.resize(memory: .bytes(memory), compressed: .bytes(random.below(200 << 10)))
    case 376: store.handleMemoryPressure(.warning)
    case 377: store.handleMemoryPressure(.critical)
    case 378..<384: store.handleMemoryPressure(.normal)
    case 384: store.setTimeLimits(age: .milliseconds(1 + random.below(50)), idle: nil)
    case 385: store.setTimeLimits(age: nil, idle: .milliseconds(1 + random.below(50)))
    case 386: store.setTimeLimits(age: nil, idle: nil)
    case 387: store.change(.expire)
    case 388: try? store.pin(range, of: source)
    case 389..<393: store.unpin(0..<1 << 20, of: source)
    case 393: try? store.setMetadata(Bytes(random.array(random.below(100))), of: source)
    case 394:
      let read = Task { [reader] in _ = try? await reader.read(range) }
      read.cancel()
      await read.value
    default: _ = store.contains(range, of: source)
    }
  }

  private func read(_ reader: RangeReader, _ ranges: [ByteRange]) async {
    do {
      let grid = BlockGrid(blockSize: 4096)!
      for (bytes, range) in zip(try await reader.read(ranges), ranges) {
        #expect(bytes == FillSource.bytes(range, grid), "\(range)")
      }
    } catch {
      Issue.record(error)
    }
  }
}
