import RangeIO

/// Reads of ten times what fits: nine of ten miss, insert and evict.
enum ChurnContenders {
  static func make(_ cells: [Cell]) async throws -> [Contender] {
    guard cells.contains(where: { $0.topic == .churn }) else { return [] }
    func source() -> BlockSource { BlockSource(byteCount: CacheTopic.churn.extent) }

    let below = source()
    let store = CacheStore(limit: CacheTopic.churnLimit)
    let cached = CachedReader(try await store.reader(below, under: 2), over: below)
    let bare = source()
    let uncached = CachedReader(try await RangeReader(bare), over: bare)
    let cache = NSCachePeer(limit: CacheTopic.churnLimit, of: source())
    let label = "\(CacheTopic.churnLimit >> 20) MiB, 2 stages above"
    let contenders = [
      Contender(.rangeIO, for: .churn, CachedReader.variant(label, [cached])) { await cached.reader.close() },
      Contender(.uncached, for: .churn, CachedReader.variant("no stages", [uncached])) {
        await uncached.reader.close()
      },
      Contender(.nsCache, for: .churn, cache.variant()) { cache.close() },
    ]
    // Full before the first run, so that all runs are alike.
    for contender in contenders { try await fill(contender) }
    return contenders
  }

  private static func fill(_ contender: Contender) async throws {
    let fits = CacheTopic.churnLimit / CacheTopic.blockSize
    let offsets = Offsets.make(
      3 * fits, .drawn, size: CacheTopic.blockSize, extent: CacheTopic.churn.extent, seed: .max)
    for variant in contender.variants(.cache(.churn)) {
      _ = try await variant.run(.reads(offsets: offsets, size: CacheTopic.blockSize, concurrency: 1))
    }
  }
}
