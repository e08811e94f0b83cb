/// When a chunk is too old, by limits and times in nanoseconds.
package enum AgeLimit {
  /// True if what was fetched at `fetchedAt` has reached the age `limit`, `.max` for none. Also if the clock was set back: that
  /// does not make chunks younger.
  @inlinable @inline(__always)
  package static func isReached(_ limit: Int64, fetchedAt: @autoclosure () -> Int64, now: Int64) -> Bool {
    guard limit != .max else { return false }
    let fetchedAt = fetchedAt()
    return now < fetchedAt || now - fetchedAt >= limit
  }
}
