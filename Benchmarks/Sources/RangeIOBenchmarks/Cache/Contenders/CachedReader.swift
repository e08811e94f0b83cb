import RangeIO

/// A reader of the library over a source that counts.
struct CachedReader: PointReader {
  let reader: RangeReader
  /// What was read from its source so far.
  let use: @Sendable () -> SourceUse

  init(_ reader: RangeReader, over source: BlockSource) {
    self.reader = reader
    use = { source.use }
  }

  /// A reader whose source counts by lanes, or not at all.
  init(_ reader: RangeReader) {
    self.reader = reader
    use = {
      reader.statistics().source.reduce(SourceUse(reads: 0, bytes: 0)) {
        $0 + SourceUse(reads: $1.reads, bytes: $1.bytes ?? 0)
      }
    }
  }

  nonisolated(nonsending) func read(at offset: Int, count: Int) async throws -> Piece {
    try await reader.read(offset..<offset + count).sampledPiece(at: offset)
  }

  /// A variant in which the tasks take turns at `readers`.
  ///
  /// - Parameter mustHit: whether a run that goes to the source is an error.
  static func variant(_ label: String, _ readers: [CachedReader], mustHit: Bool = false) -> Variant {
    Variant(label: label) { job in
      guard case .reads(let offsets, let size, let concurrency) = job else { preconditionFailure("a job of reads") }
      func use() -> SourceUse { readers.map { $0.use() }.reduce(SourceUse(reads: 0, bytes: 0), +) }
      let before = use()
      var outcome = try await runInMemory(readers, offsets, size, concurrency)
      let source = use() - before
      if mustHit, source.reads > 0 { throw Missed(offset: nil) }
      outcome.source = source
      return outcome
    }
  }
}
