/// A range of a source as a sequence of pieces, in order: for reading long ranges in bounded memory.
///
/// ```swift
/// for try await piece in reader.stream(0..<reader.byteCount, chunkSize: .kibibytes(256)) {
///   hasher.update(piece)
/// }
/// ```
///
/// **Pieces** are `chunkSize` bytes each, the last one maybe fewer. A piece shares memory with its neighbours: call
/// `compacted()` on small ones that you keep.
///
/// **Memory.** The range is read in windows of as many chunks as fit into 1 MiB, at least one. Of what is in memory one window
/// is read ahead, from the second on; while the source makes you wait, up to four are, at most 8 MiB unless one window is
/// larger. Nothing more is read until you take what is there.
///
/// **Ending.** A loop that is left early stops the look-ahead. A stream in a cancelled task throws `CancellationError`;
/// it never ends as if it were complete. After an error it ends. All pieces are of one version, or it throws
/// `ReadError.Code.sourceChanged`.
///
/// Each iteration reads again; a stream may be iterated by several tasks, each with an iterator of its own.
public struct ByteStream: AsyncSequence, Sendable {
  /// How long a stream waits for more.
  struct Following: Sendable {
    let isOver: (@Sendable () async throws -> Bool)?
  }

  let core: ReaderCore
  let asked: AskedRange
  let chunkSize: Int
  let caching: CachePolicy
  /// `nil`: not at all.
  var following: Following?

  init(_ core: ReaderCore, _ asked: AskedRange, chunkSize: ByteCount, caching: CachePolicy) {
    self.core = core
    self.asked = asked
    self.chunkSize = Swift.max(1, chunkSize.bytes)
    self.caching = caching
  }

  /// An iteration from the start of the range.
  public func makeAsyncIterator() -> Iterator { Iterator(cursor: StreamCursor(self)) }

  /// The pieces, in order. To be used by one task at a time.
  public struct Iterator: AsyncIteratorProtocol {
    let cursor: StreamCursor

    /// The next piece, or `nil` at the end of the range.
    public mutating func next() async throws -> Bytes? { try await cursor.next() }

    /// The next piece, or `nil` at the end of the range, without leaving the caller's actor.
    public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws -> Bytes? {
      // Not `isolated`: see `ByteSequence`.
      try await cursor.next()
    }
  }
}

extension RangeReader {
  /// The bytes of a range, piece by piece: `0..<n`, `0...3`, `..<512`, or `4096...` to the end that the source has when the
  /// iteration begins.
  ///
  /// Errors, that of a range past the end among them, are thrown by the iteration.
  ///
  /// - Parameters:
  ///   - chunkSize: the bytes of a piece, at least one. Default: 256 KiB.
  ///   - caching: what a cache may do. Default: answer what it has, and keep what it fetches.
  public nonisolated func stream(
    _ range: some RangeExpression<Int> & Sendable, chunkSize: ByteCount = .kibibytes(256),
    caching: CachePolicy = .normal
  ) -> ByteStream {
    ByteStream(core, AskedRange(range), chunkSize: chunkSize, caching: caching)
  }

  /// The bytes from an offset on, and what is added to the source, as it comes: like `tail -f`, from any place.
  ///
  /// ```swift
  /// let reader = try await RangeReader("/data/recording.bin", onChange: .follow)
  /// for try await piece in reader.stream(following: 0...) { … }
  /// ```
  ///
  /// Every byte comes once and in order. At the end of what is there a piece may be shorter than `chunkSize`; the stream
  /// waits then, until the source has grown. The reader should have the policy ``ChangePolicy/follow``. With any other,
  /// growth is a change: the stream throws `sourceChanged`, unless the source says that it only grows
  /// (``SourceDescription/mayGrow``; ``FileSource/Configuration/isAppendOnly`` of a file), and then it notices growth
  /// only once in ``RangeReader/Configuration/pollInterval``.
  ///
  /// It ends when `isOver` says so, throws `CancellationError` when its task is cancelled, `ReadError.Code.closed` when the
  /// reader is closed, and `sourceChanged` when the source does anything but grow.
  ///
  /// - Parameters:
  ///   - range: where to begin. It may lie beyond the present end.
  ///   - chunkSize: the bytes of a piece, at most. Default: 256 KiB.
  ///   - isOver: asked whenever all that is there has been handed out, at least once in `pollInterval`. When it answers
  ///     `true`, what was added until then still comes, and then the stream ends. Default: it goes on for ever.
  public nonisolated func stream(
    following range: PartialRangeFrom<Int>, chunkSize: ByteCount = .kibibytes(256),
    until isOver: (@Sendable () async throws -> Bool)? = nil
  ) -> ByteStream {
    var stream = ByteStream(self.core, .from(range.lowerBound), chunkSize: chunkSize, caching: .normal)
    stream.following = .init(isOver: isOver)
    return stream
  }

  /// The last `count` bytes that the source has when the iteration begins, piece by piece; all, if it has fewer.
  ///
  /// - Parameters:
  ///   - chunkSize: the bytes of a piece, at least one. Default: 256 KiB.
  ///   - caching: what a cache may do. Default: answer what it has, and keep what it fetches.
  public nonisolated func stream(
    suffix count: Int, chunkSize: ByteCount = .kibibytes(256), caching: CachePolicy = .normal
  ) -> ByteStream {
    ByteStream(core, .suffix(count), chunkSize: chunkSize, caching: caching)
  }

  /// The whole source, piece by piece.
  ///
  /// - Parameters:
  ///   - chunkSize: the bytes of a piece, at least one. Default: 256 KiB.
  ///   - caching: what a cache may do. Default: answer what it has, and keep what it fetches.
  public nonisolated func stream(
    chunkSize: ByteCount = .kibibytes(256), caching: CachePolicy = .normal
  ) -> ByteStream {
    ByteStream(core, .from(0), chunkSize: chunkSize, caching: caching)
  }
}
