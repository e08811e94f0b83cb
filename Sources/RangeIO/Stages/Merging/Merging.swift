/// Reads ranges that lie close together as one, where that is cheaper than separate reads.
///
/// ```swift
/// let reader = try await RangeReader(source) {
///   Caching(store)
///   Merging()
/// }
/// let tiles = try await reader.read(directory.map(\.range))
/// ```
///
/// Two ranges become one *span* when reading the bytes between them takes less time than starting another read. The
/// stage measures this as it reads: a line fitted to the times of recent reads gives the latency and the bandwidth, and
/// their product is the gap worth reading over. The over-read bytes go up to a cache above, together with the requested
/// ones, and the cache keeps them.
///
/// Use it for sources where each read costs time or money: objects in a bucket, files on a network. For a local file it
/// is not needed: `FileSource` reads several ranges at a time by itself.
///
/// **Place.** Below `Caching`, which then fetches what it lacks in as few requests as this stage needs; above the
/// stages that retry, verify or limit reads of the source. Only once in a pipeline. Several readers can share it. They
/// then share its limit of spans, and the measurements of sources that state the same cost.
///
/// **Results.** The bytes of each range, in the order of the request, as slices of spans. If less than half of a span
/// was requested, the bytes are copied, so that a small slice does not keep a large span in memory. A read of one range
/// passes straight through.
///
/// **Errors.** If one span fails, the others are cancelled and the read fails. Below a cache each span is its own
/// request, and the cache keeps what the others return.
///
/// **Cancellation.** Cancels the spans in flight and starts no others.
///
/// **Cost.** O(n log n) for n ranges. The stage reads over at most `mostWaste` times the requested bytes, and no span
/// of several ranges is longer than `longestSpan`. So a read has at most `concurrentSpans` × `longestSpan` bytes in
/// flight, plus long single ranges.
public final class Merging: BuiltInStage, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.

  /// How far apart two ranges may be to be read as one.
  public enum Gap: Hashable, Sendable {
    /// Latency × bandwidth, as measured. Before the first measurement, as stated in the source's description.
    case measured
    /// This many bytes. Zero: only ranges that overlap or touch.
    case bytes(ByteCount)
    /// Never merges: each range is one read, whatever the measurements say, and nothing is over-read. For sources that
    /// charge by the byte.
    case never
  }

  /// Creates a stage that has not measured anything yet.
  ///
  /// - Parameters:
  ///   - gap: how far apart two ranges may be to be read as one. Default: as measured.
  ///   - longestSpan: the most bytes in a span of several ranges; a single longer range is still read whole. Default:
  ///     32 MiB.
  ///   - mostWaste: how many bytes may be over-read, as a multiple of the requested bytes. Requests of less than 64 KiB
  ///     count as 64 KiB. Default: 32.
  ///   - concurrentSpans: how many spans are read at the same time, over all readers that share this stage. Default: 8.
  ///
  /// - Precondition: `mostWaste` is not negative, and `concurrentSpans` is at least one.
  public init(
    gap: Gap = .measured, longestSpan: ByteCount = .mebibytes(32), mostWaste: Double = 32, concurrentSpans: Int = 8
  ) {
    super.init(MergingStage(gap: gap, longestSpan: longestSpan, mostWaste: mostWaste, concurrentSpans: concurrentSpans))
  }
}
