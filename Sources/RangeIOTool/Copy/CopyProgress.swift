#if Tool
import RangeIO

/// A line on a terminal that shows the progress of a copy, with its rate and the time that is left. Prints nothing if
/// standard error is not a terminal. Any thread may report.
final class CopyProgress: Sendable {
  private static let interval = Duration.milliseconds(100)

  private struct State {
    var done: Int
    var moved = 0
    var rate = TransferRate()
    var next = CopyProgress.interval
    var hasDrawn = false
  }

  private let label: String
  private let total: Int
  private let start = ContinuousClock.now
  private let isShown: Bool
  private let state: Locked<State>

  /// - Parameters:
  ///   - total: the bytes of the source.
  ///   - done: the bytes that are there already.
  init(_ label: String, total: Int, done: Int, isShown: Bool = StandardError.showsProgress) {
    self.label = label
    self.total = total
    self.isShown = isShown
    state = Locked(State(done: done))
  }

  /// Records that `count` more bytes are done.
  func advance(_ count: Int) {
    guard isShown else { return }
    let now = ContinuousClock.now - start
    let line: String? = state.withLock { state in
      state.done += count
      state.moved += count
      state.rate.note(state.moved, at: now)
      guard now >= state.next else { return nil }
      state.next = now + Self.interval
      state.hasDrawn = true
      return Self.text(label, done: state.done, of: total, state.rate, columns: StandardError.columns)
    }
    if let line { StandardError.write("\r\u{1B}[K" + line) }
  }

  /// Removes the line.
  func clear() {
    if state.withLock({ $0.hasDrawn }) { StandardError.write("\r\u{1B}[K") }
  }

  /// `disk.img: 45%, 450 MB of 1.0 GB, 92 MB/s, 6 s left`.
  static func text(_ label: String, done: Int, of total: Int, _ rate: TransferRate, columns: Int = 80) -> String {
    var figures = Progress.share(done, of: total)
    if rate.bytesPerSecond >= 1 {
      figures += ", \(Figures.size(Int(min(rate.bytesPerSecond, 1e18))))/s"
      if let left = rate.timeLeft(for: total - done) { figures += ", \(Figures.span(left)) left" }
    }
    return Progress.line(label, figures, columns: columns)
  }
}

extension Figures {
  /// `6 s`, `3 min 5 s`, `2 h 10 min`, `3 d 4 h`: the two largest units of a long time.
  static func span(_ duration: Duration) -> String {
    let seconds = Int(duration.components.seconds)
    let units = [("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)]
    let first = units.firstIndex { seconds >= $0.1 } ?? units.count - 1
    var rest = seconds
    var parts: [String] = []
    for (name, size) in units[first...].prefix(2) {
      let (count, remainder) = rest.quotientAndRemainder(dividingBy: size)
      if count > 0 || parts.isEmpty { parts.append("\(count) \(name)") }
      rest = remainder
    }
    return parts.joined(separator: " ")
  }
}
#endif
