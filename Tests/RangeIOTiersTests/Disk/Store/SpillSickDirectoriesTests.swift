import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Several directories in a process, some of them on disks that hang.
@Suite struct SpillSickDirectoriesTests {
  @Test(.timeLimit(.minutes(5)))
  func `two sick directories of three hold up two reads each, and nothing of the third`() async throws {
    let gates = [Gate(), Gate()]
    let sick = gates.map { _ in SpillOnSimulatedDisk(segment: 64 << 10) { $0.work = nil } }
    let healthy = SpillOnSimulatedDisk { $0.work = nil }
    var reads: [Task<Bytes?, Never>] = []
    var stores: [SpillStore] = []
    for (spill, gate) in zip(sick, gates) {
      let store = try await spill.open()
      stores.append(store)
      let source = FillSource(store.sources)
      for block in 0..<40 {
        source.put(block, in: store)
        if block % 8 == 7 { try await store.flush() }
      }
      spill.disk.faults = .always(.read, .delay { gate.pass() })
      for block in 0..<40 {
        let piece = source.held(source.block(block), in: store)[0]
        reads.append(Task { await piece.loader.load {} })
      }
      await gate.arrival(2)
    }
    let store = try await healthy.open()
    let source = FillSource(store.sources)
    for round in 0..<5 {
      source.put(round, in: store)
      try await store.flush()
      #expect(await source.load(round, in: store) == source.expected(source.block(round)))
    }
    try await store.close()
    #expect(gates.map(\.arrivals) == [2, 2])
    // Writing goes on beside reads that hang.
    for store in stores {
      FillSource(store.sources).put(100, in: store)
      try await store.flush()
    }
    #expect(gates.map(\.arrivals) == [2, 2])
    for gate in gates { gate.open() }
    for read in reads { _ = await read.value }
    for store in stores { try await store.close() }
  }
}
