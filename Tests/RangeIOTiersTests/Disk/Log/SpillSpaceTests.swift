import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// What files take of the disk: the account, the limit that processes share, and segments that readers keep.
struct SpillSpaceTests {
  @Test func `an account takes all or nothing, and remembers its peak`() {
    let ledger = SpillLedger(limit: 100)
    #expect(ledger.take(60) && !ledger.take(41) && ledger.take(40))
    #expect(ledger.bytes == 100 && ledger.peakBytes == 100)
    ledger.give(70)
    ledger.limit = 50
    #expect(!ledger.take(21) && ledger.take(20) && ledger.peakBytes == 100)
    // What is there already counts, whatever the limit.
    ledger.charge(500)
    #expect(ledger.bytes == 550 && ledger.peakBytes == 550 && !ledger.take(1))
    #expect(SpillLedger.rounded(1) == 4096 && SpillLedger.rounded(4096) == 4096 && SpillLedger.rounded(0) == 0)
  }

  @Test func `a segment gives its space back with its last reader, unless its file stays`() async throws {
    let process = SimulatedDisk().newProcess()
    let directory = try process.openDirectory("/")
    let work = DiskWork.threads(IOThreads(limit: 1))
    let files = SpillFiles(directory, on: process, isReadOnly: false, most: 4, closing: work)
    let ledger = SpillLedger(limit: 1 << 20)
    func segment(_ number: UInt64) throws -> SpillSegment {
      #expect(ledger.take(8192))
      files.enter(try directory.create(SpillFormat.segmentName(number)), number)
      return SpillSegment(number: number, check: 0, charge: 8192, ledger: ledger, files: files)
    }
    var one: SpillSegment? = try segment(1)
    var reader = one
    one?.recharge(4096)
    #expect(ledger.bytes == 4096)
    one = nil
    #expect(ledger.bytes == 4096 && reader != nil)
    reader = nil
    await withCheckedContinuation { closed in work.start { closed.resume() } }
    #expect(ledger.bytes == 0)
    var other: SpillSegment? = try segment(2)
    other?.stays()
    other = nil
    await withCheckedContinuation { closed in work.start { closed.resume() } }
    #expect(ledger.bytes == 8192 && other == nil)
  }

  @Test func `processes that share a directory stay within its limit together`() async throws {
    var spill = SpillOnSimulatedDisk(segments: 6)
    spill.configuration.isShared = true
    let first = try await spill.open()
    var numbers: UInt64 = 7
    let other = numbers
    numbers += 1
    spill.configuration.random = { other }
    let second = try await spill.open()
    for block in 0..<60 {
      for store in [first, second] {
        FillSource(store.sources).put(block, in: store)
        try await store.flush()
        #expect(spill.disk.allocatedByteCount <= spill.configuration.limit.bytes)
      }
    }
    #expect(first.counts().blocks > 0)
    #expect(
      first.counts().bytes + second.counts().bytes <= spill.configuration.limit.bytes + SpillFormat.fixedBytes)
    try await second.close()
    // Its files are gone with it.
    #expect(spill.disk.files.allSatisfy { $0.components.count == 3 })
    try await first.close()
  }

  @Test(arguments: 0..<20)
  func `segments that readers keep, removals and little room lose no segment`(seed: UInt64) async throws {
    var random = TestRandom(seed)
    let spill = SpillOnSimulatedDisk(segments: 4)
    let store = try await spill.open()
    let source = FillSource(store.sources)
    var kept: [DeferredPiece] = []
    for step in 0..<400 {
      source.put(random.below(120), in: store)
      if random.below(3) == 0 {
        source.token.raiseGeneration()
        store.erase(source.block(random.below(120)), of: source.token)
      }
      if random.below(2) == 0 { kept += source.held(source.block(random.below(120)), in: store) }
      if kept.count > 3 { kept.removeFirst(1 + random.below(kept.count)) }
      if step % 3 == 0 { try? await store.flush() }
      // What found no room is tried again.
      if random.below(20) == 0 { spill.clock.advance(by: .seconds(300)) }
      #expect(spill.disk.allocatedByteCount <= spill.configuration.limit.bytes)
    }
    kept = []
    try? await store.flush()
    spill.clock.advance(by: .seconds(600))
    for block in 200..<240 {
      source.put(block, in: store)
      try await store.flush()
    }
    let faults = SpillRecount(store, isAtRest: true).faults
    #expect(faults.isEmpty, "\(faults)")
    #expect(source.isIn(store, 239) && store.counts().peakBytes <= store.counts().limit)
    try await store.close()
  }
}
