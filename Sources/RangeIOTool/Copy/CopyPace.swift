/// Keeps a copy to a number of bytes a second. A value: times come in, waits come out.
///
/// Holds the moment at which all that was asked for has been paid (virtual scheduling, ITU-T I.371, annex A).
struct CopyPace {
  let bytesPerSecond: Int
  private var paidAt = Duration.zero

  init(bytesPerSecond: Int) { self.bytesPerSecond = bytesPerSecond }

  /// Asks for `byteCount` bytes.
  ///
  /// - Parameter now: the time since the copy began.
  /// - Returns: the time to wait before they are read.
  mutating func wait(for byteCount: Int, now: Duration) -> Duration {
    let start = max(paidAt, now)
    paidAt = start + .seconds(Double(byteCount) / Double(bytesPerSecond))
    return start - now
  }
}
