/// Where bytes come from: a file, an object in a bucket, another program's memory.
///
/// Only two methods are required. The shortest source returns bytes that it holds itself:
///
/// ```swift
/// struct MemorySource: RangeSource {
///   let bytes: Bytes
///   func describe() async throws -> SourceDescription {
///     SourceDescription(id: "memory", validator: nil, byteCount: bytes.count)
///   }
///   func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes { bytes[range] }
/// }
/// ```
///
/// **What the caller guarantees.** `range` is not empty and lies within `source.byteCount`. `source` came from
/// ``describe()`` of this source. No read begins after ``close()`` has begun. The exception is a source that
/// ``isPrompt``: it may be read while it is being closed, and then throws `ReadError.Code.closed`. Reads are concurrent
/// and come from any thread.
///
/// **What you must do.** Never block the thread: it belongs to the caller. Do blocking work on a thread of your own.
/// Return exactly `range.count` bytes of exactly the version described, or throw. Throw `ReadError.Code.sourceChanged`
/// if that version no longer exists. Declare in ``isPrompt`` whether you answer a cancelled task at once. Free in
/// `deinit` what you hold: a reader that is dropped without being closed does not call ``close()``.
public protocol RangeSource: ~Copyable, Sendable {
  /// Returns what the source is now. A reader calls it when it opens and when you ask it to refresh. It also calls it
  /// before a read beyond the end it knows, a read of a version that is not settled, and a read counted from the end of
  /// a source that may grow. Readers that watch for changes call it every `pollInterval`, or less often if the source reports
  /// changes itself.
  nonisolated(nonsending) func describe() async throws -> SourceDescription

  /// Returns what the name of the source refers to now. That may be another object than the one read so far. Used by
  /// readers that move to new versions (``RangeReader/ChangePolicy/refresh``). By default the same as ``describe()``.
  nonisolated(nonsending) func renew() async throws -> SourceDescription

  /// Returns when the source may have changed since `source` described it. It may also return without a change. By
  /// default it never returns, and the reader polls.
  nonisolated(nonsending) func waitForChange(after source: SourceDescription) async throws

  /// Whether ``waitForChange(after:)`` reports changes as they happen, as far as is known now. If so, readers poll only
  /// seldom. By default `false`. Readers ask after ``describe()``.
  var tellsOfChanges: Bool { get }

  /// Returns the bytes of `range`, of the version that `source` describes.
  nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes

  /// Returns the bytes of `range` if that takes no waiting and no more time than copying them. `nil` means nothing in
  /// particular: the caller then calls ``read(_:of:)``. By default always `nil`.
  ///
  /// Saves a cache the task that it otherwise starts for every read of the source.
  func ready(_ range: ByteRange, of source: SourceDescription) -> Bytes?

  /// Returns the bytes of several ranges, in the order of `ranges`. By default calls ``read(_:of:)`` for one after the
  /// other.
  nonisolated(nonsending) func read(_ ranges: [ByteRange], of source: SourceDescription) async throws -> [Bytes]

  /// Returns the bytes of `range`, one piece for each block of `grid` that `range` touches. A cache can then keep and
  /// evict the pieces separately. By default reads the range once, and the cache copies each part out.
  nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription, scatteredBy grid: BlockGrid)
    async throws -> [Bytes]

  /// Whether this source itself answers at once, however long its device hangs: a read whose task is cancelled (with
  /// `CancellationError`), and reads in flight when it is closed (with `ReadError.Code.closed`).
  ///
  /// A source that never waits may return `true`.
  ///
  /// `false` by default. The reader then runs each read as separate work. That costs a task and lets callers return at
  /// once; the abandoned read learns of it because its task is cancelled.
  var isPrompt: Bool { get }

  /// What the source has done so far, for each of its ways to read, the fastest first: the counts `reads` and `bytes`.
  /// Empty by default.
  func statistics() -> [Counters]

  /// Hints at how a range will be used. It may affect time only, never results. Must be quick and must not wait. By
  /// default does nothing.
  func advise(_ advice: ReadAdvice, _ range: ByteRange, of source: SourceDescription)

  /// Ends the use of the source. Returns once none of its work is in flight. Called once. Unless the source
  /// ``isPrompt``, it is called only after the last read has returned. By default does nothing.
  nonisolated(nonsending) func close() async
}

extension RangeSource where Self: ~Copyable {
  /// Returns `nil`.
  public func ready(_ range: ByteRange, of source: SourceDescription) -> Bytes? { nil }

  /// Reads one range after the other.
  public nonisolated(nonsending) func read(
    _ ranges: [ByteRange], of source: SourceDescription
  ) async throws -> [Bytes] {
    var all: [Bytes] = []
    all.reserveCapacity(ranges.count)
    for range in ranges { all.append(range.isEmpty ? Bytes() : try await read(range, of: source)) }
    return all
  }

  /// Reads once and cuts the result at the block boundaries.
  public nonisolated(nonsending) func read(
    _ range: ByteRange, of source: SourceDescription, scatteredBy grid: BlockGrid
  ) async throws -> [Bytes] {
    let whole = try await read(range, of: source)
    guard whole.count == range.count else { throw ReadError.wrongCount(whole.count, for: range, of: source) }
    return cut(whole, range, grid)
  }

  /// `whole`, the bytes of `range`, as one piece for each block.
  func cut(_ whole: Bytes, _ range: ByteRange, _ grid: BlockGrid) -> [Bytes] {
    guard grid.blocks(covering: range).count > 1 else { return [whole] }
    return grid.pieces(of: range).map { piece in
      whole.slice(piece.range.lowerBound - range.lowerBound..<piece.range.upperBound - range.lowerBound)
    }
  }

  /// Returns what ``describe()`` returns.
  public nonisolated(nonsending) func renew() async throws -> SourceDescription { try await describe() }

  /// Cannot detect changes: returns only by throwing, when the task is cancelled.
  public nonisolated(nonsending) func waitForChange(after source: SourceDescription) async throws {
    try await Promise<Void>().value()
  }

  /// `false`.
  public var tellsOfChanges: Bool { false }

  /// Does nothing.
  public func advise(_ advice: ReadAdvice, _ range: ByteRange, of source: SourceDescription) {}

  /// `false`.
  public var isPrompt: Bool { false }

  /// Nothing.
  public func statistics() -> [Counters] { [] }

  /// Does nothing.
  public nonisolated(nonsending) func close() async {}
}

extension ReadError {
  static func wrongCount(_ count: Int, for range: ByteRange, of source: SourceDescription) -> ReadError {
    ReadError(
      .invalidResponse, "\(count) bytes came back instead of \(range.count): a source or stage breaks its contract",
      context: Context(source: source.name, offset: range.lowerBound, count: range.count))
  }
}

/// The expected use of a range. Affects time only, never the bytes that a read returns.
public enum ReadAdvice: Hashable, Sendable {
  /// It will be read soon.
  case willRead
  /// It will not be read again for a long time.
  case discard
}
