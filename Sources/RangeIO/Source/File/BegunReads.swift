import CRangeIOSystem
import Synchronization
import SystemPackage

/// Reads of a device that the kernel begins when it is asked for what is resident.
///
/// The library finds by watching whether the kernel does; Linux does since 5.9. Then a few threads can collect the bytes of many
/// reads. And if one read alone is in flight and the device is quick, its caller polls for the bytes, since to sleep and to be
/// woken would take as long.
final class BegunReads: Sendable {
  /// For each device of the process.
  static func of(_ device: UInt64) -> BegunReads {
    devices.withLock { devices in
      if let known = devices[device] { return known }
      // What is mounted and unmounted again and again: it is found out anew.
      if devices.count >= maxDevices { devices = [:] }
      let new = BegunReads()
      devices[device] = new
      return new
    }
  }

  private static let devices = Locked<[UInt64: BegunReads]>([:])
  private static let maxDevices = 256

  /// The number of reads that must have come by themselves, one after the other.
  static let enough = 4
  /// After so many that did not come no more are watched.
  static let maxTries = 16
  private static let looks = 4
  private static let hasProcessors = rio_processor_count() > 1
  private static let pause: Int64 = 20_000

  /// A device is quick if a read alone takes no longer, in nanoseconds, however quickly threads wake.
  static let quick: Int64 = 50_000
  /// No device is quick of which a read takes longer.
  static let maxQuickTime: Int64 = 100_000
  /// In between it is quick if a read takes no longer than so many times what it takes to wake a thread. To sleep is to be
  /// woken twice, and each time costs the processor about as much as it takes.
  static let wakes: Int64 = 4

  private let seen = Atomic<Int>(0)
  private let missed = Atomic<Int>(0)
  private let underWay = Atomic<Int>(0)
  /// The last read that began was alone.
  private let lastWasAlone = Atomic<Bool>(false)
  /// The time that a lone read takes until the thread that asked for it has it, in nanoseconds: a moving average. 0 if that is not
  /// known.
  private let usual = Atomic<Int64>(0)
  /// The time from there until its caller goes on, likewise.
  private let waking = Atomic<Int64>(0)
  /// When the last read that was alone had come.
  private let lastCame = Atomic<Int64>(0)
  private let now: @Sendable () -> Int64
  private let mayLook: @Sendable () -> Bool

  /// - Parameters:
  ///   - now: a clock, in nanoseconds.
  ///   - mayLook: whether this thread may spend time on looking. Default: all but the main thread and the main actor's, on
  ///     more than one processor.
  init(
    now: @escaping @Sendable () -> Int64 = { rio_monotonic_ns() },
    mayLook: @escaping @Sendable () -> Bool = {
      hasProcessors && !rio_is_main_thread() && !MainQueue.isCurrent
    }
  ) {
    self.now = now
    self.mayLook = mayLook
  }

  /// The kernel is known to begin reads of this device when it is asked for what is resident.
  var isCertain: Bool { seen.load(ordering: .relaxed) >= Self.enough }

  /// That is not known yet.
  var isOpen: Bool { !isCertain && missed.load(ordering: .relaxed) < Self.maxTries }

  /// Watches a read that the kernel may have begun, for some 300 µs at most, on a thread of the library.
  ///
  /// - Parameter isThere: reads what is resident; whether that is all.
  func watch(_ isThere: () throws(Errno) -> Bool) throws(Errno) {
    // Another one may have read it in between: that says nothing.
    if try isThere() { return }
    for _ in 0..<Self.looks {
      rio_pause_ns(Self.pause)
      if try isThere() {
        seen.wrappingAdd(1, ordering: .relaxed)
        return
      }
    }
    missed.wrappingAdd(1, ordering: .relaxed)
    if !isCertain { seen.store(0, ordering: .relaxed) }
  }

  /// A read that has been begun.
  struct Read {
    let device: BegunReads
    fileprivate let isAlone: Bool
    /// The one before it was, too. The first of several reads that begin one after the other is alone for a moment only.
    fileprivate let staysAlone: Bool
    fileprivate let since: Int64
  }

  /// A read has been begun.
  ///
  /// - Parameter besideOthers: `true` if the same caller begins others.
  func began(besideOthers: Bool = false) -> Read {
    let isAlone = !besideOthers && underWay.load(ordering: .relaxed) == 0
    let wasAlone = lastWasAlone.load(ordering: .relaxed)
    if wasAlone != isAlone { lastWasAlone.store(isAlone, ordering: .relaxed) }
    return Read(device: self, isAlone: isAlone, staysAlone: isAlone && wasAlone, since: now())
  }

  /// The bytes of the read are there, on the thread that calls this.
  func came(_ read: Read) {
    guard read.isAlone else { return }
    let present = now()
    lastCame.store(present, ordering: .relaxed)
    Self.add(present - read.since, to: usual)
  }

  /// The caller of a read that another thread has read goes on.
  func resumed(_ read: Read) {
    guard read.isAlone else { return }
    let came = lastCame.load(ordering: .relaxed)
    if came >= read.since { Self.add(now() - came, to: waking) }
  }

  private static func add(_ sample: Int64, to average: borrowing Atomic<Int64>) {
    let (took, before) = (max(1, sample), average.load(ordering: .relaxed))
    // Of two that come at the same time one may not count.
    average.store(before == 0 ? took : before + (took - before) / 8, ordering: .relaxed)
  }

  /// True if polling for a read pays: it takes no longer than ``quick``, or than ``wakes`` wakings and ``maxQuickTime``.
  private func isQuick(_ usual: Int64) -> Bool {
    usual <= max(Self.quick, min(Self.maxQuickTime, Self.wakes * waking.load(ordering: .relaxed)))
  }

  /// A thread waits for a read from now on.
  func waits() { underWay.wrappingAdd(1, ordering: .relaxed) }

  /// It waits no longer.
  func waited() { underWay.wrappingSubtract(1, ordering: .relaxed) }

  /// Looks for the bytes of a read again and again, on the thread of the one who wants them, for twice the usual time at most:
  /// if no other read is under way and the device is quick.
  ///
  /// - Parameter isThere: reads what is resident; whether that is all.
  /// - Returns: whether all has come.
  func look<Failure: Error>(for read: Read, _ isThere: () throws(Failure) -> Bool) throws(Failure) -> Bool {
    let usual = usual.load(ordering: .relaxed)
    guard read.staysAlone, isCertain, usual > 0, isQuick(usual), mayLook(),
      underWay.compareExchange(expected: 0, desired: 1, ordering: .relaxed).exchanged
    else { return false }
    defer { waited() }
    while underWay.load(ordering: .relaxed) == 1 {
      if try isThere() { return true }
      if now() - read.since >= 2 * usual { break }
      rio_relax()
    }
    return false
  }
}
