import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

struct SpillStagingTests {
  private let source = FillSource(ChunkSources())

  private func chunk(_ block: Int) -> Chunk { source.chunk(block, at: ReadClock.Instant(nanoseconds: 0)) }
  private var charge: Int { 4096 + SpillStaging.overhead }

  private func staging(of blocks: Int) -> SpillStaging { SpillStaging(limit: charge * blocks) }

  @Test func `it takes as much as its limit, and no more`() {
    var staging = staging(of: 2)
    #expect(staging.append(chunk(1), slot: 0, key: 1) == true)
    #expect(staging.append(chunk(2), slot: 0, key: 2) == true)
    #expect(staging.append(chunk(3), slot: 0, key: 3) == false)
    #expect(staging.count == 2 && staging.bytes == charge * 2 && staging.waitingBytes == charge * 2)
    let removed = staging.remove(1)
    #expect(removed?.chunk.block == 1)
    #expect(staging.append(chunk(3), slot: 0, key: 3) == true)
    #expect(staging[3]?.chunk.block == 3 && staging[1] == nil)
  }

  @Test func `a batch is sorted, bounded, and found until it is finished`() {
    var staging = staging(of: 10)
    for block in [5, 3, 9, 1] { _ = staging.append(chunk(block), slot: 0, key: UInt64(block)) }
    let batch = staging.nextBatch(upTo: charge * 3)
    #expect(batch.map(\.key) == [3, 5, 9])
    #expect(staging.waitingBytes == charge && staging.bytes == charge * 4 && staging[5] != nil)
    for (key, entry) in batch { #expect(staging.finish(key, entry.number) != nil) }
    #expect(staging.bytes == charge)
    let next = staging.nextBatch(upTo: 1)
    #expect(next.map(\.key) == [1])
    let last = staging.nextBatch(upTo: 1)
    #expect(last.isEmpty && !staging.hasWork)
  }

  @Test func `what was taken out and came again is another one`() {
    var staging = staging(of: 10)
    _ = staging.append(chunk(1), slot: 0, key: 1)
    let first = staging.nextBatch(upTo: 1)[0]
    let removed = staging.remove { key, _ in key == 1 }
    #expect(removed.count == 1)
    #expect(staging.bytes == 0 && staging.waitingBytes == 0)
    _ = staging.append(chunk(1), slot: 0, key: 1)
    #expect(staging.finish(1, first.entry.number) == nil)
    #expect(staging.waitingBytes == charge)
    let second = staging.nextBatch(upTo: 1)
    #expect(second.count == 1)
  }

  @Test func `removals that touch are one, and are put back in front`() {
    var staging = staging(of: 1)
    #expect(staging.note(.init(slot: 1, blocks: 4..<6)).isOneMore == true)
    #expect(staging.note(.init(slot: 1, blocks: 6..<7)).isOneMore == false)
    #expect(staging.note(.init(slot: 1, blocks: 2..<5)).isOneMore == false)
    #expect(staging.note(.init(slot: 2, blocks: 2..<5)).isOneMore == true)
    let taken = staging.takeRemovals()
    #expect(taken.removals.map(\.blocks) == [2..<7, 2..<5] && !staging.hasWork)
    #expect(staging.note(.init(slot: 3, blocks: 0..<1)).isOneMore == true)
    staging.putBack(taken)
    #expect(staging.removals.map(\.slot) == [1, 2, 3])
    let unneeded = staging.noteClearing()
    #expect(unneeded.count == 3)
    #expect(staging.removals.isEmpty && staging.clears && staging.hasRemovals)
  }
}
