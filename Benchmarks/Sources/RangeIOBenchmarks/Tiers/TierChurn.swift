import RangeIO
import RangeIOTiers

/// A long run through tiers of memory in which users keep nothing: what the process then takes beyond the budget is what
/// allocators and fragmentation add.
struct TierChurn: Sendable {
  /// Seconds of churn.
  var seconds: Double
  var budget: Int
  /// Resident memory before the first read, in bytes.
  var baseline: Int
  /// The most there was until the end.
  var peak: Int
  /// The most that was ever charged.
  var peakCharge: Int
  var reads: Int
  var statistics: [Counters]

  /// What resident memory may grow by.
  var allowed: Int { budget * 115 / 100 + 32 << 20 }
  var growth: Int { peak - baseline }

  /// Blocks of two sizes, of data that LZ4 leaves alone, halves, and shrinks to a fifth: by turns, most of one kind, so
  /// that sizes change.
  @concurrent static func run(
    _ duration: Duration, budget: ByteCount, _ progress: Progress
  ) async throws -> TierChurn {
    var sources: [TierSource] = []
    for fraction in [1, 0.5, 0.2] {
      for size in [4096, 65_536] {
        let data = try CompressibleBlocks(blockSize: size, fraction: fraction)
        let count = (16 << 20) / size
        sources.append(
          TierSource(
            (0..<count).map { data.bytes($0 * size..<($0 + 1) * size) }, blockSize: size,
            id: "\(fraction) \(size)", repeats: budget.bytes / (16 << 20) / 2))
      }
    }
    let store = TieredStore(memory: .bytes(budget.bytes / 8 * 5), compressed: .bytes(budget.bytes / 8 * 3))
    var readers: [RangeReader] = []
    for source in sources { readers.append(try await RangeReader(source, [.caching(store)])) }
    let baseline = try ProcessMemory.bytes("VmRSS")
    let churn = Churn(readers: readers, sizes: sources.map(\.blockSize), store: store, end: .now + duration)
    let start = ContinuousClock.now
    async let first = churn.read(seed: 1)
    async let second = churn.read(seed: 2)
    var peak = baseline
    while ContinuousClock.now < churn.end {
      try await Task.sleep(for: .milliseconds(200))
      peak = max(peak, try ProcessMemory.bytes("VmRSS"))
      let seconds = (ContinuousClock.now - start).nanoseconds / 1e9
      progress.show("churn: \(Int(seconds)) s, \(peak - baseline) of \(budget.bytes) bytes")
    }
    let reads = try await first + second
    for reader in readers { await reader.close() }
    return TierChurn(
      seconds: (ContinuousClock.now - start).nanoseconds / 1e9, budget: budget.bytes, baseline: baseline, peak: peak,
      peakCharge: store.statistics().count("peakBytes", of: "all memory"), reads: reads, statistics: store.statistics())
  }

  private struct Churn: Sendable {
    let readers: [RangeReader]
    let sizes: [Int]
    let store: TieredStore
    let end: ContinuousClock.Instant

    /// Reads until the end.
    func read(seed: UInt64) async throws -> Int {
      var random = SplitMix(state: seed)
      var reads = 0
      while ContinuousClock.now < end {
        // A kind of data and size comes to the fore, and goes again.
        let favourite = reads >> 18
        for _ in 0..<256 {
          let kind = random.next() % 4 == 0 ? Int(random.next() % UInt64(readers.count)) : favourite % readers.count
          let (reader, size) = (readers[kind], sizes[kind])
          let blocks = reader.byteCount / size
          // Half of the reads go to a tenth of the blocks.
          let block = Int.random(in: 0..<(random.next() % 2 == 0 ? max(1, blocks / 10) : blocks), using: &random)
          let bytes = try await reader.read(block * size..<(block + 1) * size)
          guard bytes.count == size else { throw WrongBytes(offset: block * size, expected: size, got: bytes.count) }
        }
        let use = store.statistics()["all memory"]
        guard let use, let bytes = use.bytes, let limit = use.limit, bytes <= limit else { throw OverBudget() }
        reads += 256
        await Task.yield()
      }
      return reads
    }
  }

  private struct OverBudget: Error {}

  /// What a run shows that it must not.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Throws if resident memory grew by more than is allowed, or if less than the budget was ever used, which would prove
  /// nothing.
  func check() throws {
    guard growth <= allowed else {
      throw Failure(
        description: "resident memory grew by \(growth >> 20) MiB, of \(allowed >> 20) allowed: see the figures above")
    }
    guard peakCharge > budget / 10 * 9 else {
      throw Failure(
        description: "only \(peakCharge >> 20) MiB of \(budget >> 20) were ever used: let it churn for longer")
    }
  }
}

extension TierChurn: CustomStringConvertible {
  var description: String {
    """
    \(Int(seconds)) s of churn, \(reads) reads, a budget of \(budget >> 20) MiB
    resident memory grew by \(growth >> 20) MiB at most, of \(allowed >> 20) allowed (1.15 × budget + 32 MiB)
    charged at most \(Figures.percent(Double(peakCharge) / Double(budget))) of the budget
    \(statistics.map(\.description).joined(separator: "\n"))
    """
  }
}
