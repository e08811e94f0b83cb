// What a program knows of its reads to come. Nothing depends on it but time.

extension RangeReader {
  /// Tells that `range` will be read soon: the reader prefetches it into the cache in the background, after the reads that
  /// are waited for. Returns at once.
  ///
  /// As much of it as the cache would keep: of a range of more than half its limit, the beginning. Counts against the budget
  /// of ``ReadAhead``, if there is one, and ends where that is spent. Without a cache the source is told, which may read
  /// ahead by itself: of a local file the system does. What lies beyond the end is left out, and nothing is fetched of a source
  /// that has just changed (``SourceDescription/isSettled``). No error is told.
  public nonisolated func willRead(_ range: ByteRange) { core.advise(.willRead, range) }

  /// Tells that `range` will not be read again for long: whole blocks of it are dropped from memory caches, and what is
  /// being read ahead of it is given up. Returns at once.
  ///
  /// Other readers of the same bytes through the same cache have to fetch them again.
  public nonisolated func discard(_ range: ByteRange) { core.advise(.discard, range) }
}
