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
/// ``describe()`` of this source. No read begins after ``close()`` has begun, unless the source answers cancellation itself
/// (``SourceDescription/Traits/answersCancellation``): then it may be read while it is being closed, and throws
/// `ReadError.Code.closed`. Reads are concurrent and come from any thread.
///
/// **What you must do.** Never block the thread: it belongs to the caller. Do blocking work on a thread of your own.
/// Return exactly `range.count` bytes of exactly the version described, or throw. Throw `ReadError.Code.sourceChanged`
/// if that version no longer exists. Free in `deinit` what you hold: a reader that is dropped without being closed does
/// not call ``close()``. What never changes of the source stands in the traits of its description. A source that passes
/// on the description of another one passes these facts on too: change the facts that do not hold for it.
public protocol RangeSource: ~Copyable, Sendable {
  /// Returns what the source is now. A reader calls it when it opens and when you ask it to refresh. It also calls it
  /// before a read beyond the end it knows, a read of a version that is not settled, and a read counted from the end of
  /// a source that may grow. Readers that watch for changes call it once per poll interval, or less often if the source reports
  /// changes itself.
  nonisolated(nonsending) func describe() async throws -> SourceDescription

  /// Returns what the name of the source refers to now. That may be another object than the one read so far. Used by
  /// readers that move to new versions (``RangeReader/ChangePolicy/refresh``). By default the same as ``describe()``.
  nonisolated(nonsending) func renew() async throws -> SourceDescription

  /// Returns when the source may have changed since `source` described it. It may also return without a change. If it reports
  /// all changes, set ``SourceDescription/Traits/reportsChanges``, so that readers poll only seldom. It throws while it cannot
  /// report changes, as it does by default; readers then poll.
  nonisolated(nonsending) func waitForChange(after source: SourceDescription) async throws

  /// Returns the bytes of `range`, of the version that `source` describes.
  nonisolated(nonsending) func read(_ range: ByteRange, of source: SourceDescription) async throws -> Bytes

  /// Returns the bytes of `range` if that takes no waiting and no more time than copying them. After ``ReadAnswer/later`` the
  /// caller calls ``read(_:of:)-(ByteRange,_)``. By default always `later`.
  ///
  /// Saves a cache the task that it otherwise starts for every read of the source.
  func answer(_ range: ByteRange, of source: SourceDescription) -> ReadAnswer<Bytes>

  /// Returns the bytes of several ranges, in the order of `ranges`. By default calls ``read(_:of:)-(ByteRange,_)`` for one
  /// after the other, and once for ranges that follow each other without a gap.
  ///
  /// A cache asks for one range for each block that it keeps. If each has memory of its own, no byte is copied; the cache
  /// copies the parts of common memory.
  nonisolated(nonsending) func read(_ ranges: [ByteRange], of source: SourceDescription) async throws -> [Bytes]

  /// The counts of the source so far, for each of its ways to read, the fastest first: `reads` and `bytes`. Empty by default.
  func statistics() -> [Counters]

  /// Hints at how a range will be used. It may affect time only, never results. Must be quick and must not wait. By
  /// default does nothing.
  func advise(_ advice: ReadAdvice, _ range: ByteRange, of source: SourceDescription)

  /// Ends the use of the source. Returns once none of its work is in flight. Called once, and only after the last read has
  /// returned, unless the source answers cancellation itself. By default does nothing.
  nonisolated(nonsending) func close() async
}

extension RangeSource where Self: ~Copyable {
  /// Returns ``ReadAnswer/later``.
  public func answer(_ range: ByteRange, of source: SourceDescription) -> ReadAnswer<Bytes> { .later }

  /// Reads one range after the other, and ranges without a gap between them as one.
  public nonisolated(nonsending) func read(
    _ ranges: [ByteRange], of source: SourceDescription
  ) async throws -> [Bytes] {
    // Most often: one block of a cache.
    if ranges.count == 1, !ranges[0].isEmpty { return [try await read(ranges[0], of: source)] }
    var all: [Bytes] = []
    all.reserveCapacity(ranges.count)
    for run in ByteRanges.runs(ranges) {
      let whole = ByteRanges.hull(of: run)
      let bytes = whole.isEmpty ? Bytes() : try await read(whole, of: source)
      guard bytes.count == whole.count else { throw ReadError.wrongCount(bytes.count, for: whole, of: source) }
      all += bytes.cut(from: whole.lowerBound, at: run)
    }
    return all
  }

  /// Returns what ``describe()`` returns.
  public nonisolated(nonsending) func renew() async throws -> SourceDescription { try await describe() }

  /// Throws `ReadError.Code.unsupportedSource`: changes are not reported.
  public nonisolated(nonsending) func waitForChange(after source: SourceDescription) async throws {
    throw ReadError(.unsupportedSource, "this source does not report changes: check it from time to time")
  }

  /// Does nothing.
  public func advise(_ advice: ReadAdvice, _ range: ByteRange, of source: SourceDescription) {}

  /// Nothing.
  public func statistics() -> [Counters] { [] }

  /// Does nothing.
  public nonisolated(nonsending) func close() async {}
}

extension Bytes {
  /// The bytes of each of `ranges`, where these begin at `start` of the source.
  func cut(from start: Int, at ranges: ArraySlice<ByteRange>) -> [Bytes] {
    ranges.count == 1 ? [self] : ranges.map { slice($0.lowerBound - start..<$0.upperBound - start) }
  }
}

extension ReadError {
  static func wrongCount(_ count: Int, for range: ByteRange, of source: SourceDescription) -> ReadError {
    ReadError(
      .invalidResponse, "\(count) bytes came back instead of \(range.count): a source or stage breaks its contract",
      context: Context(source: source.name, offset: range.lowerBound, count: range.count))
  }
}

/// The expected use of a range, as in `posix_madvise`. Affects time only, never the bytes that a read returns.
@nonexhaustive
public enum ReadAdvice: Hashable, Sendable {
  /// It will be read soon.
  case willNeed
  /// It will not be read again for a long time.
  case dontNeed
}

/// A source that knows how far ahead of its consumer a stream is to ask.
protocol StreamedSource: RangeSource {
  /// The number of windows of a mebibyte that are worth asking for while another one is waited for.
  var windowsAhead: Int { get }
}

/// The answer of a source, a stage or a store that is asked for what it has without waiting. There will be no other cases.
public enum ReadAnswer<Value: Sendable>: Sendable {
  /// The value.
  case here(Value)
  /// Nothing in particular: it may have to be waited for, or fail. Saying so has had no effects that another try would show.
  case later

  /// The value; `nil` if it may have to be waited for.
  var value: Value? { if case .here(let value) = self { value } else { nil } }
}
