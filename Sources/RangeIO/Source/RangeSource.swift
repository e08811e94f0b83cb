/// Where bytes come from: a file, an object in a bucket, another program's memory.
///
/// Two methods are needed. The shortest source shows bytes of its own:
///
/// ```swift
/// struct MemorySource: RangeSource {
///   let bytes: Bytes
///   func describe() async throws -> SourceDescription {
///     SourceDescription(id: "memory", validator: nil, byteCount: bytes.count)
///   }
///   func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes { bytes.slice(range) }
/// }
/// ```
///
/// **What the caller guarantees.** `range` is not empty and lies within `source.byteCount`; `source` came from
/// ``describe()`` of this source; no read begins after ``close()`` did, but for a source that ``isPrompt``, which may be
/// asked while it is being closed and throws `ReadError.Code.closed`. Reads come concurrently, from any thread.
///
/// **What you must do.** Never block the thread: it is the caller's. Work that blocks belongs on a thread of its own.
/// Return exactly `range.count` bytes of exactly the version described, or throw; throw
/// `ReadError.Code.sourceChanged` if that version is gone. Say in ``isPrompt`` whether you answer a cancelled task at
/// once. Free in `deinit` what you hold: a reader that is dropped without being closed does not call ``close()``.
public protocol RangeSource: ~Copyable, Sendable {
  /// What the source is now. Called when a reader opens and when it is asked to refresh; before a read beyond the end that
  /// it knows, of a version that is not settled, or counted from the end of a source that may grow; and in each
  /// ``RangeReader/Configuration/pollInterval`` by readers that watch for changes.
  nonisolated(nonsending) func describe() async throws -> SourceDescription

  /// What the name of the source leads to now, which may be another object than the one read so far: for readers that
  /// turn to new versions (``ChangePolicy/refresh``). By default ``describe()``.
  nonisolated(nonsending) func renew() async throws -> SourceDescription

  /// Returns when the source may have changed since `source` described it; may return for nothing. By default never, and
  /// the reader looks every now and then.
  nonisolated(nonsending) func waitForChange(after source: SourceDescription) async throws

  /// Whether ``waitForChange(after:)`` tells of changes as they happen, as far as is known now: then readers look seldom by
  /// themselves. By default `false`. Asked after ``describe()``.
  var tellsOfChanges: Bool { get }

  /// The bytes of `range`, of the version that `source` describes.
  nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes

  /// The bytes of `range`, if there is nothing to wait for, in no more time than it takes to copy them. `nil` says
  /// nothing: ``read(_:of:)`` comes next. By default always `nil`.
  ///
  /// Saves a cache the task that it else begins for every read of the source.
  func ready(_ range: ByteRange, of source: SourceDescription) -> Bytes?

  /// The bytes of several ranges, in the order asked. By default one ``read(_:of:)`` after the other.
  nonisolated(nonsending) func read(_ ranges: [ByteRange], of source: SourceDescription) async throws -> [Bytes]

  /// The bytes of `range` as one piece for each block of `grid` that `range` touches, for a cache that keeps and evicts
  /// them one by one. By default the range is read once, and the cache copies each part out.
  nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription, scatteredBy grid: BlockGrid)
    async throws -> [Bytes]

  /// Whether this source answers at once, by itself, both a read whose task is cancelled (with `CancellationError`)
  /// and reads under way when it is closed (with `ReadError.Code.closed`), however long its device hangs.
  ///
  /// A source that never waits may say `true`.
  ///
  /// `false` by default: the reader then runs each read as work of its own, which costs a task and lets
  /// callers go at once. The abandoned read is told by cancellation of its task.
  var isPrompt: Bool { get }

  /// What the source has done so far. Empty by default.
  func statistics() -> SourceStatistics

  /// What a user expects of a range, on which nothing depends but time. Quick, and waits for nothing. By default nothing
  /// is done.
  func advise(_ advice: ReadAdvice, _ range: ByteRange, of source: SourceDescription)

  /// Ends the use of the source: returns once nothing of it is under way. Called once, and not before the last read
  /// has returned unless the source ``isPrompt``. By default nothing.
  nonisolated(nonsending) func close() async
}

extension RangeSource where Self: ~Copyable {
  /// Nothing is known to be there without waiting.
  public func ready(_ range: ByteRange, of source: SourceDescription) -> Bytes? { nil }

  /// One read after the other.
  public nonisolated(nonsending) func read(
    _ ranges: [ByteRange], of source: SourceDescription
  ) async throws -> [Bytes] {
    var all: [Bytes] = []
    all.reserveCapacity(ranges.count)
    for range in ranges { all.append(range.isEmpty ? Bytes() : try await read(range, of: source)) }
    return all
  }

  /// One read, cut where blocks meet.
  public nonisolated(nonsending) func read(
    _ range: ByteRange, of source: SourceDescription, scatteredBy grid: BlockGrid
  ) async throws -> [Bytes] {
    let whole = try await read(range, of: source)
    guard whole.count == range.count else { throw ReadError.wrongCount(whole.count, for: range, of: source) }
    return cut(whole, range, grid)
  }

  /// The bytes of `range` as one piece for each block.
  func cut(_ whole: Bytes, _ range: ByteRange, _ grid: BlockGrid) -> [Bytes] {
    guard grid.blocks(covering: range).count > 1 else { return [whole] }
    return grid.pieces(of: range).map { piece in
      whole.slice(piece.range.lowerBound - range.lowerBound..<piece.range.upperBound - range.lowerBound)
    }
  }

  /// What it is.
  public nonisolated(nonsending) func renew() async throws -> SourceDescription { try await describe() }

  /// Cannot tell: until it is cancelled.
  public nonisolated(nonsending) func waitForChange(after source: SourceDescription) async throws {
    try await Promise<Void>().value()
  }

  /// Does not.
  public var tellsOfChanges: Bool { false }

  /// Nothing is done.
  public func advise(_ advice: ReadAdvice, _ range: ByteRange, of source: SourceDescription) {}

  /// Not prompt.
  public var isPrompt: Bool { false }

  /// Nothing counted.
  public func statistics() -> SourceStatistics { SourceStatistics() }

  /// Nothing to end.
  public nonisolated(nonsending) func close() async {}
}

extension ReadError {
  static func wrongCount(_ count: Int, for range: ByteRange, of source: SourceDescription) -> ReadError {
    ReadError(
      .invalidResponse, "\(count) bytes came back instead of \(range.count): a source or stage breaks its contract",
      context: Context(source: source.name, offset: range.lowerBound, count: range.count))
  }
}
