#if Tool
/// The present rate of a transfer, and the time that the rest takes at this rate. A value: times come in.
struct TransferRate {
  /// Long enough to be calm, short enough to show that a link has become slow.
  private static let window = Duration.seconds(8)
  private static let step = Duration.milliseconds(250)

  private struct Sample {
    var time: Duration
    var bytes: Int
  }
  /// The oldest first. At most one a step, and one before the window.
  private var samples = [Sample(time: .zero, bytes: 0)]
  private var last = Sample(time: .zero, bytes: 0)

  /// Records that `bytes` bytes have been transferred in all.
  ///
  /// - Parameter time: since the transfer began.
  mutating func note(_ bytes: Int, at time: Duration) {
    last = Sample(time: time, bytes: bytes)
    guard time - samples[samples.count - 1].time >= Self.step else { return }
    samples.append(last)
    while samples.count > 2, time - samples[1].time > Self.window { samples.removeFirst() }
  }

  /// Within the window. Zero if nothing is known yet.
  var bytesPerSecond: Double {
    let nanoseconds = Figures.nanoseconds(last.time - samples[0].time)
    return nanoseconds > 0 ? Double(last.bytes - samples[0].bytes) / nanoseconds * 1e9 : 0
  }

  /// The time for `bytes` more bytes; `nil` if nothing arrives, or for more than a year.
  func timeLeft(for bytes: Int) -> Duration? {
    let seconds = Double(bytes) / bytesPerSecond
    return seconds.isFinite && seconds < 366 * 86_400 ? .seconds(seconds.rounded(.up)) : nil
  }
}
#endif
