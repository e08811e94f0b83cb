internal import CRangeIOMapped

/// A time that the kernel stamped on a file: any that a file system can keep, which nanoseconds in 64 bits cannot.
struct MappedTime: Equatable {
  /// Whole seconds since 1970, rounded down.
  var seconds: Int64
  /// Nanoseconds after them.
  var nanoseconds: UInt32

  init(seconds: Int64, nanoseconds: UInt32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  init(_ time: rim_time) { self.init(seconds: time.seconds, nanoseconds: time.nanoseconds) }

  /// How long ago it was at `now`, which is in nanoseconds since 1970.
  func age(at now: Int64) -> Duration { .nanoseconds(now) - .seconds(seconds) - .nanoseconds(Int64(nanoseconds)) }

  /// Its two numbers, for where a version is written down.
  var words: [UInt64] { [UInt64(bitPattern: seconds), UInt64(nanoseconds)] }
}
