import RangeIO

/// A reader of a file without any settings, against the same without its cache.
enum DefaultContenders {
  static func make(_ file: BenchmarkFile) async throws -> [Contender] {
    let cached = CachedReader(try await DefaultReader.cached(file.path))
    let uncached = CachedReader(try await DefaultReader.uncached(file.path))
    let contenders = [(Contender.Name.rangeIO, cached), (.uncached, uncached)].map { name, reader in
      Contender(name, for: .defaults, variant(reader, name == .rangeIO ? "default" : "FileSource")) {
        await reader.reader.close()
      }
    }
    // Full before the first run: a store with room left has nothing to evict.
    let fits = DefaultReader.cacheByteCount / CacheTopic.blockSize
    let offsets = Offsets.make(
      3 * fits, .drawn, size: CacheTopic.blockSize, extent: CacheTopic.defaults.extent, seed: .max)
    _ = try await cached.run(offsets, CacheTopic.blockSize, 1)
    return contenders
  }

  private static func variant(_ reader: CachedReader, _ label: String) -> Variant {
    CachedReader.variant(label, [reader])
  }
}
