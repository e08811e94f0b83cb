import Synchronization

extension RangeReader {
  /// Returns the bytes of `range` without waiting, if the cache has all of them in memory now. For code that cannot
  /// `await`, such as a render loop, and for the hottest paths.
  ///
  /// ```swift
  /// if let tile = reader.cached(range) {
  ///   draw(tile)
  /// } else {
  ///   reader.willRead(range)  // a later frame finds it
  /// }
  /// ```
  ///
  /// A cache hit counts as a read and as a use of the block, just like a hit of ``read(_:)-(ByteRange)``.
  ///
  /// - Returns: exactly `range.count` bytes, of the same version that reads return; empty bytes for an empty range
  ///   within the source. Returns `nil` if the cache lacks some of the bytes in memory, if a stage between the reader
  ///   and its cache cannot answer without waiting (``ReadyStage``), if there is no `Caching` stage, if the range is
  ///   past the end of the source, or if the reader is closed. Compressed and spilled blocks also give `nil`; the next
  ///   `read` loads them.
  /// - Complexity: within one block, a hash look-up and a slice, without allocation. Across blocks, that for each
  ///   block, and one `Bytes` that joins the pieces without copying them.
  public nonisolated func cached(_ range: ByteRange) -> Bytes? { core.cached(range) }
}

extension ReaderCore {
  /// Most hits lie in one block of a cache that is the topmost stage. They need no request, and no use of the gate, since
  /// no stage of the user's is called.
  @inline(__always) func cached(_ range: ByteRange) -> Bytes? {
    guard isCacheOnTop, !hasMoved.load(ordering: .acquiring), Self.lies(range, within: first), !range.isEmpty,
      !gate.isClosed, let bytes = topCache.hit(range, of: first)
    else { return cachedBelow(range) }
    counters.succeeded(range.count)
    return bytes
  }

  private func cachedBelow(_ range: ByteRange) -> Bytes? {
    // A source may also have bytes ready without waiting. Those do not count: they are not from a cache.
    guard hasCache, gate.enter() else { return nil }
    defer { gate.leave() }
    let source = source
    guard Self.lies(range, within: source) else { return nil }
    guard !range.isEmpty else { return Bytes() }
    var request = ReadRequest(plain: range, of: source)
    var response = head.ready(request)
    if response == nil {
      // The range may span several blocks.
      request.caching = .onlyIfCached
      response = head.ready(request)
    }
    guard let bytes = response?.bytes, bytes.count == range.count else { return nil }
    counters.succeeded(bytes.count)
    return bytes
  }
}
