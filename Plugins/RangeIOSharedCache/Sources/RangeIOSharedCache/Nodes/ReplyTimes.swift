#if SharedCache

  /// The times that a node's answers take: a histogram that forgets. A value.
  struct ReplyTimes: Hashable, Sendable {
    /// Four counts for each doubling, from 16 µs on.
    private var counts = [UInt32](repeating: 0, count: 64)
    private var total: UInt32 = 0
    /// After so many all counts are halved.
    private static let memory: UInt32 = 2048
    /// Before there are so many, nothing is known.
    private static let enough: UInt32 = 128

    mutating func record(_ nanoseconds: Int64) {
      counts[Self.bucket(nanoseconds)] += 1
      total += 1
      guard total >= Self.memory else { return }
      total = 0
      for bucket in counts.indices {
        counts[bucket] /= 2
        total += counts[bucket]
      }
    }

    /// A time that 99 of 100 answers did not exceed, to a quarter of a doubling; `nil` while too few are known.
    var percentile99: Int64? {
      guard total >= Self.enough else { return nil }
      var above: UInt32 = 0
      for bucket in counts.indices.reversed() {
        above += counts[bucket]
        if above * 100 > total { return Self.end(bucket) }
      }
      return Self.end(0)
    }

    private static func bucket(_ nanoseconds: Int64) -> Int {
      let units = max(1, nanoseconds / 4096)
      let doubling = 63 - units.leadingZeroBitCount
      guard doubling >= 2 else { return 0 }
      let quarter = Int(units >> (doubling - 2)) & 3
      return min((doubling - 2) * 4 + quarter, 63)
    }

    /// The longest time of a bucket.
    private static func end(_ bucket: Int) -> Int64 { (Int64(bucket & 3) + 5) << Int64(bucket / 4) * 4096 }
  }
#endif
