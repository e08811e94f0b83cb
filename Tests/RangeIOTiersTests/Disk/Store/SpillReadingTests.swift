import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// How often the disk is asked, and what closing and inserting write.
struct SpillReadingTests {
  @Test func `neighbours are read as one, up to a megabyte`() async throws {
    let spill = SpillOnSimulatedDisk(segment: 4 << 20, segments: 4) { $0.stagingLimit = .mebibytes(4) }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    for block in 0..<512 { source.put(block, in: store) }
    try await store.flush()
    let held = source.held(0..<512 * 4096, in: store)
    #expect(held.count == 3)
    #expect(held.map(\.range.count).reduce(0, +) == 512 * 4096)
    for piece in held {
      #expect(piece.range.count <= SpillRun.maxByteCount && piece.wanted == piece.range)
      #expect(await piece.loader.load {} == source.expected(piece.range))
    }
    #expect(store.counts().reads == 3 && store.counts().hits == 512)
    // Of a part of two blocks both are brought.
    let part = source.held(4000..<4200, in: store)
    #expect(part.count == 1 && part[0].range == 0..<8192 && part[0].wanted == 4000..<4200)
    try await store.close()
  }

  @Test func `many readers of one block do one read of the file`() throws {
    for seed in 0..<20 as Range<UInt64> {
      let reads = try Simulation.run(seed: seed) { simulation in
        let disk = SimulatedDisk()
        disk.residency = .nothing
        var limits = TieredStore.Configuration(memory: .kibibytes(512), compressed: .bytes(0))
        limits.time = simulation.time
        limits.background = simulation.configuration.background
        var spill = SpillStore.Configuration(directory: "/spill", limit: .mebibytes(1))
        spill.segmentSize = .kibibytes(64)
        spill.freeSpaceFloor = .bytes(0)
        spill.work = .tasks(simulation.configuration.background)
        let source = SyntheticSource(byteCount: 1 << 16, latency: .milliseconds(20), time: simulation.time)
        var reads = 0
        // Once to write it, and once to read what an earlier process has left.
        for _ in 0..<2 {
          spill.disk = disk.newProcess()
          let store = try await TieredStore(limits, disk: spill)
          let reader = try await RangeReader(
            source, [.caching(store, blockSize: .kibibytes(4))], configuration: simulation.configuration)
          let tasks = (0..<50).map { number in
            simulation.start {
              guard try await reader.read(number..<4096) == source.expected(number..<4096) else { throw Wrong() }
            }
          }
          for task in tasks { try await task.value }
          await reader.close()
          reads += store.spill!.counts().reads
          try await store.close()
        }
        guard source.readCount == 1 else { throw Wrong() }
        return reads
      }
      #expect(reads == 1, "seed \(seed)")
    }
  }

  private struct Wrong: Error {}

  /// A store of memory and a disk, with blocks in memory only.
  private func fill(
    _ spill: SpillOnSimulatedDisk, _ blocks: Int, _ change: (inout SpillStore.Configuration) -> Void = { _ in }
  ) async throws -> (TieredStore, FillSource) {
    var limits = TieredStore.Configuration(memory: .mebibytes(4), compressed: .bytes(0))
    limits.time = spill.configuration.time
    var configuration = spill.configuration
    configuration.disk = spill.disk.newProcess()
    change(&configuration)
    let store = try await TieredStore(limits, disk: configuration)
    let source = FillSource(store.sources)
    for block in 0..<blocks {
      let range = source.block(block)
      let ticket = source.token.ticket(fetchedAt: store.now)
      guard let room = store.reserve(range, ofRun: range.count, for: source.token) else { throw Wrong() }
      _ = store.insert(source.expected(range), at: range, ticket: ticket, reservation: room)
    }
    return (store, source)
  }

  @Test func `closing writes what is in memory, and a deadline that has passed writes none of it`() async throws {
    for (deadline, expected) in [(Duration.seconds(10), 40), (.zero, 0)] {
      let spill = SpillOnSimulatedDisk(segment: 64 << 10)
      let (store, _) = try await fill(spill, 40)
      #expect(store.spill!.counts().written == 0)
      try await store.close(within: deadline)
      let again = try await spill.open()
      #expect(again.counts().blocks == expected)
      try await again.close()
    }
  }

  @Test func `written when they come, blocks are there after a kill`() async throws {
    let spill = SpillOnSimulatedDisk(segment: 64 << 10)
    let process = spill.disk.newProcess()
    let (store, _) = try await fill(spill, 12) {
      $0.writesOnInsertion = true
      $0.disk = process
    }
    try await store.flush()
    process.crash()
    let again = try await spill.open()
    #expect(again.counts().blocks == 12)
    try await again.close()
  }

  @Test func `a disk that hangs costs a read no more than the watch and the source`() async throws {
    let gate = Gate()
    let threads = IOThreads(limit: 4)
    let spill = SpillOnSimulatedDisk(segment: 64 << 10) { $0.work = .threads(threads) }
    spill.disk.residency = .nothing
    let (first, _) = try await fill(spill, 4)
    try await first.close()
    let (store, _) = try await fill(spill, 0)
    spill.disk.faults = .always(.read, .delay { gate.pass() })
    let source = FillRangeSource(byteCount: 1 << 30)
    let reader = try await RangeReader(
      source, [.caching(store, blockSize: .bytes(4096))], configuration: .init(time: spill.configuration.time))
    let hasEnded = Tally()
    let start = spill.clock.now
    let read = Task {
      defer { hasEnded.change(by: 1) }
      return try await reader.read(100..<200)
    }
    await gate.arrival()
    while hasEnded.now == 0 {
      if spill.clock.sleeperCount > 0 { spill.clock.advance(by: .milliseconds(10)) }
      await Task.yield()
    }
    #expect(try await read.value == source.expected(100..<200))
    // A tenth of a second, as the watch sees it, and what passes while tasks change threads.
    #expect(start.duration(to: spill.clock.now) >= .milliseconds(100))
    #expect(source.requests.count == 1 && store.spill!.counts().lateReads == 1)
    gate.open()
    spill.disk.faults = .none
    await reader.close()
    try await store.close()
  }
}
