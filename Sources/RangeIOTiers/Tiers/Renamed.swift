// Names of before, so that the compiler says what they are called now. They go after the first release.

/// Now `Counters`: those called `disk` among what the store returns.
@available(*, unavailable, renamed: "Counters")
public enum DiskStatistics {}

/// Now ``TieredStore``.
@available(*, unavailable, renamed: "TieredStore")
public enum TieredChunkStore {}

extension TieredStore {
  /// Now an array of `Counters`, one for each tier.
  @available(*, unavailable, renamed: "Counters")
  public enum Statistics {}
}
