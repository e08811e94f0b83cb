import CBenchmarkPeers
import RangeIO

/// What is counted of the cache, not timed. To be measured before the cells, while the heap is still tidy.
struct CacheFacts: Sendable, Codable {
  /// What `--filter` looks into.
  static let id = "cache/facts"

  /// Blocks of 4 KiB in the store.
  var blocks: Int
  /// Resident memory for each block beyond its bytes. By the process, not by `malloc`: bytes of blocks lie in pages of
  /// the store's own. Nil where the system does not tell.
  var residentBookkeeping: Double?
  /// Hits for which allocations were counted, below two stages that do nothing.
  var hits: Int
  /// Nil where they cannot be counted.
  var allocations: Int?

  /// Fills a store with `blocks` blocks and reads some of them again.
  @concurrent static func measure(_ blocks: Int) async throws -> CacheFacts {
    let resident = try? ProcessMemory.bytes("VmRSS")
    let filled = try await FilledStore.filled(blocks)
    let residentGrowth = try resident.map { try ProcessMemory.bytes("VmRSS") - $0 }
    func perBlock(_ growth: Int) -> Double { Double(growth) / Double(blocks) - Double(CacheTopic.blockSize) }

    let reader = try await filled.reader(under: 2)
    let offsets = Offsets.make(
      20_000, .all(step: CacheTopic.blockSize), size: CacheTopic.blockSize, extent: blocks * CacheTopic.blockSize,
      seed: 0)
    // The first half only so that whatever is made once has been made.
    try await read(offsets[..<10_000], reader)
    let counts = bench_start_counting() == 0
    try await read(offsets[10_000...], reader)
    let allocations = bench_stop_counting()
    await reader.reader.close()
    return CacheFacts(
      blocks: blocks, residentBookkeeping: residentGrowth.map(perBlock),
      hits: 10_000, allocations: counts ? Int(allocations) : nil)
  }

  private static func read(_ offsets: ArraySlice<Int>, _ reader: CachedReader) async throws {
    for offset in offsets {
      try await reader.read(at: offset, count: CacheTopic.blockSize).check(at: offset, count: CacheTopic.blockSize)
    }
  }
}
