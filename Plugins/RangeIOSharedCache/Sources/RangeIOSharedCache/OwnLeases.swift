#if SharedCache
  internal import RangeIO

  /// Leases that this process got and did not use: an engine takes them for those of a process at work. A value.
  struct OwnLeases: Sendable {
    private var abandoned: [SharedBlockKey: ReadClock.Instant] = [:]
    /// The engine took nothing of what was put last. Then leases would only make others wait.
    private(set) var areUseless = false
    /// More are forgotten, and waited for once.
    private static let maxCount = 4096

    /// The blocks of these leases were not fetched, or not put.
    mutating func abandon(_ keys: [SharedBlockKey], until end: ReadClock.Instant, now: ReadClock.Instant) {
      if abandoned.count + keys.count > Self.maxCount { abandoned = abandoned.filter { now < $0.value } }
      guard abandoned.count + keys.count <= Self.maxCount else { return }
      for key in keys { abandoned[key] = end }
    }

    /// True if this process has abandoned the lease of `key`, which has not expired. From here on it is in use.
    mutating func takeUp(_ key: SharedBlockKey, now: ReadClock.Instant) -> Bool {
      guard let end = abandoned.removeValue(forKey: key) else { return false }
      return now < end
    }

    /// Values were put.
    mutating func put(_ count: Int, stored: Int) { areUseless = count > 0 && stored == 0 }
  }
#endif
