import RangeIO

/// Readers of a file with ready-made pipelines, against readers with less.
enum PipelineContenders {
  static func make(_ file: BenchmarkFile) async throws -> [Contender] {
    try await hits(file) + cold(file)
  }

  /// Hits: the stages that are ready-made, and a cache alone. All have a store of their own that holds every block.
  private static func hits(_ file: BenchmarkFile) async throws -> [Contender] {
    let pipelines: [(Contender.Name, String, ReadPipeline)] = [
      (.rangeIO, "localFile()", .localFile(cache: store())),
      (.cachingAlone, "Caching(store)", [.caching(store(), blockSize: .kibibytes(4))]),
      (.farPipeline, "remoteObject()", .remoteObject(cache: store())),
    ]
    var contenders: [Contender] = []
    for (name, label, pipeline) in pipelines {
      let reader = CachedReader(try await RangeReader(FileSource(file.path), pipeline))
      // Often: one of them keeps what is read again, and forgets now and then what was read.
      for _ in 0..<3 {
        for offset in stride(from: 0, to: CacheTopic.pipelineHits.extent, by: CacheTopic.blockSize) {
          try await reader.read(at: offset, count: CacheTopic.blockSize).check(at: offset, count: CacheTopic.blockSize)
        }
      }
      // Reads at random look like runs now and then, of which more is read ahead.
      let variant = CachedReader.variant(label, [reader], mustHit: name != .farPipeline)
      contenders.append(Contender(name, for: .pipelineHits, variant) { await reader.reader.close() })
    }
    return contenders
  }

  private static func store() -> MemoryStore { MemoryStore(limit: .mebibytes(16)) }

  /// A cold file: what a reader has without settings, and one without stages.
  private static func cold(_ file: BenchmarkFile) async throws -> [Contender] {
    let readers = [
      (Contender.Name.rangeIO, "localFile()", try await RangeReader(FileSource(file.path), .localFile())),
      (.uncached, "no stages", try await DefaultReader.uncached(file.path)),
    ]
    return readers.map { name, label, reader in
      let plain = RangeIOPeer(reader: reader).variant(label)
      let variant = Variant(label: label) { job in
        let before = CachedReader(reader).use()
        var outcome = try await plain.run(job)
        outcome.source = CachedReader(reader).use() - before
        return outcome
      }
      return Contender(name, for: .pipelineCold, variant) { await reader.close() }
    }
  }
}
