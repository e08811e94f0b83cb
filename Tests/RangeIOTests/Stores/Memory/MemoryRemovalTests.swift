import RangeIOTesting
import Synchronization
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Removing all, in parts and halfway.
@Suite(.simulated) struct MemoryRemovalTests {
  private let store = MemoryStore(limit: .mebibytes(64))

  private func filled() -> StoredSource {
    let source = StoredSource(store, byteCount: 64 << 20)
    for block in 0..<2000 { source.put(source.block(block)) }
    return source
  }

  @Test func `a removal that is not iterated is done at once`() {
    let source = filled()
    store.removeAll()
    #expect(store.counts().bytes == 0)
    #expect(source.token.chargedBytes == 0)
    #expect(MemoryRecount(store).faults.isEmpty)
  }

  @Test func `a removal that is abandoned halfway gives the rest back`() async {
    let source = filled()
    for await progress in store.removeAll() {
      #expect(progress.removedBytes < progress.totalBytes)
      break
    }
    #expect(store.counts().bytes == 0)
    #expect(store.ledger.blocks == 0)
    #expect(source.put(0..<4096))
  }

  @Test func `what is being removed counts until it is given back, and new chunks come beside it`() async {
    let source = filled()
    let total = store.counts().bytes
    var removal: ChunkRemoval? = store.remove(.everything)
    #expect(store.counts().bytes == total)
    #expect(!source.contains(0..<1))
    #expect(source.put(0..<4096))
    #expect(source.holds(0..<4096))
    #expect(store.counts().bytes == total + MemoryStore.charge(of: 4096))
    var steps = removal?.makeAsyncIterator()
    let first = await steps?.next(isolation: #isolation)
    #expect(first?.totalBytes == total)
    // A second look goes on where the first stopped.
    var others = removal?.makeAsyncIterator()
    let second = await others?.next(isolation: #isolation)
    #expect((second?.removedBytes ?? 0) > (first?.removedBytes ?? 0))
    (removal, steps, others) = (nil, nil, nil)
    #expect(store.counts().bytes == MemoryStore.charge(of: 4096))
    #expect(source.holds(0..<4096))
  }

  @Test func `an empty store has nothing to report`() async {
    var steps = store.removeAll().makeAsyncIterator()
    let progress = await steps.next(isolation: #isolation)
    #expect(progress == nil)
  }

  @Test func `resizing gives back what is being removed, and does not wait for its iteration`() async throws {
    _ = filled()
    let removal = store.remove(.everything)
    try await store.resize(to: .kibibytes(4))
    #expect(store.counts().bytes == 0)
    for await progress in removal { #expect(progress.removedBytes == progress.totalBytes) }
  }

  @Test func `removing a range removes the blocks that hold some of it, and no others`() {
    let source = filled()
    store.remove(4095..<4097, of: source.source)
    #expect(!source.contains(0..<1))
    #expect(!source.contains(8191..<8192))
    #expect(source.holds(8192..<100_000))
    store.remove(100_000..<100_000, of: source.source)
    #expect(source.holds(8192..<120_000))
    store.remove(-100..<Int.max, of: source.source)
    #expect(store.counts().bytes == 0)
  }

  @Test func `removing one source leaves the others, in whatever version they are`() {
    let source = filled()
    let other = StoredSource(store, id: "other")
    other.put(0..<4096)
    store.remove(source: "another")
    #expect(source.holds(0..<4096))
    store.remove(source: "source")
    #expect(!source.contains(0..<1))
    #expect(other.holds(0..<4096))
    #expect(store.counts().blocks == 1)
    #expect(source.put(0..<4096))
  }

  @Test func `a new version erases the old one, unless somebody still reads that`() {
    let old = StoredSource(store, reading: true)
    old.put(0..<4096)
    let new = StoredSource(store, version: 1)
    new.put(0..<4096)
    #expect(old.holds(0..<4096))
    #expect(new.holds(0..<4096))
    #expect(store.sources.endReading(old.token))
    store.erase(.retired(old.token))
    #expect(store.counts().blocks == 1)
    #expect(!old.put(0..<4096))
    #expect(new.holds(0..<4096))
  }
}
