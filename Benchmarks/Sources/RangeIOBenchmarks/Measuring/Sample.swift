import CBenchmarkPeers

/// One run of one contender in one round.
struct Sample: Sendable {
  /// Reads done; one for a stream.
  var reads: Int
  /// Time a read, or of the whole stream.
  var nanoseconds: Double
  /// Minor page faults of the process a read: whether buffers were recycled.
  var faults: Double
  /// CPU time of the process a read, in nanoseconds, user and system.
  var cpuNanoseconds: Double
  /// Bytes that a cold run brought into the page cache for each byte asked for.
  var amplification: Double?
  /// Bytes by lane.
  var lanes: [String: Int]
  /// What the run took from the source below a cache.
  var source: SourceUse?
}

/// What was read from a source, by contenders that count it.
struct SourceUse: Sendable, Codable {
  var reads: Int
  var bytes: Int

  static func + (a: SourceUse, b: SourceUse) -> SourceUse {
    SourceUse(reads: a.reads + b.reads, bytes: a.bytes + b.bytes)
  }

  static func - (a: SourceUse, b: SourceUse) -> SourceUse {
    SourceUse(reads: a.reads - b.reads, bytes: a.bytes - b.bytes)
  }
}

extension [Double] {
  /// The value in the middle, or the mean of the two there.
  var median: Double {
    precondition(!isEmpty, "a median needs values")
    let sorted = sorted()
    return (sorted[count / 2] + sorted[(count - 1) / 2]) / 2
  }
}
