/// Keeps what is read in a store, and serves later reads from it.
///
/// ```swift
/// let store = MemoryStore(limit: .mebibytes(256))
/// let reader = try await RangeReader(source) {
///   Observing()
///   Caching(store)
/// }
/// ```
///
/// One store can serve any number of readers. Readers of the same version of a source share its cached bytes and its
/// fetches in flight. If a thousand tasks need the same missing block, the source is read once. A cancelled read
/// returns at once and does not affect the others; when the last one is cancelled, the read of the source is cancelled
/// too.
///
/// A source whose version is not settled yet (`SourceDescription.isSettled`) is read past the store.
///
/// **Place.** Put it above stages that limit, retry or merge reads of the source: then a hit skips them, and all
/// readers of a block share one fetch. Put it below stages that must see all demand. Above a stage that decodes, it
/// keeps decoded bytes; below that stage, it keeps encoded bytes. If you use two caches, give each its own store.
///
/// **Errors.** A store never makes a read fail. An error from the stages below is thrown to all reads that wait for the
/// fetch. A read with `.onlyIfCached` fails with `ReadError.Code.notCached` if bytes are missing.
///
/// **Cost.** A hit: a hash look-up, a slice and a touch for each block, and no allocation for a single block. A miss:
/// one task for each missing stretch, unless the source can answer without waiting.
public final class Caching: BuiltInStage, @unchecked Sendable {
  // Unchecked as its superclass is, which is not final: constants only.

  /// What to fetch when bytes are missing.
  public enum Fill: Hashable, Sendable {
    /// The whole blocks that contain them. For sources where a request costs more than bytes, and for reads that are
    /// close to each other.
    case block
    /// Exactly the missing bytes. The source reads no more bytes than without a cache.
    case exact
    /// Exactly the missing bytes first. After they arrive, the rest of the blocks, without making a reader wait.
    case requestedFirst
  }

  /// What to keep.
  public enum Admission: Hashable, Sendable {
    /// Everything that is read.
    case always
    /// What is read for the second time, as far as that is remembered: for about thirty thousand blocks. Use this for
    /// sources that are hardly slower than the store, such as a local file: there, keeping bytes that are read once
    /// costs more than it saves. A first read is not shared with other reads of the same bytes.
    case onSecondTouch
  }

  /// Creates a cache that uses `store`.
  ///
  /// - Parameters:
  ///   - fill: what to fetch when bytes are missing. Default: whole blocks.
  ///   - blockSize: the block size, a power of two up to 1 GiB. Default: what the source prefers.
  ///   - largest: longer ranges are read past the store. Default: 64 GiB.
  ///   - admission: what to keep. Default: everything that is read.
  ///
  /// - Precondition: `blockSize` is a power of two up to 1 GiB.
  public init(
    _ store: any ChunkStore, fill: Fill = .block, blockSize: ByteCount? = nil, passing largest: ByteCount? = nil,
    admission: Admission = .always
  ) {
    super.init(CachingStage(store, fill: fill, blockSize: blockSize, passing: largest, admission: admission))
  }
}
