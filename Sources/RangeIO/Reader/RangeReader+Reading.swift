extension RangeReader {
  /// The bytes of `range`, counted from the start of the source.
  ///
  /// ```swift
  /// let header = try await reader.read(0..<4096)
  /// ```
  ///
  /// - Returns: exactly `range.count` bytes, of one version of the source. An empty range gives empty bytes.
  /// - Throws: `ReadError` with `rangeNotSatisfiable` (a negative offset, or past the end: the message says the size),
  ///   `sourceChanged`, `closed`, `limitExceeded` for more than 128 TiB, or what the source and the stages throw;
  ///   `CancellationError` at once when cancelled.
  /// - Complexity: up to 256 KiB that the page cache of a local file holds cost one allocation and do not suspend (on
  ///   Linux; elsewhere, and above that, a thread switch). What a cache in memory holds costs neither.
  public nonisolated(nonsending) func read(_ range: ByteRange) async throws -> Bytes { try await core.read(range) }

  /// The bytes of `range`, with or without the help of a cache.
  ///
  /// - Throws: as ``read(_:)-(ByteRange)``; `ReadError.Code.notCached` for `.onlyIfCached`, if the cache does not have
  ///   all of it. Without a `Caching` stage, `.onlyIfCached` reads as ever.
  public nonisolated(nonsending) func read(
    _ range: ByteRange, caching: CachePolicy
  ) async throws -> Bytes {
    try await core.read(range, caching: caching)
  }

  /// The bytes from an offset to the present end of the source.
  ///
  /// - Throws: as ``read(_:)-(ByteRange)``.
  public nonisolated(nonsending) func read(_ range: PartialRangeFrom<Int>) async throws -> Bytes {
    try await core.read { try Self.close(range, in: $0) }
  }

  /// The bytes before an offset.
  ///
  /// - Throws: as ``read(_:)-(ByteRange)``.
  public nonisolated(nonsending) func read(_ range: PartialRangeUpTo<Int>) async throws -> Bytes {
    try await core.read(offset: 0, count: range.upperBound)
  }

  /// The `count` bytes from `offset`: for numbers that come from data, where `offset..<end` could trap.
  ///
  /// - Throws: as ``read(_:)-(ByteRange)``; `rangeNotSatisfiable` also for a negative count and a sum that overflows.
  public nonisolated(nonsending) func read(offset: Int, count: Int) async throws -> Bytes {
    try await core.read(offset: offset, count: count)
  }

  /// The last `count` bytes of the source as it is now; all of it, if it has fewer (as RFC 9110, 14.1.2).
  ///
  /// - Throws: as ``read(_:)-(ByteRange)``; `rangeNotSatisfiable` for a negative count.
  public nonisolated(nonsending) func read(suffix count: Int) async throws -> Bytes {
    try await core.read { try Self.suffix(count, of: $0) }
  }

  /// The bytes of several ranges, as one request that stages and the source may combine.
  ///
  /// Ranges may be in any order, overlap, and be empty. All are of one version, or the read throws.
  ///
  /// - Returns: the bytes of each range, in the order asked.
  /// - Throws: as ``read(_:)-(ByteRange)``, for the first range that fails.
  public nonisolated(nonsending) func read(_ ranges: [ByteRange]) async throws -> [Bytes] {
    try await core.read(ranges)
  }

  /// Copies the bytes of `range` to the start of `buffer`.
  ///
  /// The buffer is written to after the wait only, so a cancelled call leaves it alone from the moment it throws. Prefer
  /// ``read(_:)-(ByteRange)``, which copies nothing, unless the memory must be yours.
  ///
  /// - Returns: the number of bytes copied, `range.count`.
  /// - Throws: as ``read(_:)-(ByteRange)``; `ReadError.Code.limitExceeded` if `buffer` is smaller than the range.
  @discardableResult public nonisolated(nonsending) func read(
    _ range: ByteRange, into buffer: UnsafeMutableRawBufferPointer
  ) async throws -> Int {
    // The count of a range with a negative start may overflow; the read refuses it.
    guard range.lowerBound < 0 || buffer.count >= range.count else {
      throw ReadError(
        .limitExceeded, "a buffer of \(buffer.count) bytes cannot take \(range.count): pass a larger one",
        context: .init(source: core.source.name, offset: range.lowerBound, count: range.count))
    }
    let bytes = try await core.read(range)
    bytes.copyBytes(to: buffer)
    return bytes.count
  }

  /// Fills `array` with the bytes of `range`; its size becomes `range.count`.
  ///
  /// - Throws: as ``read(_:)-(ByteRange)``; `array` is unchanged then.
  public nonisolated(nonsending) func read(_ range: ByteRange, into array: inout [UInt8]) async throws {
    let bytes = try await core.read(range)
    array.removeAll(keepingCapacity: true)
    array.append(contentsOf: bytes)
  }
}

extension RangeReader {
  /// `range` up to the end of `source`.
  static func close(_ range: PartialRangeFrom<Int>, in source: SourceDescription) throws(ReadError) -> ByteRange {
    guard range.lowerBound >= 0, range.lowerBound <= source.byteCount else {
      throw .rangeNotSatisfiable("\(range.lowerBound)...", byteCount: source.byteCount, source: source.name)
    }
    return range.lowerBound..<source.byteCount
  }

  /// The last `count` bytes of `source`.
  static func suffix(_ count: Int, of source: SourceDescription) throws(ReadError) -> ByteRange {
    guard count >= 0 else {
      throw .rangeNotSatisfiable("a suffix of \(count) bytes", byteCount: source.byteCount, source: source.name)
    }
    return source.byteCount - min(count, source.byteCount)..<source.byteCount
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
