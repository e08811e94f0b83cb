import RangeIO

/// The same reader with and without the cache, over bytes that are ready: the difference is what a miss costs.
///
/// No stages above either, and a new store for every run, so that no offset is ever read twice. Making both is not
/// measured; the growth of the store's tables is.
enum MissContenders {
  static func make(_ cells: [Cell]) async throws -> [Contender] {
    let topics = cells.compactMap(\.topic).filter { if case .misses = $0 { true } else { false } }
    guard !topics.isEmpty else { return [] }
    let blocks = (0..<CacheTopic.readyBlocks).map { block in
      BlockSource.bytes(block * CacheTopic.blockSize..<(block + 1) * CacheTopic.blockSize)
    }
    var contenders: [Contender] = []
    for case .misses(let suspends) in topics {
      let topic = CacheTopic.misses(suspending: suspends)
      contenders.append(Contender(.rangeIO, for: topic, cached(blocks, suspends)))
      contenders.append(Contender(.uncached, for: topic, uncached(blocks, suspends)))
    }
    return contenders
  }

  private static func cached(_ blocks: [Bytes], _ suspends: Bool) -> Variant {
    Variant(label: ".exact, a new store") { job in
      let store = CacheStore(limit: blocks.count * (CacheTopic.blockSize + 512))
      return try await run(store.reader(ReadySource(blocks: blocks, suspends: suspends), under: 0), job)
    }
  }

  private static func uncached(_ blocks: [Bytes], _ suspends: Bool) -> Variant {
    Variant(label: "no stages") { job in
      try await run(RangeReader(ReadySource(blocks: blocks, suspends: suspends)), job)
    }
  }

  private static func run(_ reader: RangeReader, _ job: Job) async throws -> Outcome {
    guard case .reads(let offsets, let size, let concurrency) = job else { preconditionFailure("a job of reads") }
    let outcome = try await CachedReader.runInMemory([CachedReader(reader)], offsets, size, concurrency)
    await reader.close()
    return outcome
  }
}
