import RangeIOTesting
import SystemPackage
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport
@testable import RangeIOTiers

/// Removing while a segment cannot be read, of which nobody knows what it holds.
@Suite struct SpillLeftOutTests {
  private let unread = FillSource(ChunkSources()).source

  /// A directory whose only segment cannot be read for now.
  private func leftOut() async throws -> SimulatedSpill {
    let spill = SimulatedSpill()
    let store = try spill.open()
    for block in 0..<8 { FillSource(store.sources).put(block, in: store) }
    try await store.close()
    let name = spill.segments[0]
    spill.disk.faults = DiskFaults { $0.kind == .read && $0.name == name ? .fail(.ioError) : nil }
    return spill
  }

  @Test func `a version that was not read here is removed from it`() async throws {
    let spill = try await leftOut()
    let store = try spill.open()
    #expect(store.counts().segmentsLeftOut == 1)
    store.erase(0..<4096 * 4, ofVersion: unread)
    try await store.flush()
    #expect(store.counts().tombstones == 1)
    try await store.close()
    spill.disk.faults = .none
    let again = try spill.open()
    #expect(FillSource(again.sources).served(0..<8, by: again) == Set(4..<8))
    try await again.close()
  }

  @Test func `who removes a source by its id is told, once, that some of it may return`() async throws {
    let spill = try await leftOut()
    let store = try spill.open()
    store.erase(source: unread.id)
    await #expect { try await store.flush() } throws: { ($0 as? ReadError)?.code == .inputOutput }
    try await store.flush()
    store.erase(source: unread.id)
    store.erase(.everything)
    try await store.flush()
    #expect(store.counts().segmentsLeftOut == 0)
    try await store.close()
  }

  @Test func `it goes when nothing else can make room`() async throws {
    let spill = try await leftOut()
    let store = try spill.open { $0.limit = .bytes(SpillFormat.fixedBytes + (4 << 16)) }
    let source = FillSource(store.sources)
    for block in 0..<400 {
      source.erase(block..<block + 1, in: store)
      source.put(1000 + block, in: store)
      if block % 4 == 3 { try await store.flush() }
    }
    #expect(source.isIn(store, 1399))
    #expect(store.miscounts() == [])
    try await store.close()
  }
}
