#if SharedCache
  internal import RangeIO

  /// Leases that this process got and did not use: an engine takes them for those of a process at work. A value.
  struct OwnLeases: Sendable {
    private var abandoned: [SharedBlockKey: ReadInstant] = [:]
    /// How many values in a row the engine did not take.
    private var refusals = 0
    /// So many are no node that is down among others.
    private static let mostRefusals = 16
    /// More are forgotten, and waited for once.
    private static let most = 4096

    /// The blocks of these leases were not fetched, or not put.
    mutating func abandon(_ keys: [SharedBlockKey], until end: ReadInstant, now: ReadInstant) {
      if abandoned.count + keys.count > Self.most { abandoned = abandoned.filter { now < $0.value } }
      guard abandoned.count + keys.count <= Self.most else { return }
      for key in keys { abandoned[key] = end }
    }

    /// Whether the lease of `key` is one that this process has abandoned. From here on it is in use.
    mutating func takeUp(_ key: SharedBlockKey, now: ReadInstant) -> Bool {
      guard let end = abandoned.removeValue(forKey: key) else { return false }
      return now < end
    }

    /// Whether the engine takes nothing of what is put. Then leases would only make others wait.
    var areUseless: Bool { refusals >= Self.mostRefusals }

    /// Values were put.
    mutating func put(_ count: Int, stored: Int) {
      refusals = stored > 0 ? 0 : min(refusals + count, Self.mostRefusals)
    }
  }
#endif
