import CRangeIOSystem
import Synchronization
import SystemPackage

/// Whether the kernel begins to read from a device when it is asked for what is resident: found out by watching.
///
/// Linux does since 5.9. Then a few threads can collect the bytes of many reads.
final class BegunReads: Sendable {
  /// For each device of the process.
  static func of(_ device: UInt64) -> BegunReads {
    devices.withLock { devices in
      if let known = devices[device] { return known }
      // What is mounted and unmounted again and again: it is found out anew.
      if devices.count >= mostDevices { devices = [:] }
      let new = BegunReads()
      devices[device] = new
      return new
    }
  }

  private static let devices = Locked<[UInt64: BegunReads]>([:])
  private static let mostDevices = 256

  /// How many reads must have come by themselves, one after the other.
  static let enough = 4
  /// After so many that did not come no more are watched.
  static let mostTries = 16
  private static let looks = 4
  private static let pause: Int64 = 20_000

  private let seen = Atomic<Int>(0)
  private let missed = Atomic<Int>(0)

  /// Whether it does.
  var isCertain: Bool { seen.load(ordering: .relaxed) >= Self.enough }

  /// Whether that is not known yet.
  var isOpen: Bool { !isCertain && missed.load(ordering: .relaxed) < Self.mostTries }

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
}
