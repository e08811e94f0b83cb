import RangeIO

/// Everybody wants the same cold block at the same moment.
enum StampedeContenders {
  static func make() -> [Contender] {
    [
      Contender(
        .rangeIO, for: .stampede,
        variant("a new store") { try await CacheStore(limit: 16 << 20).reader($0, under: 2) }),
      Contender(.uncached, for: .stampede, variant("no stages") { try await RangeReader($0) }),
    ]
  }

  private static func variant(
    _ label: String, _ open: @escaping @Sendable (StampedeSource) async throws -> RangeReader
  ) -> Variant {
    Variant(label: label) { job in
      guard case .reads(let offsets, let size, let concurrency) = job else { preconditionFailure("a job of reads") }
      precondition(offsets.count == concurrency, "one read a task")
      let source = StampedeSource(expecting: concurrency)
      let reader = try await open(source)
      let elapsed = try await run(offsets, size, reader, source)
      await reader.close()
      return Outcome(elapsed: elapsed, source: source.use)
    }
  }

  @concurrent private static func run(
    _ offsets: [Int], _ size: Int, _ reader: RangeReader, _ source: StampedeSource
  ) async throws -> Duration {
    let clock = ContinuousClock()
    let start = clock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for offset in offsets {
        group.addTask {
          source.arrive()
          try await reader.read(offset..<offset + size).piece.check(at: offset, count: size)
        }
      }
      try await group.waitForAll()
    }
    return clock.now - start
  }
}
