extension SourceDescription {
  /// The cost of reading from a source. `.merging` and `.readAhead` use it to decide, and so does a disk tier: by
  /// default it keeps nothing of a source that is no slower than a local disk.
  public struct Cost: Hashable, Sendable {
    /// The time to the first byte of a read, in whole nanoseconds: so a description, which has room for no more, states this cost and
    /// not another one.
    public var latency: Duration {
      didSet { latency = .nanoseconds(latency.nanoseconds) }
    }
    /// The rate after the first byte, in bytes per second, as it was measured.
    package var rate: Double

    /// Creates a cost. The defaults are those of a local disk.
    ///
    /// - Parameters:
    ///   - latency: the time to the first byte of a read.
    ///   - bytesPerSecond: the rate after the first byte.
    public init(latency: Duration = .microseconds(100), bytesPerSecond: ByteCount = .bytes(1_000_000_000)) {
      self.init(latency: latency, bytesPerSecond: Double(bytesPerSecond.bytes))
    }

    package init(latency: Duration, bytesPerSecond: Double) {
      self.latency = .nanoseconds(latency.nanoseconds)
      rate = bytesPerSecond
    }

    /// The rate after the first byte.
    public var bytesPerSecond: ByteCount {
      get { .bytes(max(0, Int(exactly: rate.rounded()) ?? (rate > 0 ? .max : 0))) }
      set { rate = Double(newValue.bytes) }
    }
  }
}

extension SourceDescription {
  /// Facts about a source besides its size and version. The defaults are those of a local file that does not change and of which reads may
  /// hang.
  public struct Traits: Sendable {
    /// The cost of reading.
    public var cost = Cost()
    /// `true` if a later version may extend this one. Then reads counted from the end first ask for the current size,
    /// and you can follow the source (``RangeReader/ChangePolicy/follow``).
    public var mayGrow = false
    /// `true` if a change made right now would show in the validator. If it would not, the version is read but not
    /// kept, and checked again before the next read.
    public var isSettled = true
    /// `true` if existing bytes never change, whatever is appended. Then a cache keeps them when the source has grown.
    public var isAppendOnly = false
    /// `true` if the source itself answers at once, however long its device hangs: with `CancellationError` when the
    /// task of a read is cancelled, and with `ReadError.Code.closed` when the source is closed. A source that never
    /// waits may set it.
    ///
    /// If not, the reader runs each read as separate work. That costs a task and lets callers return at once; the abandoned
    /// read learns of it because its task is cancelled. The first description is always asked for in this way.
    public var answersCancellation = false
    /// `true` if `RangeSource.waitForChange(after:)` reports all changes as they happen. Then readers poll only seldom.
    public var reportsChanges = false
    /// `true` if reads of one range lend memory that must not be kept, such as mapped memory. A cache then asks by
    /// `RangeSource.read(_ ranges:)`, also for a single range: that one returns copies, and so does `answer`.
    public var isBorrowed = false
    /// An object of the source, which finds it again when it gets its description back. Opaque to all other code.
    public var context: (any AnyObject & Sendable)?

    /// Creates traits with their defaults, to be changed.
    public init() {}
  }

  /// Facts about the source besides its size and version. A source that wraps another passes it on, changed where it must be:
  ///
  /// ```swift
  /// var traits = inner.traits
  /// traits.cost.latency = .milliseconds(20)
  /// ```
  public var traits: Traits {
    var traits = Traits()
    (traits.cost, traits.context, traits.isSettled) = (cost, context, isSettled)
    (traits.mayGrow, traits.isAppendOnly) = (mayGrow, isAppendOnly)
    traits.answersCancellation = answersCancellation
    (traits.reportsChanges, traits.isBorrowed) = (reportsChanges, isBorrowed)
    return traits
  }

  /// This description with other traits, for a source that wraps another one.
  package func changing(_ change: (inout Traits) -> Void) -> SourceDescription {
    var traits = traits
    change(&traits)
    return SourceDescription(
      id: id, name: name, validator: validator, byteCount: byteCount, preferredBlockSize: preferredBlockSize,
      traits: traits)
  }
}
