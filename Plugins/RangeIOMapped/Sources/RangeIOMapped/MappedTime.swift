internal import CRangeIOMapped

/// A time stamp of a file. It holds any time that a file system can store, which nanoseconds in 64 bits cannot.
struct MappedTime: Equatable {
  /// Whole seconds since 1970, rounded down.
  var seconds: Int64
  /// Nanoseconds after `seconds`.
  var nanoseconds: UInt32

  init(seconds: Int64, nanoseconds: UInt32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  init(_ time: rim_time) { self.init(seconds: time.seconds, nanoseconds: time.nanoseconds) }

  /// The age at `now`, which is in nanoseconds since 1970.
  func age(at now: Int64) -> Duration { .nanoseconds(now) - .seconds(seconds) - .nanoseconds(Int64(nanoseconds)) }

  /// Both numbers, for storing a version.
  var words: [UInt64] { [UInt64(bitPattern: seconds), UInt64(nanoseconds)] }
}
