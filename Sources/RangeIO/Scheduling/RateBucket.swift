/// Bytes per second as a token bucket: what is not used is saved up to `burst`.
///
/// Stored as the moment at which the bucket is full again, so that nothing has to be added as time passes (the virtual
/// scheduling form of the generic cell rate algorithm, ITU-T I.371, annex A).
///
/// A read may go when its bytes are available or the bucket is full. A read larger than the bucket puts it into debt,
/// and later reads wait for that. So in any time `t` at most `burst + t × bytesPerSecond` bytes and one read go.
struct RateBucket: Equatable {
  let bytesPerSecond: Int
  let burst: Int
  private var fullAt = ReadClock.Instant(nanoseconds: .min)

  init(bytesPerSecond: Int, burst: Int) { (self.bytesPerSecond, self.burst) = (bytesPerSecond, burst) }

  /// When a read of `byteCount` bytes may go; possibly long ago.
  func earliest(_ byteCount: Int) -> ReadClock.Instant {
    fullAt.advanced(by: .nanoseconds(-time(burst - min(byteCount, burst), rounded: .down)))
  }

  /// A read goes.
  mutating func take(_ byteCount: Int, at now: ReadClock.Instant) {
    fullAt = max(fullAt, now).advanced(by: .nanoseconds(time(byteCount, rounded: .up)))
  }

  /// A read that had taken its bytes did not go.
  mutating func giveBack(_ byteCount: Int) {
    fullAt = fullAt.advanced(by: .nanoseconds(-time(byteCount, rounded: .up)))
  }

  private enum Rounding {
    case up, down
  }

  /// The nanoseconds that `byteCount` bytes take, at most some 292 years.
  private func time(_ byteCount: Int, rounded rounding: Rounding) -> Int64 {
    let product = byteCount.multipliedFullWidth(by: 1_000_000_000)
    // Unsigned, so that a quotient may have one bit more than the time that it is limited to.
    let rate = bytesPerSecond.magnitude
    guard product.high.magnitude < rate else { return .max }
    let (quotient, remainder) = rate.dividingFullWidth((product.high.magnitude, product.low))
    guard quotient < Int64.max else { return .max }
    return Int64(quotient) + (rounding == .up && remainder > 0 ? 1 : 0)
  }
}
