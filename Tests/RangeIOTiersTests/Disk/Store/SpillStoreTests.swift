import Foundation
import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

@Suite struct SpillStoreTests {
  @Test func `what was written is found, and found again after a restart`() async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(1)) { $0.stagingLimit = .mebibytes(1) }
    var store = try await spill.open()
    var source = FillSource(store.sources, byteCount: 100 * 4096 + 10)
    for block in 0..<101 { #expect(source.put(block, in: store)) }
    // Before it is written, too.
    #expect(source.read(source.block(7), in: store) == [source.block(7)])
    try await store.flush()
    #expect(store.counts().blocks == 101)
    for block in 0..<101 { #expect(source.read(source.block(block), in: store) == [source.block(block)]) }
    #expect(source.read(0..<100 * 4096 + 10, in: store) == [0..<100 * 4096 + 10])
    try await store.close()
    #expect(store.isEmpty && !store.isWritable)
    let last = store.counts()
    #expect(last.blocks == 101 && last.segments > 0 && last.storedBytes > 0 && last.bytes > SpillFormat.fixedBytes)
    #expect(last.written == 101 && last.stagedBytes == 0 && last.limit == 1 << 20)
    store = try await spill.open()
    source = FillSource(store.sources, byteCount: 100 * 4096 + 10)
    #expect(store.counts().blocks == 101)
    for block in 0..<101 { #expect(source.read(source.block(block), in: store) == [source.block(block)]) }
    try await store.close()
  }

  @Test func `another version, another source and another grid find nothing`() async throws {
    let executor = JobCount()
    let spill = try SpillOnDisk(limit: .mebibytes(1)) { $0.background = BackgroundWork(executor: executor) }
    var store = try await spill.open()
    var source = FillSource(store.sources, version: 1)
    source.put(3, in: store)
    try await store.close()
    store = try await spill.open()
    for other in [
      FillSource(store.sources, version: 2), FillSource(store.sources, id: "other", version: 1),
      FillSource(store.sources, version: 1, blockSize: 8192), FillSource(store.sources, version: 1, byteCount: 1 << 29),
    ] { #expect(!other.isIn(store, 3)) }
    // A version that is read makes the one before it useless, and nobody reads that any more: it goes beside the reads.
    executor.run()
    source = FillSource(store.sources, version: 1)
    #expect(!source.isIn(store, 3))
  }

  @Test func `the oldest segments make room, and the limit is never exceeded`() async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(1)) {
      $0.segmentSize = .kibibytes(64)
      $0.codec = IdentityCodec()
      $0.keepsFirstReads = true
    }
    let store = try await spill.open()
    let source = FillSource(store.sources)
    for block in 0..<2000 {
      source.put(block, in: store)
      if block % 20 == 0 { try await store.flush() }
    }
    try await store.flush()
    let statistics = store.counts()
    #expect(statistics.peakBytes <= 1 << 20)
    #expect(statistics.dropped == 0)
    #expect(source.isIn(store, 1999) && !source.isIn(store, 0))
    #expect(statistics.blocks > 150)
    let found = (0..<2000).filter { source.isIn(store, $0) }
    for block in found { #expect(source.read(source.block(block), in: store) == [source.block(block)]) }
    try await store.close()
  }

  @Test func `many restarts leave few files, and lose nothing`() async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(1)) { $0.segmentSize = .kibibytes(64) }
    for round in 0..<60 {
      let store = try await spill.open()
      let source = FillSource(store.sources)
      #expect((0..<round).allSatisfy { source.isIn(store, $0) })
      source.put(round, in: store)
      try await store.flush()
      #expect(store.counts().segments <= 32)
      try await store.close()
    }
  }

  @Test func `what is removed stays removed after a restart`() async throws {
    let spill = try SpillOnDisk(limit: .mebibytes(1))
    var store = try await spill.open()
    var source = FillSource(store.sources)
    for block in 0..<20 { source.put(block, in: store) }
    try await store.flush()
    source.token.raiseGeneration()
    store.erase(source.block(4).lowerBound..<source.block(7).upperBound, of: source.token)
    for block in 4...7 { #expect(!source.isIn(store, block)) }
    // Comes again.
    source.put(5, in: store)
    try await store.close()
    store = try await spill.open()
    source = FillSource(store.sources)
    #expect((0..<20).filter { source.isIn(store, $0) } == [0, 1, 2, 3, 5] + Array(8..<20))
    store.removeAll()
    #expect(store.isEmpty)
    try await store.close()
    store = try await spill.open()
    #expect(store.isEmpty)
    try await store.close()
  }
}
