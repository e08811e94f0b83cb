import CRangeIOSystem

/// A time that the kernel stamped on a file. It covers every time that a file system can store, while nanoseconds in 64
/// bits end in 1677 and 2262. So versions with different times always differ here.
package struct FileTime: Hashable, Comparable, Sendable {
  /// Whole seconds since 1970, rounded down.
  package var seconds: Int64
  /// The nanoseconds after them.
  package var nanoseconds: UInt32

  package init(seconds: Int64, nanoseconds: UInt32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  init(_ time: rio_time) { self.init(seconds: time.seconds, nanoseconds: time.nanoseconds) }

  /// Creates a time from a clock.
  package init(nanosecondsSince1970: Int64) {
    let (quotient, remainder) = nanosecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000_000)
    let isBefore = remainder < 0
    seconds = isBefore ? quotient - 1 : quotient
    nanoseconds = UInt32(isBefore ? remainder + 1_000_000_000 : remainder)
  }

  package static func < (a: FileTime, b: FileTime) -> Bool { (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds) }

  /// The time from this one to `other`. A `Duration` has room for any two.
  package func duration(to other: FileTime) -> Duration {
    .seconds(other.seconds) - .seconds(seconds) + .nanoseconds(Int64(other.nanoseconds) - Int64(nanoseconds))
  }

  /// Its two numbers, for storing a version.
  var words: [UInt64] { [UInt64(bitPattern: seconds), UInt64(nanoseconds)] }
}
