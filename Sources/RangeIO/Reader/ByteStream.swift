/// A range of a source as a sequence of pieces, in order. Use it to read long ranges in bounded memory.
///
/// ```swift
/// for try await piece in reader.stream(0..<reader.byteCount, chunkSize: .kibibytes(256)) {
///   hasher.update(piece)
/// }
/// ```
///
/// **Pieces** have `chunkSize` bytes each; the last one may be shorter. A piece shares memory with its neighbours: call
/// `compacted()` on small pieces that you keep.
///
/// **Memory.** The stream reads in windows. A window is as many chunks as fit into 1 MiB, at least one; of a remote object
/// no more than one connection brings in four seconds. If the data is in memory, the stream reads one window ahead,
/// starting with the second. If the source makes you wait, it reads up to four windows ahead, at most 8 MiB unless one
/// window is larger. Of a local file on Linux it reads one window ahead, since the system reads ahead itself. It reads
/// nothing more until you take what is there. `.readAhead`, as readers of remote objects have it, also reads ahead into
/// the cache.
///
/// **Ending.** If you leave the loop early, the stream stops reading ahead. In a cancelled task it throws
/// `CancellationError`; it never ends as if it were complete. After an error the stream is over. If bytes can never be
/// read, the pieces before them come first. If a digest is wrong, the pieces end up to 64 KiB earlier, or a sixteenth
/// of a longer chunk. If the error may pass, you get nothing of its window. Nor do you with a `chunkSize` of more than
/// 8 MiB, or from a source that can only be read forward. All pieces are of one version, or the stream throws
/// `ReadError.Code.sourceChanged`.
///
/// Each iteration reads the range again. Several tasks can iterate over one stream, each with its own iterator.
public struct ByteStream: AsyncSequence, Sendable {
  /// The wait of a stream for its source to grow.
  struct Following: Sendable {
    let isOver: (@Sendable () async throws -> Bool)?
  }

  let core: ReaderCore
  let asked: AskedRange
  let chunkSize: Int
  let caching: ReadRequest.CachePolicy
  /// `nil`: the stream does not wait for growth.
  var following: Following?
  /// The version to stream; `nil`: the one that is current when the iteration begins.
  var version: SourceDescription?

  init(_ core: ReaderCore, _ asked: AskedRange, chunkSize: ByteCount, caching: ReadRequest.CachePolicy) {
    self.core = core
    self.asked = asked
    self.chunkSize = Swift.max(1, chunkSize.bytes)
    self.caching = caching
  }

  /// Starts at the beginning of the range.
  public func makeAsyncIterator() -> Iterator { Iterator(cursor: StreamCursor(self)) }

  /// The pieces, in order. Use an iterator from one task at a time.
  public struct Iterator: AsyncIteratorProtocol {
    let cursor: StreamCursor

    // Not left to the standard library, here and below: its own leaves the actor, which an iterator of the actor's cannot.
    /// The next piece, or `nil` at the end of the range.
    public mutating func next() async throws -> Bytes? { try await cursor.next() }

    /// The next piece, or `nil` at the end of the range. Runs on the caller's actor.
    public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws -> Bytes? {
      // Not `isolated`, for the reason given in `ByteSequence`.
      try await cursor.next()
    }
  }
}

extension RangeReader {
  /// The bytes of a range, piece by piece, or of the whole source. Write the range as `0..<n`, `0...3`, `..<512`, or
  /// `4096...`. The last form ends where the source ends when the iteration begins.
  ///
  /// All errors are thrown by the iteration, also the one for a range past the end. No time limits the whole stream; a
  /// `.timeLimit` among the reader's stages limits each of its windows.
  ///
  /// - Parameters:
  ///   - range: the range. Default: the whole source.
  ///   - chunkSize: the bytes per piece, at least one. Default: 256 KiB.
  ///   - caching: what the cache may do. Default: it answers with what it has, and keeps what it fetches.
  public nonisolated func stream(
    _ range: some RangeExpression<Int> & Sendable = 0..., chunkSize: ByteCount = .kibibytes(256),
    caching: ReadRequest.CachePolicy = .normal
  ) -> ByteStream {
    ByteStream(core, AskedRange(range), chunkSize: chunkSize, caching: caching)
  }

  /// The bytes from an offset on, including those added to the source later. Like `tail -f`, from any offset.
  ///
  /// ```swift
  /// let reader = try await RangeReader("/data/recording.bin", onChange: .follow)
  /// for try await piece in reader.stream(following: 0...) { … }
  /// ```
  ///
  /// Every byte comes once and in order. At the current end of the source a piece may be shorter than `chunkSize`; the
  /// stream then waits until the source grows. The reader should have the policy ``RangeReader/ChangePolicy/follow``.
  /// With any other policy, growth is a change and the stream throws `sourceChanged`. The exception is a source that
  /// declares that it only grows (`mayGrow` of ``SourceDescription/Traits``; for a file `isAppendOnly` of
  /// ``FileSource``). Then the stream notices growth once per poll interval of the reader.
  ///
  /// The stream ends when `isOver` returns `true`. It throws `CancellationError` when its task is cancelled,
  /// `ReadError.Code.closed` when the reader is closed, and `sourceChanged` when the source changes in any way other
  /// than growth.
  ///
  /// - Parameters:
  ///   - range: where to begin. It may be past the current end.
  ///   - chunkSize: the most bytes per piece. Default: 256 KiB.
  ///   - isOver: called when you have taken all bytes there are, and about once per poll interval also while there are
  ///     always more. When it returns `true`, the stream still delivers what was added until then, and then ends.
  ///     Default: the stream never ends by itself.
  public nonisolated func stream(
    following range: PartialRangeFrom<Int>, chunkSize: ByteCount = .kibibytes(256),
    until isOver: (@Sendable () async throws -> Bool)? = nil
  ) -> ByteStream {
    var stream = ByteStream(self.core, .from(range.lowerBound), chunkSize: chunkSize, caching: .normal)
    stream.following = .init(isOver: isOver)
    return stream
  }

  /// The last `count` bytes of the source, piece by piece, or all bytes if it has fewer. The size is taken when the
  /// iteration begins.
  ///
  /// - Parameters:
  ///   - count: how many bytes, at most.
  ///   - chunkSize: the bytes per piece, at least one. Default: 256 KiB.
  ///   - caching: what the cache may do. Default: it answers with what it has, and keeps what it fetches.
  public nonisolated func stream(
    suffix count: Int, chunkSize: ByteCount = .kibibytes(256), caching: ReadRequest.CachePolicy = .normal
  ) -> ByteStream {
    ByteStream(core, .suffix(count), chunkSize: chunkSize, caching: caching)
  }
}

extension ByteStream {
  /// The stream byte by byte, for parsers that look at every byte.
  ///
  /// A byte costs a comparison and a load; the loop does not suspend within a piece. On the main actor, however, and so
  /// in a `main.swift`, Swift checks after every step that it is still on that actor. That takes some 20 ns. A loop
  /// over the pieces, with an inner loop over the bytes, avoids this cost everywhere:
  ///
  /// ```swift
  /// for try await piece in reader.stream() {
  ///   for byte in piece { parser.take(byte) }
  /// }
  /// ```
  public var bytes: ByteSequence { ByteSequence(stream: self) }

  /// The bytes of a ``ByteStream``.
  public struct ByteSequence: AsyncSequence, Sendable {
    @usableFromInline let stream: ByteStream

    /// Starts at the beginning of the range.
    public func makeAsyncIterator() -> Iterator { Iterator(stream.makeAsyncIterator()) }

    /// The bytes, in order. Use an iterator from one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
      @usableFromInline var pieces: ByteStream.Iterator
      @usableFromInline var current: Bytes.Iterator

      init(_ pieces: ByteStream.Iterator) {
        self.pieces = pieces
        current = Bytes().makeIterator()
      }

      /// The next byte, or `nil` at the end of the range.
      @inlinable public nonisolated(nonsending) mutating func next() async throws -> UInt8? {
        if let byte = current.next() { return byte }
        return try await nextPiece()
      }

      /// The next byte, or `nil` at the end of the range. Runs on the caller's actor.
      @inlinable public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async throws -> UInt8?
      {
        // Not `isolated`: every step would then ask for the actor's executor twice. This already runs on the caller's.
        if let byte = current.next() { return byte }
        return try await nextPiece()
      }

      @usableFromInline nonisolated(nonsending) mutating func nextPiece() async throws -> UInt8? {
        guard let piece = try await pieces.next() else { return nil }
        current = piece.makeIterator()
        return current.next()
      }
    }
  }
}
