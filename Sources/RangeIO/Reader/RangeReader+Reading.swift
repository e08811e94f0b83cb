extension RangeReader {
  /// Reads the bytes of `range`. Offsets count from the start of the source.
  ///
  /// ```swift
  /// let header = try await reader.read(0..<4096)
  /// ```
  ///
  /// - Returns: exactly `range.count` bytes, all of one version of the source. An empty range gives empty bytes.
  /// - Throws: `ReadError` with `rangeNotSatisfiable` (a negative offset, or past the end: the message says the size),
  ///   `sourceChanged`, `closed`, `limitExceeded` for more than 128 TiB, or any error of the source or the stages;
  ///   `CancellationError` at once when cancelled.
  /// - Complexity: up to 256 KiB from the page cache of a local file cost one allocation and do not suspend (on Linux;
  ///   elsewhere, and for longer ranges, a thread switch). A hit in a memory cache costs neither.
  public nonisolated(nonsending) func read(_ range: ByteRange) async throws -> Bytes { try await core.read(range) }

  /// Reads a range in any form: `4096...` to the current end, `..<512`, `0...3`, `...3`. You can choose what the cache
  /// may do.
  ///
  /// - Throws: as ``read(_:)-(ByteRange)``; `ReadError.Code.notCached` for `.onlyIfCached`, if the cache does not have
  ///   all of the range. Without a `Caching` stage, `.onlyIfCached` makes no difference.
  public nonisolated(nonsending) func read(
    _ range: some RangeExpression<Int> & Sendable, caching: ReadRequest.CachePolicy = .normal
  ) async throws -> Bytes {
    // Known without the size of the source.
    if let range = range as? ByteRange { return try await core.read(range, caching: caching) }
    return try await core.read(AskedRange(range), caching: caching)
  }

  /// Reads all bytes of the source as it is now: `read(...)`.
  ///
  /// - Throws: as ``read(_:)-(ByteRange)``.
  public nonisolated(nonsending) func read(_ range: UnboundedRange) async throws -> Bytes {
    try await core.read(.from(0), caching: .normal)
  }

  /// Reads `count` bytes from `offset`. Use this for numbers that come from data, where `offset..<end` could trap.
  ///
  /// - Throws: as ``read(_:)-(ByteRange)``; `rangeNotSatisfiable` also for a negative count and for a sum that
  ///   overflows.
  public nonisolated(nonsending) func read(offset: Int, count: Int) async throws -> Bytes {
    try await core.read(offset: offset, count: count)
  }

  /// Reads the last `count` bytes of the source as it is now, or all of it if it has fewer (as in RFC 9110, 14.1.2).
  ///
  /// - Throws: as ``read(_:)-(ByteRange)``; `rangeNotSatisfiable` for a negative count.
  public nonisolated(nonsending) func read(suffix count: Int) async throws -> Bytes {
    try await core.read(.suffix(count), caching: .normal)
  }

  /// Reads several ranges as one request, which the stages and the source may combine.
  ///
  /// The ranges may be in any order, overlap, and be empty. All bytes are of one version, or the read throws.
  ///
  /// - Returns: the bytes of each range, in the order of `ranges`.
  /// - Throws: as ``read(_:)-(ByteRange)``, for the first range that fails, and as ``read(_:caching:)-(_,_)``.
  public nonisolated(nonsending) func read(
    _ ranges: [ByteRange], caching: ReadRequest.CachePolicy = .normal
  ) async throws -> [Bytes] {
    try await core.read(ranges, caching: caching)
  }

  /// Copies the bytes of `range` to the start of `buffer`.
  ///
  /// The buffer is written only after the wait, so a cancelled call does not touch it once it has thrown. Prefer
  /// ``read(_:)-(ByteRange)``, which copies nothing, unless the bytes must be in your own memory.
  ///
  /// - Returns: the number of bytes copied, `range.count`.
  /// - Throws: as ``read(_:)-(ByteRange)``; `ReadError.Code.limitExceeded` if `buffer` is smaller than the range.
  @discardableResult public nonisolated(nonsending) func read(
    _ range: ByteRange, into buffer: UnsafeMutableRawBufferPointer
  ) async throws -> Int {
    // The count of a range with a negative start may overflow. The read itself rejects such a range.
    guard range.lowerBound < 0 || buffer.count >= range.count else {
      throw ReadError(
        .limitExceeded, "a buffer of \(buffer.count) bytes cannot take \(range.count): pass a larger one",
        context: .init(source: core.source.name, offset: range.lowerBound, count: range.count))
    }
    let bytes = try await core.read(range)
    bytes.copyBytes(to: buffer)
    return bytes.count
  }
}

extension ReaderCore {
  func read(offset: Int, count: Int) async throws -> Bytes {
    guard let range = ByteRanges.range(offset: offset, count: count) else {
      throw ReadError.rangeNotSatisfiable(
        "\(count) bytes at \(offset)", byteCount: source.byteCount, source: source.name)
    }
    return try await read(range)
  }
}
