import CBenchmarkPeers
import RangeIO

/// What is counted of the cache, not timed. To be measured before the cells, while the heap is still tidy.
struct CacheFacts: Sendable, Codable {
  /// What `--filter` looks into.
  static let id = "cache/facts"

  /// Blocks of 4 KiB in the store.
  var blocks: Int
  /// Memory in use for each block beyond its bytes, headers of the allocator included, as `malloc` counts it. Nil where
  /// it does not.
  var bookkeeping: Double?
  /// The same by the resident memory of the process, which also has what lies unused between allocations.
  var residentBookkeeping: Double?
  /// Hits for which allocations were counted, below two stages that do nothing.
  var hits: Int
  /// Nil where they cannot be counted.
  var allocations: Int?

  /// Fills a store with `blocks` blocks and reads some of them again.
  @concurrent static func measure(_ blocks: Int) async throws -> CacheFacts {
    let heap = bench_heap_in_use()
    let resident = try? ProcessMemory.bytes("VmRSS")
    let filled = try await FilledStore.filled(blocks)
    let heapGrowth = heap < 0 ? nil : Int(bench_heap_in_use() - heap)
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
      blocks: blocks, bookkeeping: heapGrowth.map(perBlock), residentBookkeeping: residentGrowth.map(perBlock),
      hits: 10_000, allocations: counts ? Int(allocations) : nil)
  }

  private static func read(_ offsets: ArraySlice<Int>, _ reader: CachedReader) async throws {
    for offset in offsets {
      try await reader.read(at: offset, count: CacheTopic.blockSize).check(at: offset, count: CacheTopic.blockSize)
    }
  }
}
