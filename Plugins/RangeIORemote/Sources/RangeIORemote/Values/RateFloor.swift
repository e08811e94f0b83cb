/// The least rate at which a body must come, over windows of time: a server that drips bytes must not hold a read for
/// ever. Times are counted from anything fixed.
struct RateFloor: Hashable, Sendable {
  private let bytesPerSecond: Int
  private let window: Duration
  private var begin: Duration
  private var bytes = 0

  /// Creates a floor.
  ///
  /// - Parameters:
  ///   - bytesPerSecond: the least rate; zero: none.
  ///   - window: the time over which it is measured. A body may come in bursts within it.
  ///   - now: when the first byte may come.
  init(bytesPerSecond: Int, window: Duration, at now: Duration) {
    self.bytesPerSecond = max(0, bytesPerSecond)
    self.window = max(window, .milliseconds(1))
    begin = now
  }

  /// Notes bytes that came.
  mutating func received(_ count: Int, at now: Duration) {
    bytes = bytes.addingReportingOverflow(max(0, count)).overflow ? .max : bytes + max(0, count)
  }

  /// Returns true if a whole window has passed with fewer bytes than the floor asks for. Begins a new window when one has
  /// passed.
  mutating func isTooSlow(at now: Duration) -> Bool {
    guard bytesPerSecond > 0, now - begin >= window else { return false }
    let isSlow = Double(bytes) < Double(bytesPerSecond) * ((now - begin) / .seconds(1))
    begin = now
    bytes = 0
    return isSlow
  }
}
