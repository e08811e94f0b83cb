extension SourceDescription {
  /// The cost of reading from a source. `.merging` and `.readAhead` use it to decide, and so does a disk tier: by
  /// default it keeps nothing of a source that is no slower than a local disk.
  public struct Cost: Hashable, Sendable {
    /// The time to the first byte of a read.
    public var latency: Duration
    /// The rate after the first byte.
    public var bytesPerSecond: Double

    /// Creates a cost. The defaults are those of a local disk.
    ///
    /// - Parameters:
    ///   - latency: the time to the first byte of a read.
    ///   - bytesPerSecond: the rate after the first byte.
    public init(latency: Duration = .microseconds(100), bytesPerSecond: Double = 1e9) {
      self.latency = latency
      self.bytesPerSecond = bytesPerSecond
    }
  }
}

extension SourceDescription {
  /// Facts about a source besides its size and version. The defaults are those of a local file that does not change.
  public struct Traits: Sendable {
    /// The cost of reading.
    public var cost: Cost
    /// Whether a later version may extend this one.
    public var mayGrow: Bool
    /// Whether a change made right now would show in the validator.
    public var isSettled: Bool
    /// Whether existing bytes never change.
    public var isAppendOnly: Bool
    /// An object of the source, which finds it again when it gets its description back.
    public var context: (any AnyObject & Sendable)?

    /// Creates traits.
    ///
    /// - Parameters:
    ///   - cost: what reading costs.
    ///   - mayGrow: whether a later version may extend this one. If so, reads counted from the end first ask for the
    ///     current size, and you can follow the source (``RangeReader/ChangePolicy/follow``).
    ///   - isSettled: whether a change made right now would show in the validator. If not, the version is read but not
    ///     kept, and checked again before the next read.
    ///   - isAppendOnly: whether existing bytes never change, whatever is appended. If so, a cache keeps them when the
    ///     source has grown.
    ///   - context: what the source wants to find again when it gets its description back. Opaque to all other code.
    public init(
      cost: Cost = Cost(), mayGrow: Bool = false, isSettled: Bool = true, isAppendOnly: Bool = false,
      context: (any AnyObject & Sendable)? = nil
    ) {
      self.cost = cost
      self.mayGrow = mayGrow
      self.isSettled = isSettled
      self.isAppendOnly = isAppendOnly
      self.context = context
    }
  }

  /// Facts about the source besides its size and version. A source that wraps another passes it on, changed where it must be:
  ///
  /// ```swift
  /// var traits = inner.traits
  /// traits.cost.latency = .milliseconds(20)
  /// ```
  public var traits: Traits {
    Traits(cost: cost, mayGrow: mayGrow, isSettled: isSettled, isAppendOnly: isAppendOnly, context: context)
  }
}
