import RangeIOTesting
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// What sources take of memory and time that are many.
@Suite struct SpillManySourcesTests {
  /// 5,000 unless a long run is asked for.
  private static let looked = TestScale.isStress ? 1_000_000 : 5_000

  @Test func `a source that is only looked up leaves nothing behind`() async throws {
    let spill = SimulatedSpill()
    let store = try spill.open()
    FillSource(store.sources, id: "kept").put(1, in: store)
    try await store.flush()
    let before = store.counts()
    var most = (indexBytes: 0, bindings: 0, tokens: 0)
    for number in 0..<Self.looked {
      let source = FillSource(store.sources, id: "https://example.org/objects/\(number)")
      let range = source.block(number % 100)
      #expect(source.read(range, in: store) == [] && !source.isIn(store, 3))
      most.indexBytes = max(most.indexBytes, store.counts().indexBytes)
      most.bindings = max(most.bindings, store.state.withLock { $0.sources.bindings.count })
      most.tokens = max(most.tokens, store.sources.count)
    }
    #expect(store.counts().sources == 1)
    #expect(most.tokens <= 1024 && most.bindings <= 1024, "\(most)")
    #expect(most.indexBytes - before.indexBytes < 256 << 10, "\(most)")
    #expect(FillSource(store.sources, id: "kept").served(0..<3, by: store) == [1])
    #expect(store.miscounts() == [])
  }

  @Test func `what a source takes counts as index, and goes when nothing of it is left`() async throws {
    let spill = SimulatedSpill(limit: .kibibytes(512)) { $0.segmentSize = .kibibytes(16) }
    let store = try spill.open()
    func put(_ numbers: Range<Int>) async throws {
      for number in numbers {
        #expect(FillSource(store.sources, id: "object \(number)", byteCount: 512, blockSize: 512).put(0, in: store))
        if number % 64 == 63 { try await store.flush() }
      }
    }
    let empty = store.counts().indexBytes
    try await put(0..<256)
    let some = store.counts()
    #expect(some.sources == 256)
    #expect(some.indexBytes - empty >= 256 * 200, "each takes some hundred bytes")
    // Many times what fits: of most of them nothing is left.
    try await put(256..<6400)
    let many = store.counts()
    #expect(many.blocks < 800 && many.sources <= 2 * many.blocks + 512, "\(many.sources) of \(many.blocks)")
    #expect(many.indexBytes < 1 << 20)
    #expect(store.miscounts() == [])
  }

  @Test func `a chunk that finds no room leaves no source behind`() async throws {
    let spill = SimulatedSpill { $0.stagingLimit = .kibibytes(8) }
    let store = try spill.open()
    // As if one were at it: nothing is written.
    store.state.withLock { $0.isWriting = true }
    #expect(FillSource(store.sources, id: "first").put(0, in: store))
    for number in 0..<100 { #expect(!FillSource(store.sources, id: "\(number)").put(0, in: store)) }
    #expect(store.counts().sources == 1 && store.counts().dropped == 100)
    store.state.withLock { $0.isWriting = false }
    #expect(store.miscounts() == [])
  }

  @Test func `of a version that is read the others leave the index beside the reads, all in one walk`() async throws {
    let executor = JobCount()
    let spill = SimulatedSpill(limit: .mebibytes(4))
    var store = try spill.open()
    for version in 0..<300 {
      FillSource(store.sources, version: version, reading: true).put(version, in: store)
      try await store.flush()
    }
    try await store.close()
    store = try spill.open { $0.background = BackgroundWork(executor: executor) }
    #expect(store.counts().blocks == 300)
    let source = FillSource(store.sources, version: 17)
    #expect(source.served(0..<300, by: store) == [17])
    #expect(store.state.withLock { $0.sweptOutdated } == 0, "nothing on the reader's way")
    #expect(store.miscounts() == [])
    executor.run()
    #expect(store.counts().blocks == 1 && store.miscounts() == [])
    #expect(store.state.withLock { $0.sweptOutdated <= $0.table.slotsUsed })
    #expect(source.served(0..<300, by: store) == [17])
    // And those are all: the next version has only this one to see to.
    _ = FillSource(store.sources, version: 400).read(0..<4096, in: store)
    executor.run()
    #expect(store.state.withLock { $0.sweptOutdated <= 2 * $0.table.slotsUsed })
    #expect(store.miscounts() == [])
  }

  @Test func `an outdated version that is read again before it was swept is found, and one after that is not`()
    async throws
  {
    let executor = JobCount()
    let spill = SimulatedSpill()
    var store = try spill.open()
    for version in 0..<3 { FillSource(store.sources, version: version, reading: true).put(version, in: store) }
    try await store.close()
    store = try spill.open { $0.background = BackgroundWork(executor: executor) }
    #expect(FillSource(store.sources, version: 0).served(0..<3, by: store) == [0])
    #expect(FillSource(store.sources, version: 1, reading: true).served(0..<3, by: store) == [1])
    #expect(store.miscounts() == [])
    executor.run()
    #expect(FillSource(store.sources, version: 1).served(0..<3, by: store) == [1])
    #expect(FillSource(store.sources, version: 2).served(0..<3, by: store) == [])
    #expect(store.miscounts() == [])
    // What was taken out of the index is on the disk still, and so are removals of it.
    store.erase(source: "fill")
    try await store.close()
    store = try spill.open()
    for version in 0..<3 { #expect(FillSource(store.sources, version: version).served(0..<3, by: store) == []) }
  }

  @Test func `a token is found by its number, however many there are`() {
    let sources = ChunkSources()
    let tokens = (0..<1000).map { FillSource(sources, id: "\($0)", reading: true).token }
    for token in tokens { #expect(sources.token(numbered: token.number) === token) }
    #expect(sources.count == 1000 && Set(sources.all.map(\.number)).count == 1000)
    for token in tokens { #expect(sources.endReading(token, isOver: true)) }
    #expect(sources.token(numbered: tokens[7].number) == nil && sources.count == 0)
  }
}
