import RangeIO

/// The same reader with and without the cache, over bytes that are ready: the difference is what a miss costs.
///
/// No stages above either. The store is full, so that each miss makes room for itself, as it does for nearly all of a
/// store's life; each run reads a source of another name, so that no block is ever found.
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

  /// The same of a file in the page cache, which brings bytes that need no copy.
  static func make(_ file: BenchmarkFile) async throws -> [Contender] {
    let store = CacheStore(limit: storeLimit)
    let cached = CachedReader(try await store.reader(FileSource(file.path), under: 0))
    let uncached = CachedReader(try await DefaultReader.uncached(file.path))
    // What a run leaves behind makes room for what the cell does not read.
    let elsewhere = Offsets.make(
      8192, .all(step: CacheTopic.blockSize), size: CacheTopic.blockSize, extent: CacheTopic.fileMisses.extent, seed: 1
    ).map { CacheTopic.fileMisses.extent + $0 }
    let variant = Variant(label: ".exact, a full store") { job in
      guard case .reads(let offsets, let size, let concurrency) = job else { preconditionFailure("a job of reads") }
      _ = try await CachedReader.runInMemory([cached], elsewhere, size, 1)
      return try await CachedReader.runInMemory([cached], offsets, size, concurrency)
    }
    return [
      Contender(.rangeIO, for: .fileMisses, variant) { await cached.reader.close() },
      Contender(.uncached, for: .fileMisses, CachedReader.variant("no stages", [uncached])) {
        await uncached.reader.close()
      },
    ]
  }

  /// Room for 4,096 blocks, with what each costs beside its bytes.
  private static let storeLimit = 4096 * (CacheTopic.blockSize + 512)

  private static func cached(_ blocks: [Bytes], _ suspends: Bool) -> Variant {
    let store = CacheStore(limit: storeLimit)
    let runs = Tickets()
    return Variant(label: ".exact, a full store") { job in
      let source = ReadySource(blocks: blocks, suspends: suspends, id: "ready \(runs.take())")
      let filler = ReadySource(blocks: blocks, suspends: false, id: "filler \(runs.take())")
      let filling = try await store.reader(filler, under: 0)
      for block in 0..<8192 {
        _ = try await filling.read(block * CacheTopic.blockSize..<(block + 1) * CacheTopic.blockSize)
      }
      await filling.close()
      return try await run(store.reader(source, under: 0), job)
    }
  }

  private static func uncached(_ blocks: [Bytes], _ suspends: Bool) -> Variant {
    Variant(label: "no stages") { job in
      try await run(RangeReader(ReadySource(blocks: blocks, suspends: suspends, id: "ready")), job)
    }
  }

  private static func run(_ reader: RangeReader, _ job: Job) async throws -> Outcome {
    guard case .reads(let offsets, let size, let concurrency) = job else { preconditionFailure("a job of reads") }
    let outcome = try await CachedReader.runInMemory([CachedReader(reader)], offsets, size, concurrency)
    await reader.close()
    return outcome
  }
}
