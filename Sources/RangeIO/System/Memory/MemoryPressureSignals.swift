/// How short of memory the system is, as a sequence of changes: for a store to let go in time of what it can.
///
/// ```swift
/// store.handleMemoryPressure(from: MemoryPressureSignals())
/// ```
///
/// The first element comes when memory first is short, each further one when the level changes; in between the sequence
/// waits. It has no end of its own: cancel the task that iterates, and it ends at once, with `nil`. It throws nothing.
/// Each iteration starts again, from ``MemoryPressure/normal``.
///
/// **Linux.** It looks at the clock's intervals, at two things:
///
/// - How much of the last ten seconds tasks lost waiting for memory: all tasks of the system, and those of the control
///   group that the process is in. Another group that thrashes at its own limit counts as well, as far as the system's
///   figure shows it.
/// - The used part of the limits of that group and of all above it that can be seen, versions 1 and 2, where it is
///   largest. Page cache that the kernel would drop first (`inactive_file`) is not counted as used; active page cache is.
///
/// Files that are missing, cannot be read or make no sense tell nothing: without any, no signal ever comes.
///
/// **Apple platforms.** The system tells by itself. Interval, thresholds and clock have no meaning there.
///
/// - Complexity: a look opens and reads 3 small files of the kernel and up to 4 for each group on the way up, on the
///   thread of the caller; 0.14 ms was measured with four groups, none limited. None waits for a disk.
///
/// Source: the kernel's Documentation/accounting/psi.rst and Documentation/admin-guide/cgroup-v2.rst.
public struct MemoryPressureSignals: AsyncSequence, Sendable {
  /// It throws nothing.
  public typealias Failure = Never

  private let polling: PressurePolling
  private let isToldBySystem: Bool

  /// The pressure of the system that this process runs on.
  ///
  /// - Parameter interval: the time from one look to the next, 10 milliseconds at least. Default: 1 second.
  /// - Parameter thresholds: from when on memory is short.
  /// - Parameter time: the clock that looks wait for.
  public init(
    every interval: Duration = .seconds(1), thresholds: MemoryPressureThresholds = MemoryPressureThresholds(),
    time: TimeSource = .continuous
  ) {
    polling = PressurePolling(every: interval, thresholds, time, SystemFiles())
    isToldBySystem = true
  }

  /// The pressure that `polling` sees, on every platform.
  init(_ polling: PressurePolling) {
    self.polling = polling
    isToldBySystem = false
  }

  /// An iteration of its own. Nothing is read before its first element is asked for.
  public func makeAsyncIterator() -> Iterator { Iterator(polling, isToldBySystem: isToldBySystem) }

  /// The changes, in order. To be used by one task at a time.
  public struct Iterator: AsyncIteratorProtocol {
    private var polling: PressurePolling
    #if canImport(Darwin)
      private var told: DispatchPressure?
    #endif

    init(_ polling: PressurePolling, isToldBySystem: Bool) {
      self.polling = polling
      #if canImport(Darwin)
        told = isToldBySystem ? DispatchPressure() : nil
      #endif
    }

    /// The next level that differs from the one before, or `nil` once the task is cancelled.
    public mutating func next() async -> MemoryPressure? {
      #if canImport(Darwin)
        if told != nil { return await told?.next() }
      #endif
      return await polling.next()
    }

    /// The next level that differs from the one before, or `nil` once the task is cancelled, without leaving the caller's
    /// actor.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> MemoryPressure? { await next() }
  }
}
