import RangeIOTiers
import Testing

@testable import RangeIO
@testable import RangeIOTestSupport

/// Whatever is asked of a reader is answered or refused.
struct HostileReadTests {
  private static let pipelines: [(name: String, make: @Sendable () -> ReadPipeline)] = [
    ("none", { [] }),
    ("caching blocks", { [.caching(MemoryStore(limit: .mebibytes(1)))] }),
    (
      "caching ranges",
      { [.caching(MemoryStore(limit: .mebibytes(1)), fill: .exact, maxReadSize: .bytes(0))] }
    ),
    (
      "tiers",
      { [.caching(TieredStore(memory: .mebibytes(1), compressed: .mebibytes(1)))] }
    ),
    (
      "reading ahead",
      {
        [
          .readAhead(.upTo(.bytes(.max)), budget: ReadAheadBudget(.bytes(.max))),
          .caching(MemoryStore(limit: .mebibytes(1))), .merging(),
        ]
      }
    ),
    (
      "all that waits",
      {
        [
          .observing(), .timeLimit(.seconds(Int64.max)), .retrying(), .hedging(minSamples: 1),
          .limiting(maxConcurrentReads: .max, bytesPerSecond: .bytes(.max), burst: .bytes(.max)),
        ]
      }
    ),
    (
      "decoding",
      {
        [.decoding(name: "same", blockSize: .bytes(3001), headerSize: .bytes(1)) { _, bytes in bytes }]
      }
    ),
    ("local file", { .localFile() }),
    ("far object", { .remoteObject(cache: MemoryStore(limit: .mebibytes(1))) }),
  ]

  @Test(arguments: pipelines.indices)
  func `reads are answered or refused`(pipeline: Int) async throws {
    for (size, block) in Hostile.sizes.map({ ($0, 4096) }) + [(Int.max, 1 << 62)] {
      let reader = try await RangeReader(
        HostileSource(byteCount: size, blockSize: block), Self.pipelines[pipeline].make())
      // All of them of a small source (and of the largest, when there is time), a sample of the others.
      let isFull = block == 4096 && (size == 4097 || size == .max && TestScale.isStress)
      for (index, range) in Hostile.ranges.enumerated() where isFull || index % 32 == 0 {
        await read(range, of: reader)
      }
      if size == 4097 || size == .max, block == 4096 {
        for number in Hostile.integers { await read(number, of: reader) }
      }
      await reader.close()
    }
  }

  private func read(_ range: ByteRange, of reader: RangeReader) async {
    let isThere = range.lowerBound >= 0 && range.upperBound <= reader.byteCount
    await survives {
      let bytes = try await reader.read(range)
      #expect(bytes.count == range.count && (isThere || range.isEmpty))
    }
    await survives {
      let all = try await reader.read([range, 0..<0, range])
      #expect(all.map(\.count) == [range.count, 0, range.count])
    }
    await survives {
      var stream = reader.stream(range, chunkSize: .bytes(.max)).makeAsyncIterator()
      _ = try await stream.next()
    }
    reader.advise(.willNeed, range)
    reader.advise(.dontNeed, range)
    // A look at each block of a petabyte takes longer than anybody waits.
    if !isThere || range.count <= 1 << 20 { await survives { _ = try await reader.explain(range) } }
  }

  private func read(_ number: Int, of reader: RangeReader) async {
    await survives { _ = try await reader.read(number...) }
    await survives { _ = try await reader.read(..<number) }
    await survives { _ = try await reader.read(...number) }
    await survives { _ = try await reader.read(min(0, number)...number) }
    await survives { _ = reader.cached(min(0, number)..<number) }
    await survives { _ = try await reader.read(suffix: number) }
    for count in Hostile.integers {
      await survives {
        let bytes = try await reader.read(offset: number, count: count)
        #expect(bytes.count == count)
      }
    }
    for chunkSize in [ByteCount.bytes(0), .bytes(4096), .bytes(.max)] {
      await survives { for try await _ in reader.stream(suffix: number, chunkSize: chunkSize).prefix(2) {} }
      await survives { for try await _ in reader.stream(..<number, chunkSize: chunkSize).prefix(2) {} }
      await survives { for try await _ in reader.stream(number..., chunkSize: chunkSize).prefix(2) {} }
      await survives {
        for try await _ in reader.stream(number..., chunkSize: .bytes(64)).lines(maxLength: chunkSize).prefix(1) {}
      }
    }
  }

  @Test func `a source may say that it costs anything`() async throws {
    for latency in Hostile.durations {
      for rate in Hostile.doubles {
        let source = HostileSource(
          byteCount: .max, cost: SourceDescription.Cost(latency: latency, bytesPerSecond: rate))
        let reader = try await RangeReader(
          source,
          [
            .readAhead(budget: ReadAheadBudget(.mebibytes(1))), .caching(MemoryStore(limit: .mebibytes(1))), .merging(),
            .hedging(minSamples: 1),
          ])
        for start in 0..<6 { await survives { _ = try await reader.read(start * 4096..<start * 4096 + 4096) } }
        await survives { _ = try await reader.read([0..<10, 1 << 40..<1 << 40 + 10, Int.max - 10..<Int.max]) }
        await reader.close()
      }
    }
  }

  @Test func `a source may ask to be left alone for any time`() async throws {
    for wish in Hostile.durations {
      for longest in Hostile.durations {
        var backoff = Backoff.exponentialBackoff(base: .nanoseconds(1), cap: .nanoseconds(1))
        // One that is waited out for ever is what was asked for.
        backoff.maxRetryAfter = min(longest, .nanoseconds(1))
        backoff.attempts = 2
        var failure = ReadError(.inputOutput, "again", isTransient: true)
        failure.retryAfter = wish
        let reader = try await RangeReader(
          HostileSource(failure: failure), [.retrying(backoff, random: SystemRandomNumberGenerator())])
        await survives { _ = try await reader.read(0..<1) }
        await reader.close()
      }
    }
  }

  @Test func `settings that are variables may be set to anything`() async throws {
    for number in Hostile.integers {
      for duration in Hostile.durations {
        var backoff = Backoff.exponentialBackoff()
        backoff.attempts = number
        (backoff.base, backoff.cap) = (duration, .nanoseconds(1))
        let configuration = RangeReader.Configuration(onChange: .refresh.polling(every: duration))
        let failure = ReadError(.inputOutput, "again", isTransient: true)
        let reader = try await RangeReader(
          HostileSource(failure: failure),
          [.retrying(backoff, budget: ReadPipeline.RetryBudget(allowance: 1), random: SystemRandomNumberGenerator())],
          configuration: configuration)
        await survives { _ = try await reader.read(0..<1) }
        await reader.close()
      }
    }
  }

  @Test func `sizes of stages may be any`() async throws {
    for one in Hostile.counts {
      for other in Hostile.counts {
        let reader = try await RangeReader(
          HostileSource(byteCount: .max, blockSize: 1 << 16),
          [
            .readAhead(.upTo(one), budget: ReadAheadBudget(other)),
            .caching(MemoryStore(limit: one), maxReadSize: other),
            .merging(maxGap: one, maxSpan: other, maxWaste: .infinity, maxConcurrentSpans: .max),
          ])
        for start in 0..<5 { await survives { _ = try await reader.read(start * 4096..<start * 4096 + 4096) } }
        await survives { _ = try await reader.read([0..<10, 1 << 40..<1 << 40 + 10, Int.max - 10..<Int.max]) }
        await reader.close()
      }
    }
  }
}
