// Hints from the program about its future reads. They affect speed only, never results.

extension RangeReader {
  /// Announces that you will read `range` soon. The reader prefetches it into the cache in the background, after the
  /// reads that callers wait for. Returns at once.
  ///
  /// The reader prefetches only as much as the cache would keep: if the range is longer than half the cache's limit,
  /// only the beginning. The prefetch counts against the budget of ``ReadAhead``, if there is one, and stops when the
  /// budget is spent. Without a cache the hint goes to the source, which may read ahead by itself; for a local file the
  /// system does. Bytes past the end are left out, and nothing is fetched from a source that has just changed
  /// (``SourceDescription/isSettled``). Errors are not reported.
  public nonisolated func willRead(_ range: ByteRange) { core.advise(.willRead, range) }

  /// Announces that you will not read `range` again for a long time. The reader drops the whole blocks within it from
  /// memory caches and cancels read-ahead for it. Returns at once.
  ///
  /// Other readers that use the same bytes through the same cache must fetch them again.
  public nonisolated func discard(_ range: ByteRange) { core.advise(.discard, range) }
}
