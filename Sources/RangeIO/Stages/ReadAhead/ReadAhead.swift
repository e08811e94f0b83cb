/// Detects sequences of reads and prefetches what they will need next.
///
/// ```swift
/// let reader = try await RangeReader(source) {
///   ReadAhead()
///   Caching(store)
/// }
/// ```
///
/// The stage detects runs of reads that go forwards, backwards, or by a fixed stride. It does so at their third read;
/// for strides with other reads in between, at their fourth read that the cache does not answer. Several runs may be
/// interleaved, with unrelated reads in between. The amount read ahead of a run doubles as the run continues, up to a
/// limit. Bytes that are already cached or in flight are not requested again. A seek begins a new run. When a run ends,
/// its prefetches that are still in flight are cancelled. All readers share one ``ReadAhead/Budget``, unless you give
/// them another. Prefetched bytes stay in the cache until they are read: make the cache larger than the budget, or it
/// evicts some of them too early.
///
/// Use it for sources that are slow to answer, such as objects on a network. Local files do not need it: the system
/// reads ahead for them.
///
/// **Place.** Above the cache that keeps the prefetched bytes, because it must see the reads that the cache answers. A
/// reader without a cache below this stage is refused. Decoding stages in between also decode the prefetched bytes.
///
/// **Cancellation.** A cancelled read throws at once. Its prefetches continue and end with the reader.
///
/// **Errors.** A failed prefetch is not reported. The read that needs those bytes asks for them again.
///
/// **Cost.** A lock and a few comparisons for each read, including hits. A read that belongs to no run also costs a
/// search through the last sixteen such reads.
public final class ReadAhead: BuiltInStage, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.

  /// The most to read ahead of a run.
  package struct Extent: Hashable, Sendable {
    private enum Kind: Hashable {
      case adaptive
      case upTo(Int)
    }
    private let kind: Kind

    /// Four times the bytes that the source could send in the time until the first byte arrives
    /// (``SourceDescription/cost``), between 2 and 32 MiB.
    package static let adaptive = Extent(kind: .adaptive)
    /// This many bytes, at most 1 GiB.
    package static func upTo(_ count: ByteCount) -> Extent { Extent(kind: .upTo(count.bytes)) }

    func longest(for cost: SourceDescription.Cost) -> Int {
      switch kind {
      case .upTo(let bytes): return bytes
      case .adaptive:
        let seconds = Double(cost.latency.nanoseconds) / 1e9
        let bytes = seconds * cost.bytesPerSecond * 4
        // A zero latency times an infinite rate is NaN, which compares as not greater and gives the minimum.
        return bytes > 0x1p21 ? Int(min(bytes, 0x1p25)) : 2 << 20
      }
    }
  }

  /// Creates a stage that reads ahead.
  ///
  /// - Parameters:
  ///   - limit: the most to read ahead of each run, at most 1 GiB. Default: four times the bytes that the source could
  ///     send in the time until the first byte arrives (``SourceDescription/cost``), between 2 and 32 MiB.
  ///   - budget: the bytes that may be prefetched and unused at once, over all readers that share the budget. Default:
  ///     64 MiB for the process.
  public convenience init(upTo limit: ByteCount? = nil, budget: Budget = .shared) {
    self.init(limit.map(Extent.upTo) ?? .adaptive, budget: budget)
  }

  package init(_ extent: Extent, budget: Budget = .shared) {
    super.init(ReadAheadStage(extent, budget: budget))
  }
}
