extension RangeReader {
  /// The bytes of `range` if the cache has all of them in memory now, without waiting: for code that cannot `await`, such
  /// as a render loop, and for the hottest paths.
  ///
  /// ```swift
  /// if let tile = reader.cached(range) {
  ///   draw(tile)
  /// } else {
  ///   reader.willRead(range)  // a later frame finds it
  /// }
  /// ```
  ///
  /// A hit counts as a read and as a touch, as one by ``read(_:)-(ByteRange)`` does.
  ///
  /// - Returns: exactly `range.count` bytes of the version that reads are of; empty bytes for an empty range within the
  ///   source. `nil` if the cache in memory lacks some of it, if a stage between the reader and its cache cannot answer
  ///   without waiting (``ReadyStage``), if there is no `Caching` stage, past the end of the source, and when the reader is
  ///   closed. Compressed and spilled blocks are `nil` here, and brought up by the next `read`.
  /// - Complexity: within one block, a hash look-up and a slice; nothing is allocated. Across blocks, that for each, and a
  ///   rope of the pieces.
  public nonisolated func cached(_ range: ByteRange) -> Bytes? { core.cached(range) }
}

extension ReaderCore {
  func cached(_ range: ByteRange) -> Bytes? {
    // A source may have bytes without waiting, too: those are not a cache's.
    guard hasCache, gate.enter() else { return nil }
    defer { gate.leave() }
    let source = source
    guard Self.lies(range, within: source) else { return nil }
    guard !range.isEmpty else { return Bytes() }
    var request = ReadRequest(plain: range, of: source)
    var response = head.ready(request)
    if response == nil {
      // It may lie in several blocks.
      request.caching = .onlyIfCached
      response = head.ready(request)
    }
    guard let bytes = response?.bytes, bytes.count == range.count else { return nil }
    counters.succeeded(bytes.count)
    return bytes
  }
}
