import RangeIO
import RangeIOTiers

/// Who keeps blocks compressed: the library's tiers, LZ4 in a loop of C, and RocksDB's block cache.
enum TierContenders {
  static func make(_ cells: [Cell]) throws -> [Contender] {
    var contenders: [Contender] = []
    for cell in cells {
      switch cell.topic {
      case .compressedHits(let size): contenders += try hits(cell.topic!, size)
      case .demotion(let size): contenders += try demotion(cell.topic!, size)
      case .tail: contenders += try TailContenders.make()
      default: break
      }
    }
    return contenders
  }

  // MARK: hits

  private static func hits(_ topic: CacheTopic, _ size: Int) throws -> [Contender] {
    let count = CacheTopic.tierBlocks(size)
    let blocks = try TierSource.blocks(count, blockSize: size)
    let compressed = try CompressibleBlocks(blockSize: size, fraction: 0.5).compressed(count)
    var contenders = [
      Contender(.rangeIO, for: topic, Variant(label: "no stages above") { try await run(blocks, size, $0) }),
      Contender(
        .bareLZ4, for: topic,
        Variant(label: "malloc, LZ4_decompress_safe, free") { job in
          guard case .reads(let offsets, _, _) = job else { preconditionFailure("a job of reads") }
          return try timed { try compressed.decompress(offsets) }
        }),
    ]
    if let peer = try RocksDBPeer(primary: 16 * (size + 512), secondary: count * size) {
      try peer.fill(CompressibleBlocks(blockSize: size, fraction: 0.5), count: count)
      contenders.append(
        Contender(
          .rocksDB, for: topic,
          Variant(label: "LRU, compressed secondary, touched only") { job in
            guard case .reads(let offsets, let size, _) = job else { preconditionFailure("a job of reads") }
            return try timed {
              let hits = try peer.read(offsets, blockSize: size)
              guard hits.missed * 20 < offsets.count else { throw Missed(offset: nil) }
            }
          }))
    }
    return contenders
  }

  /// Each run has a store of its own, in which no block was touched.
  private static func run(_ blocks: [Bytes], _ size: Int, _ job: Job) async throws -> Outcome {
    guard case .reads(let offsets, _, let concurrency) = job else { preconditionFailure("a job of reads") }
    let store = try await TierStore(blocks, blockSize: size)
    try await store.fill()
    let before = store.tiers.statistics().count("hits", of: "compressed")
    let outcome = try await CachedReader.runInMemory([CachedReader(store.reader)], offsets, size, concurrency)
    // But for the few blocks that memory has.
    guard store.tiers.statistics().count("hits", of: "compressed") - before >= offsets.count - 32 else {
      throw Missed(offset: nil)
    }
    await store.reader.close()
    return outcome
  }

  // MARK: demotion

  private static func demotion(_ topic: CacheTopic, _ size: Int) throws -> [Contender] {
    let count = CacheTopic.tierBlocks(size)
    let blocks = try TierSource.blocks(count, blockSize: size)
    let plain = Bytes(concatenating: blocks).contiguous()
    return [
      Contender(
        .rangeIO, for: topic,
        Variant(label: "blocks read as fast as they are compressed") { _ in
          // Full, as it is for nearly all of its life: what comes takes the place of what goes.
          let store = try await TierStore(blocks, blockSize: size, limit: count * size / 8)
          try await store.fill()
          let clock = ContinuousClock()
          let start = clock.now
          try await store.fillAgain()
          let outcome = Outcome(elapsed: clock.now - start)
          await store.reader.close()
          return outcome
        }),
      Contender(
        .bareLZ4, for: topic,
        Variant(label: "into one buffer with room for 7/8") { job in
          guard case .reads(let offsets, _, _) = job else { preconditionFailure("a job of reads") }
          return try timed {
            try plain.withUnsafeBytes { _ = try BareLZ4Peer.compress($0, blockSize: size, at: offsets) }
          }
        }),
    ]
  }

  private static func timed(_ body: () throws -> Void) rethrows -> Outcome {
    let clock = ContinuousClock()
    let start = clock.now
    try body()
    return Outcome(elapsed: clock.now - start)
  }
}
