import CRangeIOSystem

/// Over how many places threads are spread so that they do not meet: a power of two, at least as many as there are processors, from
/// 8 to 256. Threads have small numbers; those that run at the same time seldom have one place.
enum ThreadSpread {
  static let count: Int = {
    let processors = min(max(Int(rio_processor_count()), 8), 256)
    return 1 << (Int.bitWidth - (processors - 1).leadingZeroBitCount)
  }()

  /// Two cache lines: processors fetch lines in pairs.
  @inline(__always) static var stride: Int { 128 }
}
