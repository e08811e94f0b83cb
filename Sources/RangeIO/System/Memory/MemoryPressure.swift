/// The levels of memory pressure, in ascending order.
@nonexhaustive
public enum MemoryPressure: Hashable, Comparable, Sendable {
  /// Memory is not short any more.
  case normal
  /// Memory is somewhat short: a store drops half of what it holds.
  case warning
  /// Memory is very short: a store drops everything that is not pinned.
  case critical

  /// Memory pressure as a sequence of changes, so that a store can free memory in time.
  ///
  /// ```swift
  /// store.handleMemoryPressure(from: MemoryPressure.signals())
  /// ```
  ///
  /// The first element comes when memory first is short, each further one when the level changes. In between the
  /// sequence waits. It has no end of its own: cancel the task that iterates, and it ends at once, with `nil`. It does
  /// not throw. Each iteration starts again, from ``normal``.
  ///
  /// **Linux.** At each interval it checks two things:
  ///
  /// - How much of the last ten seconds tasks lost waiting for memory: all tasks of the system, and those of the
  ///   process's control group. Another group that thrashes at its own limit counts as well, as far as the system's
  ///   figure shows it. A warning comes when some task waited for a tenth of the time, ``critical`` when all tasks did.
  /// - The used part of the limits of that group and of all visible groups above it, versions 1 and 2, where it is
  ///   largest. Page cache that the kernel would drop first (`inactive_file`) does not count as used; active page cache
  ///   does. A warning comes at 85%, ``critical`` at 95%.
  ///
  /// A level lasts until the value is clearly lower again. Files that are missing, unreadable or malformed are ignored.
  /// Without any usable file, no signal ever comes.
  ///
  /// **Apple platforms.** The system reports pressure itself. The interval has no effect there.
  ///
  /// - Complexity: a check opens and reads 3 small kernel files, and up to 4 for each group on the way up, on the
  ///   caller's thread: 0.14 ms with four groups, none limited. None waits for a disk.
  ///
  /// Source: the kernel's Documentation/accounting/psi.rst and Documentation/admin-guide/cgroup-v2.rst.
  ///
  /// - Parameter interval: the time from one check to the next, at least 10 milliseconds. Default: 1 second.
  public static func signals(
    every interval: Duration = .seconds(1)
  ) -> some AsyncSequence<MemoryPressure, Never> & Sendable {
    MemoryPressureSignals(every: interval)
  }
}

/// See ``MemoryPressure/signals(every:)``.
struct MemoryPressureSignals: AsyncSequence, Sendable {
  package typealias Failure = Never

  private let polling: PressurePolling
  private let isToldBySystem: Bool

  /// Creates the signals of the system that this process runs on.
  init(every interval: Duration = .seconds(1)) {
    polling = PressurePolling(every: interval, MemoryPressure.Thresholds(), .continuous, SystemFiles())
    isToldBySystem = true
  }

  /// Creates signals from `polling`, on every platform.
  init(_ polling: PressurePolling) {
    self.polling = polling
    isToldBySystem = false
  }

  /// Creates an independent iteration. It reads nothing before you ask for its first element.
  func makeAsyncIterator() -> Iterator {
    Iterator(polling: polling, told: isToldBySystem ? SystemPressure.begin() : nil)
  }

  /// The changes, in order. Use it from one task at a time.
  package struct Iterator: AsyncIteratorProtocol {
    fileprivate var polling: PressurePolling
    fileprivate var told: SystemPressure?

    /// Returns the next level that differs from the previous one, or `nil` once the task is cancelled.
    package mutating func next() async -> MemoryPressure? {
      if told != nil { return await told?.next() }
      return await polling.next()
    }

    /// As ``next()``, without leaving the caller's actor.
    package mutating func next(isolation actor: isolated (any Actor)?) async -> MemoryPressure? { await next() }
  }
}
