#if HTTP

  /// When bytes that enter one direction of a link leave it. A value: times go in and come out, in nanoseconds.
  ///
  /// A link passes one byte after the other, at its rate, and each of them a while later. Bytes that wait for others do
  /// not lose time to rounding: the end of a busy time follows from its beginning and all bytes in it.
  public struct LinkSchedule: Hashable, Sendable {
    /// The time from one end to the other, in nanoseconds.
    public let delay: Int
    /// The rate; `nil`: no limit.
    public let bytesPerSecond: Double?
    private var busySince = 0
    private var busyBytes = 0

    /// Creates the schedule of an idle link.
    public init(delay: Int, bytesPerSecond: Double?) {
      self.delay = delay
      self.bytesPerSecond = bytesPerSecond
    }

    /// When the link has passed all bytes so far.
    public var freeAt: Int { busySince + duration(of: busyBytes) }

    /// Takes `count` bytes that arrive at `now`.
    ///
    /// - Returns: when the last of them comes out.
    public mutating func pass(_ count: Int, at now: Int) -> Int {
      if now >= freeAt { (busySince, busyBytes) = (now, 0) }
      busyBytes += count
      return freeAt + delay
    }

    /// How long `count` bytes take at the rate.
    private func duration(of count: Int) -> Int {
      guard let bytesPerSecond else { return 0 }
      return Int((Double(count) * 1e9 / bytesPerSecond).rounded(.up))
    }
  }

#endif
