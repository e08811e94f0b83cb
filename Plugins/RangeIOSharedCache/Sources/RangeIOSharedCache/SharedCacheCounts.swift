#if SharedCache
  internal import RangeIO

  /// The counts of `.sharedCaching`, in blocks unless noted.
  struct SharedCacheCounts {
    var hits = 0
    var misses = 0
    /// Another process was waited for, and what came of it.
    var waits = 0, waited = 0
    var stored = 0, dropped = 0
    /// Reads that went to the source at once.
    var passed = 0
    /// Blocks that the engine was asked for and did not answer in a fetch's time.
    var late = 0
    /// Values that were not what they should be.
    var malformed = 0, foreign = 0, damaged = 0, notAuthentic = 0

    static func += (counts: inout Self, more: Self) {
      counts.hits += more.hits
      counts.misses += more.misses
      counts.waits += more.waits
      counts.waited += more.waited
      counts.stored += more.stored
      counts.dropped += more.dropped
      counts.passed += more.passed
      counts.late += more.late
      counts.malformed += more.malformed
      counts.foreign += more.foreign
      counts.damaged += more.damaged
      counts.notAuthentic += more.notAuthentic
    }

    var reported: Counters {
      Counters(
        "SharedCaching",
        counts: [
          "hits": hits, "misses": misses, "awaited": waits, "brought by others": waited, "stored": stored,
          "not stored": dropped, "reads passed": passed, "late": late, "malformed values": malformed,
          "foreign values": foreign,
          "damaged values": damaged, "values not authentic": notAuthentic,
        ])
    }
  }
#endif
