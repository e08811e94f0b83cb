extension RangeReader {
  /// One version of the source, read through this reader, however often the source changes meanwhile.
  ///
  /// Use it where several reads must agree: a directory and the entries that it names, or a size that you announce and
  /// the bytes that follow.
  ///
  /// ```swift
  /// let snapshot = try await reader.snapshot()
  /// let end = try await snapshot.read(snapshot.byteCount - 22..<snapshot.byteCount)
  /// ```
  ///
  /// Once the source is another version, reads that the cache cannot answer throw `ReadError.Code.sourceChanged`, also
  /// with ``RangeReader/ChangePolicy/refresh``: take a new snapshot then. A snapshot keeps the source open until the
  /// reader is closed.
  public struct Snapshot: Sendable {
    let core: ReaderCore
    /// The version: id, validator, size.
    public let source: SourceDescription

    /// The size of this version in bytes.
    public var byteCount: Int { source.byteCount }

    /// Reads the bytes of `range`, of this version.
    ///
    /// - Throws: as `read(_:)` of the reader; `sourceChanged` if the source has become another version.
    public nonisolated(nonsending) func read(
      _ range: ByteRange, caching: ReadRequest.CachePolicy = .normal
    ) async throws -> Bytes {
      try ReaderCore.check(range, of: source)
      try ReaderCore.checkCount(range, of: source)
      guard !range.isEmpty else { return Bytes() }
      return try await core.readWindow(range, of: source, caching: caching)
    }

    /// Reads the bytes of `range`, after which the caller will read everything until `end`.
    package nonisolated(nonsending) func read(_ range: ByteRange, goingOnTo end: Int) async throws -> Bytes {
      try ReaderCore.check(range, of: source)
      try ReaderCore.checkCount(range, of: source)
      guard !range.isEmpty else { return Bytes() }
      return try await core.readWindow(range, of: source, caching: .normal, until: end)
    }

    /// The bytes of `range`, of this version, if nothing must be waited for; `nil` otherwise, and if they cannot be read.
    package func answer(_ range: ByteRange) -> Bytes? { core.answer(range, of: source) }

    /// The bytes of a range of this version, piece by piece. Otherwise like `stream(_:chunkSize:caching:)` of the
    /// reader.
    public func stream(
      _ range: some RangeExpression<Int> & Sendable = 0..., chunkSize: ByteCount = .kibibytes(256),
      caching: ReadRequest.CachePolicy = .normal
    ) -> ByteStream {
      var stream = ByteStream(core, AskedRange(range), chunkSize: chunkSize, caching: caching)
      stream.version = source
      return stream
    }
  }

  /// The version that the reader has pinned: right after opening, the one that opening found.
  package nonisolated var pinnedSnapshot: Snapshot { Snapshot(core: core, source: core.source) }

  /// The version there is now, by asking once, whenever it was asked last; `nil` while the source cannot be asked.
  package nonisolated(nonsending) func renewedSnapshot() async throws -> Snapshot? {
    do { try await core.refresh() } catch let error as ReadError where error.isTransient { return nil }
    return pinnedSnapshot
  }

  /// Ends looking for changes between reads, for owners that look themselves when they need to know.
  package nonisolated func stopWatching() { core.watcher.withLock { $0 }?.cancel() }

  /// `true` while the reader looks for changes between reads.
  package nonisolated var isWatching: Bool { core.watcher.withLock { $0 }.map { !$0.isCancelled } ?? false }

  /// The version that a stream would read now.
  ///
  /// With ``ChangePolicy/refresh`` this asks what the name of the source leads to. It asks a source that takes longer
  /// than a millisecond at most once per poll interval. While the source cannot be asked, the version is the last one
  /// known. With other policies this is the version that was opened.
  ///
  /// - Throws: any error of asking the source; `CancellationError`.
  public nonisolated(nonsending) func snapshot() async throws -> Snapshot {
    do {
      let (source, _) = try await core.pin(isToTheEnd: true) { 0..<$0.byteCount }
      return Snapshot(core: core, source: source)
    } catch {
      throw core.failed(error)
    }
  }
}
