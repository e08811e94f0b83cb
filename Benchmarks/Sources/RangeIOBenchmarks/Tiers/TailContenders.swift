import RangeIO
import RangeIOTiers

/// Hits in memory beside a core that compresses, and beside an idle one.
///
/// What counts as the time of a read is that of the 99th of a hundred batches, by the read. Between batches, untimed,
/// other blocks are read so that there is always something to compress.
enum TailContenders {
  static func make() throws -> [Contender] {
    let cold = try TierSource.blocks(CacheTopic.tierBlocks(CacheTopic.blockSize), blockSize: CacheTopic.blockSize)
    let hot = Array(cold[..<CacheTopic.hotBlocks])
    return [(Contender.Name.rangeIO, true), (.quiet, false)].map { name, compresses in
      Contender(
        name, for: .tail,
        Variant(label: compresses ? "a core compresses" : "nothing moves") { job in
          guard case .reads(let offsets, _, _) = job else { preconditionFailure("a job of reads") }
          return try await run(offsets, hot, cold, compresses)
        })
    }
  }

  @concurrent private static func run(
    _ offsets: [Int], _ hot: [Bytes], _ cold: [Bytes], _ compresses: Bool
  ) async throws -> Outcome {
    let size = CacheTopic.blockSize
    let store = TieredStore(memory: .mebibytes(48), compressed: .mebibytes(32))
    let reader = try await RangeReader(TierSource(hot, blockSize: size, id: "hot"), [.caching(store)])
    let other = try await RangeReader(TierSource(cold, blockSize: size, id: "cold", repeats: 64), [.caching(store)])
    try store.pin(0..<hot.count * size, of: reader.source)
    for block in 0..<hot.count { _ = try await reader.read(block * size..<(block + 1) * size) }
    // Until memory is full and all that is read from now on has to be compressed.
    for block in 0..<cold.count { _ = try await other.read(block * size..<(block + 1) * size) }
    var next = cold.count
    var times: [Duration] = []
    let clock = ContinuousClock()
    for first in stride(from: 0, to: offsets.count, by: CacheTopic.tailBatch) {
      while compresses, store.statistics().count("bytes", of: "memory queue") < 1 << 20 {
        for _ in 0..<64 {
          _ = try await other.read(next * size..<(next + 1) * size)
          next = (next + 1) % (cold.count * 64)
        }
      }
      let start = clock.now
      for offset in offsets[first..<min(first + CacheTopic.tailBatch, offsets.count)] {
        _ = try await reader.read(offset..<offset + size)
      }
      times.append(clock.now - start)
    }
    await reader.close()
    await other.close()
    times.sort()
    // Of each hundred batches, one takes longer.
    return Outcome(elapsed: times[times.count * 99 / 100] * times.count)
  }
}
