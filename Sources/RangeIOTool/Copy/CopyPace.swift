#if Tool
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

/// Waits as a pace says. Used by one task.
struct PacedReading {
  private var pace: CopyPace
  private let start = ContinuousClock.now

  init(bytesPerSecond: Int) { pace = CopyPace(bytesPerSecond: bytesPerSecond) }

  /// The most bytes to read at a time: a quarter of a second's, so that the limit is kept evenly.
  var step: Int { min(max(1, pace.bytesPerSecond / 4), 4 << 20) }

  /// Waits until `byteCount` bytes may be read.
  mutating func wait(for byteCount: Int) async throws {
    let wait = pace.wait(for: byteCount, now: ContinuousClock.now - start)
    if wait > .zero { try await Task.sleep(for: wait) }
  }
}
#endif
