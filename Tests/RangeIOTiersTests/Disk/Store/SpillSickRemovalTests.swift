import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Removals, and what a flush says of them, on a disk that fails or is full.
struct SpillSickRemovalTests {
  @Test(arguments: [Errno.ioError, .noSpace])
  func `a removal that was found, and cannot be made durable, is one all the same`(errno: Errno) async throws {
    let spill = SpillOnSimulatedDisk { $0.syncsEvery = .bytes(1) }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    try await source.fill(0..<4, in: store)
    source.token.raiseGeneration()
    store.erase(source.block(1), of: source.token)
    try await store.close()
    spill.disk.faults = .on(.sync, number: 0, .fail(errno))
    let again = try await spill.open()
    let other = FillSource(again.sources)
    #expect(!other.isIn(again, 1) && other.isIn(again, 0))
    await #expect(throws: ReadError.self) { try await again.flush() }
    #expect(!other.isIn(again, 1))
    spill.clock.advance(by: .seconds(5))
    try await again.flush()
    spill.disk.losePower(seed: 1)
    let last = try await spill.open()
    #expect(!FillSource(last.sources).isIn(last, 1))
    try await last.close()
  }

  @Test func `a full disk loses the oldest files first, when all are removed`() async throws {
    for position in 0..<12 {
      let spill = SpillOnSimulatedDisk()
      let process = spill.disk.newProcess()
      let store = try await spill.open(process)
      let source = FillSource(store.sources)
      try await source.fill(0..<8, in: store)
      source.token.raiseGeneration()
      store.erase(source.block(1), of: source.token)
      try await store.flush()
      // The next `store` cannot be written until a file has gone; the process ends at one of the calls.
      spill.disk.faults = DiskFaults { call in
        if call.position >= position { return .crash(after: 0) }
        return call.kind == .write ? .fail(.noSpace) : nil
      }
      _ = store.removeAll()
      // `try?`: the process dies.
      try? await store.flush()
      spill.disk.faults = .none
      process.crash()
      let again = try await spill.open()
      #expect(!FillSource(again.sources).isIn(again, 1), "killed at call \(position)")
      try await again.close()
    }
  }

  @Test(.simulated) func `what is removed while it is open is removed on the disk before it serves again`() async throws
  {
    let spill = SpillOnSimulatedDisk()
    let process = spill.disk.newProcess()
    let store = try await spill.open(process)
    let source = FillSource(store.sources)
    try await source.fill(0..<20, in: store)
    await spill.sicken(source, store)
    source.token.raiseGeneration()
    store.erase(source.block(7), of: source.token)
    #expect(!source.isIn(store, 7))
    await #expect(throws: ReadError.self) { try await store.flush() }
    spill.disk.faults = .none
    spill.clock.advance(by: .seconds(5))
    // Asked to serve, it removes first.
    #expect(source.held(source.block(8), in: store).isEmpty)
    await quiet()
    #expect(store.counts().tombstones == 1)
    #expect(!source.held(source.block(8), in: store).isEmpty)
    process.crash()
    let again = try await spill.open()
    let other = FillSource(again.sources)
    #expect(!other.isIn(again, 7) && other.isIn(again, 8))
    try await again.close()
  }

  @Test func `what a failed write has left on the disk is reached by a removal`() async throws {
    let spill = SpillOnSimulatedDisk()
    let process = spill.disk.newProcess()
    let store = try await spill.open(process)
    let source = FillSource(store.sources)
    // The header of the file, then all of the chunk, but told as an error.
    spill.disk.faults = .on(.write, number: 1, .tear(after: .max))
    try await source.fill(3..<4, in: store)
    #expect(store.isEmpty)
    source.token.raiseGeneration()
    store.erase(source.block(3), of: source.token)
    try await store.flush()
    process.crash()
    let again = try await spill.open()
    #expect(!FillSource(again.sources).isIn(again, 3))
    try await again.close()
  }

  @Test func `a removal that could not be synced is written again`() async throws {
    let spill = SpillOnSimulatedDisk { $0.syncsEvery = .bytes(1) }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    try await source.fill(0..<5, in: store)
    source.token.raiseGeneration()
    spill.disk.faults = .on(.sync, number: 0, .fail(.ioError))
    store.erase(source.block(3), of: source.token)
    try? await store.flush()
    try await store.flush()
    spill.disk.losePower(seed: 3)
    let again = try await spill.open()
    #expect(!FillSource(again.sources).isIn(again, 3))
    try await again.close()
  }

  /// The kernel reports a write that failed to one sync, and the next succeeds.
  @Test(arguments: [ByteCount.bytes(1), .mebibytes(64)])
  func `a flush that succeeds after one that failed holds for all that is found`(syncsEvery: ByteCount) async throws {
    // Which of the bytes that the kernel has forgotten are on the disk all the same is chance.
    for seed in UInt64(1)...10 {
      // All blocks go to one file: what a sync that fails has forgotten would otherwise not be in the index.
      let spill = SpillOnSimulatedDisk(segment: 128 << 10) { $0.syncsEvery = syncsEvery }
      let store = try await spill.open()
      let source = FillSource(store.sources)
      try await source.fill(0..<3, in: store)
      spill.disk.faults = .on(.sync, number: 0, .fail(.ioError))
      try? await source.fill(3..<6, in: store)
      try await source.fill(6..<9, in: store)
      let found = (0..<9).filter { source.isIn(store, $0) }
      #expect(found.contains(8) && store.counts().writeErrors == 1)
      spill.disk.losePower(seed: seed)
      let again = try await spill.open()
      let left = FillSource(again.sources)
      var right: [Int] = []
      for block in 0..<9 where await left.load(block, in: again) == left.expected(left.block(block)) {
        right.append(block)
      }
      #expect(right == found, "seed \(seed)")
      try await again.close()
    }
  }

  @Test func `a removal that a flush could not copy to the next file is copied by the one after`() async throws {
    let spill = SpillOnSimulatedDisk { $0.syncsEvery = .bytes(1) }
    let process = spill.disk.newProcess()
    let store = try await spill.open(process)
    let source = FillSource(store.sources)
    // Three blocks fill a file. The next file has the removal.
    try await source.fill(0..<4, in: store)
    source.token.raiseGeneration()
    store.erase(source.block(1), of: source.token)
    try await store.flush()
    // That file cannot be made durable, and goes; the removal is to go to a third, which has its header by then.
    let hasFailed = Locked(false)
    let writes = Locked(0)
    spill.disk.faults = DiskFaults { call in
      if call.kind == .sync, call.number == 0 {
        hasFailed.withLock { $0 = true }
        return .fail(.ioError)
      }
      guard call.kind == .write, hasFailed.withLock({ $0 }) else { return nil }
      return writes.withLock {
        $0 += 1; return $0
      } == 2 ? .fail(.ioError) : nil
    }
    source.put(5, in: store)
    await #expect(throws: ReadError.self) { try await store.flush() }
    #expect(writes.withLock { $0 } == 2)
    spill.disk.faults = .none
    try await source.fill(6..<7, in: store)
    process.crash()
    let again = try await spill.open()
    let other = FillSource(again.sources)
    #expect(!other.isIn(again, 1) && other.isIn(again, 0) && other.isIn(again, 6))
    try await again.close()
  }

  @Test func `a removal that finds no room is not said to be durable`() async throws {
    let spill = SpillOnSimulatedDisk(segments: 2) { $0.refusesWhenFull = true }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    for block in 0..<20 { try await source.fill(block..<block + 1, in: store) }
    #expect(store.counts().dropped > 0)
    source.token.raiseGeneration()
    store.erase(source.block(0), of: source.token)
    await #expect { try await store.flush() } throws: { ($0 as? ReadError)?.code == .limitExceeded }
    try? await store.close()
  }
}
