import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// A directory from which much was removed, piece by piece.
@Suite struct SpillManyTombstonesTests {
  @Test func `what was removed one by one stays removed, and what was not is found`() async throws {
    let spill = SimulatedSpill(limit: .mebibytes(16)) { $0.segmentSize = .kibibytes(256) }
    var store = try spill.open()
    let count = 2000
    var source = FillSource(store.sources, blockSize: 512)
    for block in 0..<count {
      source.put(block, in: store)
      if block % 500 == 499 { try await store.flush() }
    }
    // With gaps, so that none is put together with its neighbour.
    for block in stride(from: 0, to: count, by: 2) { source.erase(block..<block + 1, in: store) }
    try await store.flush()
    for block in stride(from: 0, to: count, by: 10) { source.put(block, in: store) }
    try await store.close()
    store = try spill.open()
    source = FillSource(store.sources, blockSize: 512)
    let expected = (0..<count).filter { $0 % 2 == 1 || $0 % 10 == 0 }
    #expect(source.served(0..<count, by: store) == Set(expected))
    #expect(store.miscounts() == [])
  }

  /// What of the work of opening is for tombstones, in spans put together, where a segment has so many of them and the one
  /// before it so many chunks.
  private func work(tombstones: Int, chunks: Int) throws -> (spans: Int, lists: Int, blocks: Int) {
    let disk = SimulatedDisk().newProcess()
    try disk.makeDirectory("/spill")
    let directory = try disk.openDirectory("/spill")
    let work = DiskWork.threads(IOThreads(limit: 1))
    let files = SpillFiles(directory, on: disk, isReadOnly: false, most: 4, closing: work)
    var state = SpillState(stagingLimit: 0, rules: .init())
    let sources = ChunkSources()
    let source = FillSource(sources, blockSize: 512)
    let identity = try #require(SpillIdentity(source.source, source.token.grid))
    let ledger = SpillLedger(limit: 1 << 40)
    func segment(_ number: UInt64, _ footer: SpillFooter) throws -> SpillOpening.Contents {
      files.enter(try directory.create(SpillFormat.segmentName(number)), number)
      let segment = SpillSegment(number: number, check: 0, charge: 0, ledger: ledger, files: files)
      return .init(segment: segment, length: 0, footer: footer)
    }
    var (older, newer) = (SpillFooter(), SpillFooter())
    (older.identities, newer.identities) = ([identity], [identity])
    for chunk in 0..<chunks {
      var record = SpillRecord(.chunk)
      (record.block, record.sequence, record.stored, record.count) = (UInt64(chunk), UInt64(chunk) + 1, 512, 512)
      older.entries.append(.init(record, at: 64 + chunk * 576))
    }
    newer.tombstones = (0..<tombstones).map { number in
      let block = UInt64(number * 7919 % max(1, tombstones)) * 2
      return SpillTombstone(source: 0, blocks: block..<block + 1, bound: UInt64(chunks + number) + 2)
    }
    var removed: [Int: SpillRemovedBlocks] = [:]
    state.enter(try segment(2, newer), &removed)
    state.enter(try segment(1, older), &removed)
    return (removed[0]?.work ?? 0, removed[0]?.lists.count ?? 0, state.table.count)
  }

  @Test func `opening does a few steps for each of a hundred thousand tombstones`() throws {
    let without = try work(tombstones: 0, chunks: 10_000)
    #expect(without == (0, 0, 10_000))
    let with = try work(tombstones: 100_000, chunks: 10_000)
    // Half of the chunks are removed, each found to be by a search in a few lists.
    #expect(with.blocks == 5_000 && with.lists <= 17)
    #expect(with.spans <= 100_000 * 2 * 17, "\(with.spans)")
  }

  /// Sources that each have a block in one of 200 segments, and were removed since, as eight segments after those say.
  private func removedSources(_ count: Int) -> [SpillNeededTombstones.Segment] {
    (0..<208).map { number in
      let isNew = number >= 200
      let slots = isNew ? stride(from: number - 200, to: count, by: 8) : stride(from: number, to: count, by: 200)
      return .init(
        place: UInt32(number), number: UInt64(number + 1),
        locals: Dictionary(uniqueKeysWithValues: slots.map { ($0, 0) }),
        tombstones: isNew ? slots.map { (slot: $0, blocks: 0..<1, bound: 9) } : [])
    }
  }

  @Test func `what a segment leaves is found in a few steps for each tombstone, however many segments there are`() {
    let count = 100_000
    let segments = removedSources(count)
    func slots(_ needed: SpillNeededTombstones) -> [Int] { needed.byPlace.values.flatMap { $0.map(\.slot) }.sorted() }
    let all = SpillNeededTombstones(segments, unread: nil)
    #expect(slots(all) == Array(0..<count))
    #expect(all.work <= 4 * count, "\(all.work)")
    // In whatever order, and with a half of the sources gone.
    let half = SpillNeededTombstones(segments[100...].reversed(), unread: nil)
    #expect(slots(half) == (0..<count).filter { $0 % 200 >= 100 })
    #expect(half.work <= 4 * count, "\(half.work)")
    // Nothing needs them; what has no known contents may need all that are newer.
    let last = Array(segments[200...])
    #expect(slots(SpillNeededTombstones(last, unread: nil)) == [])
    #expect(slots(SpillNeededTombstones(last, unread: 204)) == (0..<count).filter { $0 % 8 >= 4 })
  }
}
